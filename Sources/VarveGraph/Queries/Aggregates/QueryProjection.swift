/// A query for some properties of its entities, as tuples. No entity is copied as a whole.
public struct QueryProjection<Entity: EntityModelProtocol, each Value>: Sendable {
    @usableFromInline let list: QueryList<Entity>
    @usableFromInline let read: @Sendable (RowSet) -> [(repeat each Value)]

    @inlinable
    init(
        _ list: QueryList<Entity>,
        _ read: @escaping @Sendable (RowSet) -> [(repeat each Value)]
    ) {
        self.list = list
        self.read = read
    }

    /// The properties of each entity, in the query's order.
    @inlinable
    public func resolve(in context: Context) -> [(repeat each Value)] {
        list.rows(in: context).map { read($0) } ?? []
    }

    /// The properties of the first entity, or nil where there is none.
    @inlinable
    public func first(in context: Context) -> (repeat each Value)? {
        list.limit(1).rows(in: context).flatMap { read($0).first }
    }
}

/// A query for one property of its entities.
///
/// A type of its own: what a parameter pack of one resolves to is a list of that one to the compiler only when
/// the expression ends, so that nothing could be called on it in the same one.
public struct PropertyProjection<Entity: EntityModelProtocol, Value>: Sendable {
    @usableFromInline let list: QueryList<Entity>
    @usableFromInline let read: @Sendable (RowSet) -> [Value]

    @inlinable
    init(_ list: QueryList<Entity>, _ read: @escaping @Sendable (RowSet) -> [Value]) {
        self.list = list
        self.read = read
    }

    /// The property of each entity, in the query's order.
    @inlinable
    public func resolve(in context: Context) -> [Value] {
        list.rows(in: context).map { read($0) } ?? []
    }

    /// The property of the first entity, or nil where there is none.
    @inlinable
    public func first(in context: Context) -> Value? {
        list.limit(1).rows(in: context).flatMap { read($0).first }
    }
}

extension RowSet {
    /// What `body` returns for each row, in the query's order.
    @inlinable
    func map<Value>(_ body: (UnsafeRawPointer) -> Value) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(knownCount)
        forEach { _, row in values.append(body(row)) }
        return values
    }

    /// How many rows there are, where that is known beforehand; else zero.
    @usableFromInline var knownCount: Int {
        switch rows {
        case .planned(let rows): rows.knownCount(of: table.liveCount) ?? 0
        case .slots(let slots): slots.count
        }
    }
}

// Compilers specialise code with parameter packs less well than code without: the usual numbers
// of properties are written out, which takes a third of the time.

extension QueryList {
    /// Asks for one property only: `User.query().select(\.name)` resolves to `[String]`.
    @inlinable
    public func select<Value>(_ path: KeyPath<Entity, Value>) -> PropertyProjection<Entity, Value> {
        let read = PropertyReader(selecting: path)
        return PropertyProjection(self) { $0.map { read.presented($0) } }
    }

    /// Asks for properties only: `User.query().select(\.name, \.age)` resolves to
    /// `[(String, Int)]`.
    @inlinable
    public func select<First, Second>(
        _ first: KeyPath<Entity, First>, _ second: KeyPath<Entity, Second>
    ) -> QueryProjection<Entity, First, Second> {
        let (first, second) = (PropertyReader(selecting: first), PropertyReader(selecting: second))
        return QueryProjection(self) { $0.map { (first.presented($0), second.presented($0)) } }
    }

    /// Asks for properties only.
    @inlinable
    public func select<First, Second, Third>(
        _ first: KeyPath<Entity, First>, _ second: KeyPath<Entity, Second>,
        _ third: KeyPath<Entity, Third>
    ) -> QueryProjection<Entity, First, Second, Third> {
        let (first, second) = (PropertyReader(selecting: first), PropertyReader(selecting: second))
        let third = PropertyReader(selecting: third)
        return QueryProjection(self) {
            $0.map { (first.presented($0), second.presented($0), third.presented($0)) }
        }
    }

    /// Asks for any number of properties only.
    @inlinable
    public func select<each Value>(
        _ path: repeat KeyPath<Entity, each Value>
    ) -> QueryProjection<Entity, repeat each Value> {
        let readers = (repeat PropertyReader(selecting: each path))
        return QueryProjection(self) { $0.map { row in (repeat (each readers).presented(row)) } }
    }
}

extension QueryList {
    /// One property of each entity, in the query's order.
    @inlinable
    public func select<Value>(_ path: KeyPath<Entity, Value>, in context: Context) -> [Value] {
        select(path).resolve(in: context)
    }

    /// Properties of each entity, in the query's order.
    @inlinable
    public func select<each Value>(
        _ path: repeat KeyPath<Entity, each Value>, in context: Context
    ) -> [(repeat each Value)] {
        select(repeat each path).resolve(in: context)
    }
}

extension Query {
    /// Asks for one property only; `first(in:)` returns that of the entity.
    @inlinable
    public func select<Value>(_ path: KeyPath<Entity, Value>) -> PropertyProjection<Entity, Value> {
        list.select(path)
    }

    /// One property of the entity; nil where there is none.
    @inlinable
    public func select<Value>(_ path: KeyPath<Entity, Value>, in context: Context) -> Value? {
        list.select(path).first(in: context)
    }

    /// Properties of the entity; nil where there is none.
    @inlinable
    public func select<each Value>(
        _ path: repeat KeyPath<Entity, each Value>, in context: Context
    ) -> (repeat each Value)? {
        list.select(repeat each path).first(in: context)
    }

    /// Asks for properties only; `first(in:)` returns those of the entity.
    @inlinable
    public func select<each Value>(
        _ path: repeat KeyPath<Entity, each Value>
    ) -> QueryProjection<Entity, repeat each Value> {
        list.select(repeat each path)
    }
}
