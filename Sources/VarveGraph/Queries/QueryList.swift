/// A query for a list of entities. It is a value, built without a context and resolved in one.
public struct QueryList<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline
    enum Source: Sendable {
        case all
        case ids([Entity.ID])
        case related(LinkedSlots)
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
        guard case .all = source, plan.shape.isEmpty,
            let position = context.tables.position(of: Entity._descriptor)
        else { return plan.materialize(slots(in: context), in: context) }
        var entities: [Entity] = []
        let uniqueCount = plan.list.visitUniqueRow(
            in: context.tables.tables[present: position]
        ) {
            entities.append($0.assumingMemoryBound(to: Entity.self).pointee)
        }
        if uniqueCount != nil { return entities }
        let (found, rows) = plan.list.planned(in: context, table: position)
        guard rows.next == plan.steps.count else {
            let slots = plan.list.slots(of: rows, found, in: context, table: position)
            return plan.materialize(slots, in: context)
        }
        let table = found.rows(of: Entity.self)
        if let slots = rows.namedSlots(in: table) { return RowLoader(table, fills: []).load(slots) }
        if rows.isWholeTable, RowParts(table.liveCount).count > 1 {
            return RowLoader(table, fills: []).load(table.liveSlots(), isWhole: true)
        }
        // Found and copied in one pass, while a row is in the cache.
        entities.reserveCapacity(rows.knownCount(of: table.liveCount) ?? 0)
        rows.forEachRow(in: table, isTransient: true) { _, row in
            entities.append(row.assumingMemoryBound(to: Entity.self).pointee)
            return true
        }
        return entities
    }

    /// How many entities the query finds. Copies none.
    ///
    /// - Complexity: O(log n) where an index decides the whole condition exactly, and where all links of one entity are
    ///   counted.
    @inlinable
    public func count(in context: Context) -> Int {
        guard let position = context.tables.position(of: Entity._descriptor) else { return 0 }
        switch source {
        case .all: return plan.list.count(in: context, table: position)
        case .related(let linked) where !plan.hasSteps: return linked.count(in: context)
        case .ids, .related: return slots(in: context).count
        }
    }

    /// Whether the query finds anything.
    @inlinable
    public func exists(in context: Context) -> Bool {
        if case .related = source, !plan.hasSteps { return count(in: context) > 0 }
        return limit(1).count(in: context) > 0
    }

    @inlinable
    func slots(in context: Context) -> ContiguousArray<UInt32> {
        guard let position = context.tables.position(of: Entity._descriptor) else { return [] }
        switch source {
        case .all: return plan.list.slots(in: context, table: position)
        case .ids(let ids):
            let table = context.tables.tables[rows: position].rows(of: Entity.self)
            var slots = ContiguousArray<UInt32>()
            table.forEachAhead(of: ids) { id in
                guard let slot = table.slot(of: id), table.hasRow(at: slot) else { return }
                slots.append(slot.rawValue)
            }
            return plan.list.apply(to: slots, in: context, table: position)
        case .related(let linked):
            return plan.list.apply(to: linked.slots(in: context), in: context, table: position)
        }
    }

    /// The query as a step of another one.
    @inlinable var asStep: RowQuery {
        let kind: RowQuery.Source =
            switch source {
            case .all: .all
            case .ids: .ids
            case .related: .related
            }
        return RowQuery(kind, plan.list) { slots(in: $0) }
    }

    @inlinable
    func adding(_ step: RowStep) -> Self {
        var copy = self
        copy.plan.add(step)
        return copy
    }
}

// MARK: - Filtering, sorting, paging

extension QueryList {
    /// Keeps the entities that meet the condition.
    @inlinable
    public func filter(_ predicate: QueryPredicate<Entity>) -> Self {
        adding(.filter(predicate.condition))
    }

    /// Keeps the entities that meet the condition.
    @inlinable
    public func and(_ predicate: QueryPredicate<Entity>) -> Self { filter(predicate) }

    /// Keeps the entities that the other query finds too.
    @inlinable
    public func and(_ other: QueryList<Entity>) -> Self { adding(.intersection(other.asStep)) }

    /// Adds what the other query finds and this one does not.
    @inlinable
    public func or(_ other: QueryList<Entity>) -> Self { adding(.union(other.asStep)) }

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
        var comparator = RowComparator()
        repeat comparator.add(each path)
        guard !comparator.parts.isEmpty else { return self }
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
