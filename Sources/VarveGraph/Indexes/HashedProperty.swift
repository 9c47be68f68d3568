/// A property of an index for equality: how rows hash by it. Generated code makes it.
public struct _HashedProperty<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let component: IndexComponent
    /// Whether the value is there before the entity's hooks ran.
    @usableFromInline let isStored: Bool
    @usableFromInline let hash: @Sendable (UnsafePointer<Entity>) -> UInt64
    @usableFromInline let isSame: @Sendable (UnsafePointer<Entity>, UnsafePointer<Entity>) -> Bool
    /// The hash of a value to look up; nil where the operand is of another type.
    @usableFromInline let hashOperand: @Sendable (QueryOperand) -> UInt64?

    @inlinable
    public init<Value: Hashable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        let read = PropertyReader(path)
        isStored = read.offset >= 0
        component = IndexComponent(
            path: SendablePath(path), descendingPath: nil, isDescending: false)
        hash = { ValueHash.hash(read($0)) }
        isSame = { read($0) == read($1) }
        hashOperand = { $0.value(as: Value.self).map { ValueHash.hash($0) } }
    }
}
