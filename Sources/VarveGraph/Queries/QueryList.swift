/// A query for a list of entities. It is a value, built without a context and resolved in one.
public struct QueryList<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline
    enum Source: Sendable {
        case all
        case ids([Entity.ID])
        case related(@Sendable (Context) -> ContiguousArray<UInt32>)
    }

    @usableFromInline let source: Source
    @usableFromInline var plan: RowPlan<Entity>

    @inlinable
    init(_ source: Source, plan: RowPlan<Entity> = RowPlan()) {
        self.source = source
        self.plan = plan
    }

    /// The entities, in the query's order, with what the query loads of their relations.
    @inlinable
    public func resolve(in context: Context) -> [Entity] {
        plan.materialize(slots(in: context), in: context)
    }

    /// How many entities the query finds. Copies none.
    @inlinable
    public func count(in context: Context) -> Int {
        if case .all = source, plan.steps.isEmpty { return context.count(Entity.self) }
        return slots(in: context).count
    }

    /// Whether the query finds anything.
    @inlinable
    public func exists(in context: Context) -> Bool {
        limit(1).count(in: context) > 0
    }

    @inlinable
    func slots(in context: Context) -> ContiguousArray<UInt32> {
        switch source {
        case .all: return plan.scan(context)
        case .ids(let ids):
            guard let table = context.table(of: Entity.self) else { return [] }
            var slots = ContiguousArray<UInt32>()
            for id in ids {
                guard let slot = table.slot(of: id), table.row(at: slot) != nil else { continue }
                slots.append(slot.rawValue)
            }
            return plan.apply(to: slots, in: context)
        case .related(let slots): return plan.apply(to: slots(context), in: context)
        }
    }

    @inlinable
    func adding(_ step: RowPlan<Entity>.Step) -> Self {
        var copy = self
        copy.plan.steps.append(step)
        return copy
    }
}

// MARK: - Filtering, sorting, paging

extension QueryList {
    /// Keeps the entities that meet the condition.
    @inlinable
    public func filter(_ predicate: QueryPredicate<Entity>) -> Self { adding(.filter(predicate)) }

    /// Keeps the entities that meet the condition.
    @inlinable
    public func and(_ predicate: QueryPredicate<Entity>) -> Self { filter(predicate) }

    /// Keeps the entities that the other query finds too.
    @inlinable
    public func and(_ other: QueryList<Entity>) -> Self { adding(.intersection(other)) }

    /// Adds what the other query finds and this one does not.
    @inlinable
    public func or(_ other: QueryList<Entity>) -> Self { adding(.union(other)) }

    /// Adds the entities of the type that meet the condition.
    @inlinable
    public func or(_ predicate: QueryPredicate<Entity>) -> Self {
        or(QueryList(.all).filter(predicate))
    }

    /// All entities of the type that meet the condition; for `.or(.filter(…))`.
    @inlinable
    public static func filter(_ predicate: QueryPredicate<Entity>) -> Self {
        QueryList(.all).filter(predicate)
    }

    /// Sorts by properties, the first one first; `\.age.desc` sorts the other way round.
    /// Entities that are equal in all of them stay in order.
    @inlinable
    public func sorted<each Value: Comparable & SendableMetatype>(
        by path: repeat KeyPath<Entity, each Value>
    ) -> Self {
        var comparator = RowComparator<Entity>()
        repeat comparator.add(each path)
        return adding(.sort(comparator))
    }

    /// At most `limit` entities behind the first `offset`.
    @inlinable
    public func limit(_ limit: Int, offset: Int = 0) -> Self {
        adding(.limit(limit, offset: offset))
    }

    /// Each entity once, at its first place.
    @inlinable
    public func distinct() -> Self { adding(.distinct) }

    /// The first entity.
    @inlinable
    public func first() -> Query<Entity> { Query(limit(1)) }

    /// The last entity.
    @inlinable
    public func last() -> Query<Entity> { Query(adding(.last)) }
}
