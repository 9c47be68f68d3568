/// A property of an ordered index: how rows compare by it. Generated code makes it.
public struct _OrderedProperty<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let column: OrderedColumn

    /// A property in ascending order; `reversed` is its path with `.desc`.
    @inlinable
    public init<Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value>, reversed: KeyPath<Entity, Descending<Value>>
    ) {
        let read = PropertyReader(path)
        column = OrderedColumn(
            IndexComponent(
                path: SendablePath(path), descendingPath: SendablePath(reversed),
                isDescending: false),
            key: { ValueOrder.key(read($0)) },
            isSame: { read($0) == read($1) },
            compare: { ValueOrder.compare(read($0), read($1)) },
            bound: { operand in
                guard let value = operand.value(as: Value.self) else { return nil }
                let (key, isExact) = ValueOrder.key(value)
                return IndexBoundValue(key: key, isExact: isExact) { row in
                    ValueOrder.compare(value, read(row))
                }
            })
    }

    /// A property that was declared with `.desc`. `reversed` is the path with another `.desc`.
    @inlinable
    public init<Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value>, descending: KeyPath<Entity, Descending<Value>>,
        reversed: KeyPath<Entity, Descending<Descending<Value>>>
    ) {
        let read = PropertyReader(path)
        column = OrderedColumn(
            IndexComponent(
                path: SendablePath(path), descendingPath: SendablePath(descending),
                isDescending: true),
            key: { row in
                let (key, isExact) = ValueOrder.key(read(row))
                return (~key, isExact)
            },
            isSame: { read($0) == read($1) },
            compare: { ValueOrder.compare(read($1), read($0)) },
            bound: { operand in
                guard let value = operand.value(as: Value.self) else { return nil }
                let (key, isExact) = ValueOrder.key(value)
                return IndexBoundValue(key: ~key, isExact: isExact) { row in
                    ValueOrder.compare(read(row), value)
                }
            })
    }

    /// A property whose own name is `desc`.
    @inlinable @_disfavoredOverload
    public init<Owner, Value: Comparable & SendableMetatype>(
        _ owner: KeyPath<Entity, Owner>, descending path: KeyPath<Entity, Value>,
        reversed: KeyPath<Entity, Descending<Value>>
    ) { self.init(path, reversed: reversed) }
}
