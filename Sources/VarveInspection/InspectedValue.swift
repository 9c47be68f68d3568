/// A stored value, read without the type that wrote it. Two are equal if type and bytes are.
public struct InspectedValue: Hashable, Sendable {
    package let stored: StoredValue

    init(_ stored: StoredValue) { self.stored = stored }

    /// As JSON on one line: integers with all their digits, dates in ISO 8601, data in base 64,
    /// numbers that JSON lacks as texts ("NaN", "Infinity", "-Infinity").
    public var json: String { stored.json }

    /// The type, as Swift spells it: `String`, `[Int64]?`.
    public var typeName: String { "\(stored.type)" }
}

extension InspectedValue {
    /// Whether a person who writes `text` may mean this id: the text itself where the id is one,
    /// else the number, the UUID, or the JSON form.
    func isWritten(_ text: String) -> Bool {
        switch stored.content {
        case .string(let own), .url(let own), .decimal(let own):
            // By bytes, as ids compare; `==` would take canonical equivalents for the same.
            own.utf8.elementsEqual(text.utf8) || json == text
        case .uuid: json == text || json == "\"\(text.uppercased())\""
        default: json == text
        }
    }
}

/// A property and its value.
public struct InspectedField: Hashable, Sendable {
    /// The name of the property.
    public let name: String
    /// The value of the property.
    public let value: InspectedValue
}

/// An entity's type and id.
public struct EntityName: Hashable, Sendable {
    /// The name of the entity's type.
    public let type: String
    /// The entity's id.
    public let id: InspectedValue

    /// The entity of a type with an id, whether there is one or not.
    public init(type: String, id: InspectedValue) {
        self.type = type
        self.id = id
    }
}

extension EntityName {
    init(_ reference: EntityReference) {
        type = reference.typeName
        id = InspectedValue(reference.id)
    }
}
