/// A property of an index for equality: how rows hash by it. Generated code makes it.
public struct _HashedProperty<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let component: IndexComponent
    /// Whether the value is there before the entity's hooks ran.
    @usableFromInline let isStored: Bool
    @usableFromInline let hash: @Sendable (UnsafePointer<Entity>, inout Hasher) -> Void
    @usableFromInline let isSame: @Sendable (UnsafePointer<Entity>, UnsafePointer<Entity>) -> Bool
    /// Hashes a value to look up; false where the operand is of another type.
    @usableFromInline let hashOperand: @Sendable (QueryOperand, inout Hasher) -> Bool

    @inlinable
    public init<Value: Hashable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        let read = PropertyReader(path)
        isStored = read.offset >= 0
        component = IndexComponent(
            path: SendablePath(path), descendingPath: nil, isDescending: false)
        hash = { row, hasher in read(row).hash(into: &hasher) }
        isSame = { read($0) == read($1) }
        hashOperand = { operand, hasher in
            guard let value = operand.value(as: Value.self) else { return false }
            value.hash(into: &hasher)
            return true
        }
    }
}
