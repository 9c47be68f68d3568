extension EntityModelProtocol {
    /// The entity as `User(id: "1", name: "Ann", chats: ["7", "8"])`: its properties without index declarations, and
    /// what is loaded of its relations as ids.
    ///
    /// `print` and string interpolation use it as long as the type has no `description` of its own as a
    /// `CustomStringConvertible`.
    public var debugDescription: String { PropertyText(of: self).text }
}

/// A value that an entity stores and that says in other words what it is; nil for nothing.
private protocol DescribedProperty {
    var propertyText: String? { get }
}

extension Relationship: DescribedProperty {
    fileprivate var propertyText: String? {
        // In a row that a condition reads, a description tells nothing of relations instead of refusing.
        if case .covered(_, nil) = relation.content?.state { return nil }
        if relation.isNone { return nil }
        if relation.isNull { return "nil" }
        let ids = relation.heldIDs.map(PropertyText.text)
        return Cardinality.self == Relations.ToOne<Entity>.self
            ? ids.joined(separator: ", ") : "[\(ids.joined(separator: ", "))]"
    }
}

extension Relation: CustomStringConvertible {
    /// The ids that it holds, in brackets where it leads to many; `not loaded` where it says nothing.
    public var description: String { Relationship(self).propertyText ?? "not loaded" }
}

/// The properties of an entity in words.
private struct PropertyText {
    let text: String

    init<Entity: EntityModelProtocol>(of entity: Entity) {
        let parts = Mirror(reflecting: entity).children.compactMap { child -> String? in
            guard let label = child.label else { return Self.text(child.value) }
            guard let property = child.value as? any DescribedProperty else {
                return child.value is any OmitableFromCoding
                    ? nil : "\(label): \(Self.text(child.value))"
            }
            // The storage of a wrapper has the property's name behind an underscore.
            return property.propertyText.map { "\(label.drop { $0 == "_" }): \($0)" }
        }
        text = "\(Entity.self)(\(parts.joined(separator: ", ")))"
    }

    /// A value as it describes itself, a text in quotes, without the wrapping of optionals.
    static func text(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else {
            return (value as? String).map { String(reflecting: $0) } ?? String(describing: value)
        }
        return mirror.children.first.map { text($0.value) } ?? "nil"
    }
}
