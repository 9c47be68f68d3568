extension QueryPredicate {
    /// A condition on one property that its structure describes.
    @inlinable
    static func property<Value>(
        _ path: KeyPath<Entity, Value>, _ relation: PropertyCondition.Relation,
        _ value: some Sendable, _ trust: OrderTrust,
        matches: @escaping @Sendable (UnsafeRawPointer) -> Bool
    ) -> QueryPredicate<Entity> {
        QueryPredicate(
            .property(
                PropertyCondition(path, relation, [QueryOperand(value)], trust: trust)),
            matches: matches)
    }
}

/// The property is equal to the value.
@inlinable
public func == <Entity: EntityModelProtocol, Value: Equatable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .property(path, .equal, value, .of(Value.self)) { read($0) == value }
}

/// The property is different from the value.
@inlinable
public func != <Entity: EntityModelProtocol, Value: Equatable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .property(path, .notEqual, value, .of(Value.self)) { read($0) != value }
}

/// The property is less than the value.
@inlinable
public func < <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .property(path, .less, value, .of(Value.self)) { read($0) < value }
}

/// The property is less than or equal to the value.
@inlinable
public func <= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .property(path, .lessOrEqual, value, .of(Value.self)) { read($0) <= value }
}

/// The property is greater than the value.
@inlinable
public func > <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .property(path, .greater, value, .of(Value.self)) { read($0) > value }
}

/// The property is greater than or equal to the value.
@inlinable
public func >= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .property(path, .greaterOrEqual, value, .of(Value.self)) { read($0) >= value }
}
