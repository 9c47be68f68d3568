// Comparisons of optional properties. Nil equals nil, and is neither less nor greater than a value.

/// The property is equal to the value.
@inlinable
public func == <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value?>, value: Value?
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .optional(path, value) { read($0) == value }
}

/// The property has a value, which is less than the given one.
@inlinable
public func < <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value?>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .present(path, .less, value) { row in
        guard let found = read(row) else { return false }
        return found < value
    }
}

/// The property has a value, which is less than or equal to the given one.
@inlinable
public func <= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value?>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .present(path, .lessOrEqual, value) { row in
        guard let found = read(row) else { return false }
        return found <= value
    }
}

/// The property has a value, which is greater than the given one.
@inlinable
public func > <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value?>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .present(path, .greater, value) { row in
        guard let found = read(row) else { return false }
        return found > value
    }
}

/// The property has a value, which is greater than or equal to the given one.
@inlinable
public func >= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value?>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return .present(path, .greaterOrEqual, value) { row in
        guard let found = read(row) else { return false }
        return found >= value
    }
}

extension QueryPredicate {
    /// An equality of an optional property, which an index of its `nilFirst` serves as well.
    @usableFromInline
    static func optional<Value: Comparable & Sendable>(
        _ path: KeyPath<Entity, Value?>, _ value: Value?,
        matches: @escaping @Sendable (UnsafeRawPointer) -> Bool
    ) -> QueryPredicate<Entity> {
        let ordered = PropertyCondition(
            path.appending(path: \.nilFirst), .equal, [QueryOperand(NilFirst<Value>(value))],
            trust: .of(Value.self))
        let condition = PropertyCondition(
            path, .equal, [QueryOperand(value)], trust: .unknown, alternatives: [ordered])
        return QueryPredicate(.property(condition), matches: matches)
    }

    /// A comparison of an optional property: an index of its `nilFirst` holds the present values
    /// behind nil.
    @usableFromInline
    static func present<Value: Comparable & Sendable>(
        _ path: KeyPath<Entity, Value?>, _ relation: PropertyCondition.Relation, _ value: Value,
        matches: @escaping @Sendable (UnsafeRawPointer) -> Bool
    ) -> QueryPredicate<Entity> {
        let path = path.appending(path: \.nilFirst)
        let trust = OrderTrust.of(Value.self)
        let bound = property(path, relation, NilFirst<Value>(value), trust, matches: matches)
        guard relation == .less || relation == .lessOrEqual else { return bound }
        let isPresent = property(path, .greater, NilFirst<Value>(nil), trust, matches: matches)
        return QueryPredicate(
            .conjunction([isPresent.condition, bound.condition]), matches: matches)
    }
}
