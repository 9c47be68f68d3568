/// A query for some properties of its entities, as tuples. No entity is copied as a whole.
public struct QueryProjection<Entity: EntityModelProtocol, each Value>: Sendable {
    @usableFromInline let list: QueryList<Entity>
    @usableFromInline let readers: (repeat PropertyReader<Entity, each Value>)

    @inlinable
    init(_ list: QueryList<Entity>, _ readers: repeat PropertyReader<Entity, each Value>) {
        self.list = list
        self.readers = (repeat each readers)
    }

    /// The properties of each entity, in the query's order.
    @inlinable
    public func resolve(in context: Context) -> [(repeat each Value)] {
        var result: [(repeat each Value)] = []
        list.rows(in: context)?.forEach { _, row in
            result.append((repeat (each readers)(row)))
        }
        return result
    }

    /// The properties of the first entity, or nil where there is none.
    @inlinable
    public func first(in context: Context) -> (repeat each Value)? {
        var result: (repeat each Value)?
        list.limit(1).rows(in: context)?.forEach { _, row in
            result = (repeat (each readers)(row))
        }
        return result
    }
}

extension QueryList {
    /// Asks for properties only: `User.query().select(\.name, \.age)` resolves to
    /// `[(String, Int)]`.
    @inlinable
    public func select<each Value>(
        _ path: repeat KeyPath<Entity, each Value>
    ) -> QueryProjection<Entity, repeat each Value> {
        QueryProjection(self, repeat PropertyReader(each path))
    }
}

extension Query {
    /// Asks for properties only; `first(in:)` answers those of the entity.
    @inlinable
    public func select<each Value>(
        _ path: repeat KeyPath<Entity, each Value>
    ) -> QueryProjection<Entity, repeat each Value> {
        list.select(repeat each path)
    }
}
