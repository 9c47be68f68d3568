extension Query {
    /// The entities that a to-many relation leads to, in link order.
    @inlinable
    public func related<Child, Direction, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>
    ) -> QueryList<Child> {
        QueryList(.related(relatedSlots(path)))
    }

    /// The entity that a to-one relation leads to.
    @inlinable
    public func related<Child, Direction, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Relations.ToOne<Child>, Rule>>
    ) -> Query<Child> {
        Query<Child>(QueryList(.related(relatedSlots(path))))
    }

    @inlinable
    func relatedSlots(_ path: PartialKeyPath<Entity>) -> LinkedSlots {
        LinkedSlots(RelationPlace(path).index, of: Entity._descriptor) { forEachParent(in: $0, $1) }
    }

    /// Calls `body` with where links start from. An id leads to what is linked to it even where there is no entity with it:
    /// links may come before the entity does.
    @inlinable
    func forEachParent(in context: Context, _ body: (UInt32) -> Void) {
        guard case .ids(let ids) = list.source, !list.plan.hasSteps else {
            return list.slots(in: context).forEach(body)
        }
        for id in ids {
            if let slot = context.knownSlot(of: Entity.self, id: id) { body(slot.rawValue) }
        }
    }
}

extension QueryGroup {
    /// What a query that starts from each entity finds, list after list:
    /// `groups.flatMap { $0.related(\.$badge) }`.
    public func flatMap<Other: EntityModelProtocol>(
        _ transform: @escaping @Sendable (Query<Entity>) -> Query<Other>
    ) -> QueryList<Other> {
        var plan = RowPlan<Other>()
        plan.shape = transform(Query(QueryList(.ids([])))).list.plan.shape
        let source: @Sendable (Context) -> ContiguousArray<UInt32> = { context in
            var found = ContiguousArray<UInt32>()
            for slot in slots(in: context).joined() {
                let query = transform(Query(QueryList(.related(LinkedSlots { _ in [slot] }))))
                found += query.list.slots(in: context).prefix(1)
            }
            return found
        }
        return QueryList<Other>(.related(LinkedSlots(source)), plan: plan)
    }
}

extension QueryList {
    /// The entities that a to-one relation leads to, one for each that has one.
    @inlinable
    public func related<Child, Direction, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Relations.ToOne<Child>, Rule>>
    ) -> QueryList<Child> {
        QueryList<Child>(.related(relatedSlots(path)))
    }

    /// The entities that a to-many relation leads to, a list for each entity of this query.
    @inlinable
    public func related<Child, Direction, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>
    ) -> QueryGroup<Child> {
        QueryGroup(relatedGroups(path))
    }

    @inlinable
    func relatedSlots(_ path: PartialKeyPath<Entity>) -> LinkedSlots {
        LinkedSlots(RelationPlace(path).index, of: Entity._descriptor) { slots(in: $0).forEach($1) }
    }

    @inlinable
    func relatedGroups(
        _ path: PartialKeyPath<Entity>
    ) -> @Sendable (Context) -> [ContiguousArray<UInt32>] {
        let relation = RelationPlace(path).index
        return { context in
            guard let position = context.tables.position(of: Entity._descriptor) else { return [] }
            return slots(in: context).map {
                context.liveChildren(of: $0, relation: relation, table: position)
            }
        }
    }
}
