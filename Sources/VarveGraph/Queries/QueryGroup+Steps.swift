// Each step works on each list of the group by itself.

extension QueryGroup {
    /// Keeps the entities of each list that meet the condition.
    @inlinable
    public func filter(_ predicate: QueryPredicate<Entity>) -> Self {
        adding(.filter(predicate.condition))
    }

    /// Keeps the entities of each list that meet the condition.
    @inlinable
    public func filter(_ predicate: MetadataPredicate) -> Self {
        filter(predicate.condition(on: Entity.self))
    }

    /// Keeps the entities of each list that meet the condition.
    @inlinable
    public func and(_ predicate: QueryPredicate<Entity>) -> Self { filter(predicate) }

    /// Sorts each list.
    @inlinable
    public func sorted<each Value: Comparable & SendableMetatype>(
        by path: repeat KeyPath<Entity, each Value>
    ) -> Self {
        var copy = self
        copy.plan = QueryList(.all, plan: plan).sorted(by: repeat each path).plan
        return copy
    }

    /// Sorts each list by metadata.
    @inlinable
    public func sorted(by order: Metadata) -> Self {
        adding(.sort(order.comparator(of: Entity.self)))
    }

    /// At most `limit` entities of each list behind its first `offset`.
    @inlinable
    public func limit(_ limit: Int, offset: Int = 0) -> Self {
        adding(.limit(limit, offset: offset))
    }

    /// Each entity once in each list, at its first place.
    @inlinable
    public func distinct() -> Self { adding(.distinct) }

    /// The first entity of each list that has one, as one list.
    @inlinable
    public func first() -> QueryList<Entity> { limit(1).flatMap() }

    /// The last entity of each list that has one, as one list.
    @inlinable
    public func last() -> QueryList<Entity> { adding(.last).flatMap() }

    /// How many entities each list has. Copies none.
    @inlinable
    public func counts(in context: Context) -> [Int] { slots(in: context).map(\.count) }

    /// How many entities all lists have together. Copies none.
    @inlinable
    public func count(in context: Context) -> Int { counts(in: context).reduce(0, +) }

    @inlinable
    func adding(_ step: RowStep) -> Self {
        var copy = self
        copy.plan.add(step)
        return copy
    }
}
