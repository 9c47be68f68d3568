/// A property of an index for equality: how rows hash by it. Generated code makes it.
public struct _HashedProperty<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let column: HashedColumn

    @inlinable
    public init<Value: Hashable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        let read = PropertyReader(path)
        column = HashedColumn(
            IndexComponent(path: SendablePath(path), descendingPath: nil, isDescending: false),
            isStored: read.offset >= 0,
            hash: { ValueHash.hash(read($0)) },
            isSame: { read($0) == read($1) },
            hashOperand: { $0.value(as: Value.self).map { ValueHash.hash($0) } })
    }
}
