/// A query for at most one entity.
public struct Query<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline var list: QueryList<Entity>

    @inlinable
    init(_ list: QueryList<Entity>) { self.list = list }

    /// The entity with an id.
    @inlinable
    public init(id: Entity.ID) { list = QueryList(.ids([id])) }

    /// The entity with an id. A query is resolved in whatever context it is given; this one is not
    /// kept.
    @inlinable
    public init(context: Context, id: Entity.ID) { self.init(id: id) }

    /// The entity, with what the query loads of its relations, or nil where there is none.
    @inlinable
    public func resolve(in context: Context) -> Entity? { list.resolve(in: context).first }

    /// Whether there is such an entity.
    @inlinable
    public func exists(in context: Context) -> Bool { list.exists(in: context) }

    /// Finds the entity only if it meets the condition.
    @inlinable
    public func filter(_ predicate: QueryPredicate<Entity>) -> Self {
        Query(list.filter(predicate))
    }
}

extension Query {
    /// All entities of the type that meet the condition.
    @inlinable
    public static func filter(_ predicate: QueryPredicate<Entity>) -> QueryList<Entity> {
        QueryList(.all).filter(predicate)
    }
}

extension Collection {
    /// The entities that the queries find, in their order; a query that finds nothing is left out.
    public func resolve<Entity: EntityModelProtocol>(in context: Context) -> [Entity]
    where Element == Query<Entity> {
        compactMap { $0.resolve(in: context) }
    }
}

/// A query for lists of entities: one list for each entity of a list that a to-many relation
/// starts from.
public struct QueryGroup<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let groups: @Sendable (Context) -> [ContiguousArray<UInt32>]
    @usableFromInline var plan: RowPlan<Entity>

    @inlinable
    init(_ groups: @escaping @Sendable (Context) -> [ContiguousArray<UInt32>]) {
        self.groups = groups
        self.plan = RowPlan()
    }

    /// Returns the lists, each in its order.
    ///
    /// - Complexity: that of finding and copying the entities.
    @inlinable
    public func resolve(in context: Context) -> [[Entity]] {
        plan.materialize(groups: slots(in: context), in: context)
    }

    @inlinable
    func slots(in context: Context) -> [ContiguousArray<UInt32>] {
        groups(context).map { plan.apply(to: $0, in: context) }
    }

    /// All lists, one behind the other.
    @inlinable
    public func flatMap() -> QueryList<Entity> {
        var flat = RowPlan<Entity>()
        flat.shape = plan.shape
        return QueryList(
            .related(LinkedSlots { ContiguousArray(slots(in: $0).joined()) }), plan: flat)
    }
}

extension EntityModelProtocol {
    /// All entities of the type, in insertion order.
    @inlinable
    public static func query() -> QueryList<Self> { QueryList(.all) }

    /// The entity with an id.
    @inlinable
    public static func query(_ id: ID) -> Query<Self> { Query(id: id) }

    /// The entities with these ids, in this order; ids without an entity are left out.
    @inlinable
    public static func query(_ ids: [ID]) -> QueryList<Self> { QueryList(.ids(ids)) }

    /// The entity as the context holds it.
    @inlinable
    public func query() -> Query<Self> { Query(id: id) }

    /// The entities that meet a condition.
    @inlinable
    public static func filter(_ predicate: QueryPredicate<Self>) -> QueryList<Self> {
        query().filter(predicate)
    }
}
