/// A property of an ordered index: how rows compare by it. Generated code makes it.
public struct _OrderedProperty<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let component: IndexComponent
    @usableFromInline let key: @Sendable (UnsafePointer<Entity>) -> (key: UInt64, isExact: Bool)
    @usableFromInline let isSame: @Sendable (UnsafePointer<Entity>, UnsafePointer<Entity>) -> Bool
    /// In the direction of the index.
    @usableFromInline let compare: @Sendable (UnsafePointer<Entity>, UnsafePointer<Entity>) -> Int
    /// A value to look up, or nil where the operand is of another type.
    @usableFromInline let bound: @Sendable (QueryOperand) -> IndexBoundValue<Entity>?

    /// A property in ascending order; `reversed` is its path with `.desc`.
    @inlinable
    public init<Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value>, reversed: KeyPath<Entity, Descending<Value>>
    ) {
        let read = PropertyReader(path)
        component = IndexComponent(
            path: SendablePath(path), descendingPath: SendablePath(reversed), isDescending: false)
        key = { ValueOrder.key(read($0)) }
        isSame = { read($0) == read($1) }
        compare = { ValueOrder.compare(read($0), read($1)) }
        bound = { operand in
            guard let value = operand.value(as: Value.self) else { return nil }
            let (key, isExact) = ValueOrder.key(value)
            return IndexBoundValue(key: key, isExact: isExact) { row in
                ValueOrder.compare(value, read(row))
            }
        }
    }

    /// A property that was declared with `.desc`. `reversed` is the path with another `.desc`.
    @inlinable
    public init<Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value>, descending: KeyPath<Entity, Descending<Value>>,
        reversed: KeyPath<Entity, Descending<Descending<Value>>>
    ) {
        let read = PropertyReader(path)
        component = IndexComponent(
            path: SendablePath(path), descendingPath: SendablePath(descending), isDescending: true)
        key = { row in
            let (key, isExact) = ValueOrder.key(read(row))
            return (~key, isExact)
        }
        isSame = { read($0) == read($1) }
        compare = { ValueOrder.compare(read($1), read($0)) }
        bound = { operand in
            guard let value = operand.value(as: Value.self) else { return nil }
            let (key, isExact) = ValueOrder.key(value)
            return IndexBoundValue(key: ~key, isExact: isExact) { row in
                ValueOrder.compare(read(row), value)
            }
        }
    }

    /// A property whose own name is `desc`.
    @inlinable @_disfavoredOverload
    public init<Owner, Value: Comparable & SendableMetatype>(
        _ owner: KeyPath<Entity, Owner>, descending path: KeyPath<Entity, Value>,
        reversed: KeyPath<Entity, Descending<Value>>
    ) { self.init(path, reversed: reversed) }
}

/// A value that an index is searched for, against the rows.
@usableFromInline
struct IndexBoundValue<Entity> {
    @usableFromInline let key: UInt64
    @usableFromInline let isExact: Bool
    /// Less than, equal to or greater than zero, as the value stands in front of a row's, with it
    /// or behind it, in the direction of the index.
    @usableFromInline let compare: (UnsafePointer<Entity>) -> Int

    @inlinable
    init(key: UInt64, isExact: Bool, compare: @escaping (UnsafePointer<Entity>) -> Int) {
        self.key = key
        self.isExact = isExact
        self.compare = compare
    }
}
