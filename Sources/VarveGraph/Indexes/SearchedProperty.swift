/// A property of a full-text index. Generated code makes it.
public struct _SearchedProperty<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let field: TextField

    @inlinable
    public init<Value: TextProperty>(_ path: KeyPath<Entity, Value>) { field = TextField(path) }
}
