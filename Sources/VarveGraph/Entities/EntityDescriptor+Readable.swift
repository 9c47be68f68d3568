internal import Foundation

extension EntityDescriptor {
    /// Whether every row that is well formed can be read: no code of the app is asked, which might refuse a value.
    package var readsEveryRow: Bool {
        readsEveryID && fields.allSatisfy { ClosedTypes.contains($0.valueType) }
    }

    /// Whether every well-formed id can be read.
    package var readsEveryID: Bool {
        func idType<Entity: EntityModelProtocol>(of type: Entity.Type) -> Any.Type {
            Entity.ID.self
        }
        return ClosedTypes.contains(_openExistential(type, do: idType))
    }
}

/// Types of which every well-formed value can be read. A list, because a type of the app may be stored as one of them and
/// refuse some of its values.
enum ClosedTypes {
    private static let all: Set<ObjectIdentifier> = [
        ObjectIdentifier(Bool.self), ObjectIdentifier(Int.self), ObjectIdentifier(Int8.self),
        ObjectIdentifier(Int16.self), ObjectIdentifier(Int32.self), ObjectIdentifier(Int64.self),
        ObjectIdentifier(UInt.self), ObjectIdentifier(UInt8.self), ObjectIdentifier(UInt16.self),
        ObjectIdentifier(UInt32.self), ObjectIdentifier(UInt64.self), ObjectIdentifier(Float.self),
        ObjectIdentifier(Double.self), ObjectIdentifier(String.self), ObjectIdentifier(Data.self),
        ObjectIdentifier(Date.self), ObjectIdentifier(UUID.self),
    ]

    static func contains(_ type: Any.Type) -> Bool {
        // First: that a type does not conform is something the runtime looks for in all libraries.
        if all.contains(ObjectIdentifier(type)) { return true }
        guard let container = type as? any ClosedContainer.Type else { return false }
        return contains(container.content)
    }
}

/// A type that is closed if that of its content is.
private protocol ClosedContainer {
    static var content: Any.Type { get }
}

extension Optional: ClosedContainer {
    static var content: Any.Type { Wrapped.self }
}

extension Array: ClosedContainer {
    static var content: Any.Type { Element.self }
}
