/// A condition on the rows of one type.
public struct QueryPredicate<Entity>: Sendable {
    /// Tests a row in place: copying it first would cost several times the test.
    @usableFromInline let matches: @Sendable (UnsafePointer<Entity>) -> Bool

    @usableFromInline
    init(matches: @escaping @Sendable (UnsafePointer<Entity>) -> Bool) { self.matches = matches }

    /// A condition written as a closure. No index can serve it.
    public static func satisfying(
        _ body: @escaping @Sendable (Entity) -> Bool
    ) -> QueryPredicate<Entity> {
        QueryPredicate { body($0.pointee) }
    }
}

/// Reads one property of a row: a load where the property is stored, its getter otherwise.
@usableFromInline
struct PropertyReader<Entity, Value>: Sendable {
    @usableFromInline let path: SendableReadPath<Entity, Value>
    /// The property's place inside a row, or -1 where it has none.
    @usableFromInline let offset: Int

    @inlinable
    init(_ path: KeyPath<Entity, Value>) {
        self.path = SendableReadPath(path)
        self.offset = MemoryLayout<Entity>.offset(of: path) ?? -1
    }

    @inlinable
    func callAsFunction(_ row: UnsafePointer<Entity>) -> Value {
        offset >= 0
            ? (UnsafeRawPointer(row) + offset).assumingMemoryBound(to: Value.self).pointee
            : row.pointee[keyPath: path.raw]
    }
}

@inlinable
public func == <Entity: EntityModelProtocol, Value: Equatable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return QueryPredicate { read($0) == value }
}

@inlinable
public func != <Entity: EntityModelProtocol, Value: Equatable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return QueryPredicate { read($0) != value }
}

@inlinable
public func < <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return QueryPredicate { read($0) < value }
}

@inlinable
public func <= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return QueryPredicate { read($0) <= value }
}

@inlinable
public func > <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return QueryPredicate { read($0) > value }
}

@inlinable
public func >= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
    path: KeyPath<Entity, Value>, value: Value
) -> QueryPredicate<Entity> {
    let read = PropertyReader(path)
    return QueryPredicate { read($0) >= value }
}

extension QueryPredicate {
    @inlinable
    public static func && (first: Self, second: Self) -> Self {
        QueryPredicate { first.matches($0) && second.matches($0) }
    }

    @inlinable
    public static func || (first: Self, second: Self) -> Self {
        QueryPredicate { first.matches($0) || second.matches($0) }
    }

    @inlinable
    public static prefix func ! (predicate: Self) -> Self {
        QueryPredicate { !predicate.matches($0) }
    }
}
