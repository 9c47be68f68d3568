/// A text property of rows of one type, which the field does not name: fields are stored
/// beside the type.
@usableFromInline
struct TextField: Sendable {
    private let sendablePath: SendableAnyPath
    private let access: Access

    private enum Access: Sendable {
        /// A stored property at an offset in the row.
        case text(Int)
        case optionalText(Int)
        case getter(@Sendable (UnsafeRawPointer) -> String?)
    }

    @usableFromInline
    init<Entity: EntityModelProtocol, Value: TextProperty>(_ path: KeyPath<Entity, Value>) {
        sendablePath = SendableAnyPath(raw: path)
        let offset = MemoryLayout<Entity>.offset(of: path)
        if let offset, Value.self == String.self {
            access = .text(offset)
        } else if let offset, Value.self == String?.self {
            access = .optionalText(offset)
        } else {
            let path = SendableReadPath(path)
            access = .getter { row in Entity._read(path.raw, ofRow: row)._text }
        }
    }

    /// A field by a path whose value type is not known, or nil where it leads to no text.
    @usableFromInline
    init?<Entity: EntityModelProtocol>(untyped path: AnyKeyPath, of type: Entity.Type) {
        if let path = path as? KeyPath<Entity, String> {
            self.init(path)
        } else if let path = path as? KeyPath<Entity, String?> {
            self.init(path)
        } else {
            return nil
        }
    }

    @usableFromInline var path: AnyKeyPath { sendablePath.raw }

    /// Whether a persisted property is this one, stored as nothing but its text.
    func isStored(as field: FieldDescription) -> Bool {
        switch access {
        case .text(let offset): field.offset == offset && field.valueType == String.self
        case .optionalText(let offset):
            field.offset == offset && field.valueType == String?.self
        case .getter: false
        }
    }

    /// The text in a row, which is of the type that the field was made for.
    @usableFromInline
    func text(in row: UnsafeRawPointer) -> String? {
        switch access {
        case .text(let offset): (row + offset).assumingMemoryBound(to: String.self).pointee
        case .optionalText(let offset):
            (row + offset).assumingMemoryBound(to: String?.self).pointee
        case .getter(let read): read(row)
        }
    }
}

extension [TextField] {
    /// The texts in a row; one that is nil is left out, as it has no tokens.
    @usableFromInline
    func texts(in row: UnsafeRawPointer) -> [String] { compactMap { $0.text(in: row) } }

    /// Whether both lead to the same properties, in whatever order.
    func namesSame(as other: [TextField]) -> Bool {
        guard count == other.count else { return false }
        var rest = other.map(\.path)
        for field in self {
            guard let position = rest.firstIndex(of: field.path) else { return false }
            rest.remove(at: position)
        }
        return true
    }

    /// Whether each of these properties is among the others.
    func areAmong(_ other: [TextField]) -> Bool {
        allSatisfy { field in other.contains { $0.path == field.path } }
    }
}

/// A path that may cross threads; the same holds as for ``SendableReadPath``.
private struct SendableAnyPath: @unchecked Sendable {
    let raw: AnyKeyPath
}
