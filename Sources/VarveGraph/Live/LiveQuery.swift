/// A query that is kept up to date from state to state.
package struct LiveQuery<Entity: EntityModelProtocol>: Sendable {
    let query: QueryList<Entity>
    /// Nil where every state is to be asked anew.
    let order: LiveOrder<Entity>?
    /// The page of the order that the query shows; nil for all of it.
    let page: LivePage?

    /// What finds at most one entity.
    package init(_ query: Query<Entity>) { self.init(query.list) }

    package init(_ query: QueryList<Entity>) {
        self.query = query
        if case .limit(let limit, let offset)? = query.plan.steps.last,
            let page = LivePage(limit: limit, offset: offset)
        {
            order = LiveOrder(query, steps: query.plan.steps.dropLast())
            self.page = order == nil ? nil : page
        } else {
            order = LiveOrder(query)
            page = nil
        }
    }

    var shape: Shape<Entity> { query.plan.shape }

    /// What the query finds.
    package func list(in context: Context) -> ResultList<Entity> {
        guard let page else {
            return ResultList(context, SlotList(query.slots(in: context)), shape)
        }
        var longer = query
        longer.plan.list = StepList(Array(longer.plan.steps.dropLast()))
        longer.plan.add(.limit(page.reserve, offset: 0))
        let head = LiveHead(page, longer.slots(in: context))
        return ResultList(context, page.slots(of: head), shape, head: head)
    }

    /// Whether a list is brought up to date row by row: beyond some rows comparing it as a whole takes less.
    static func isWorthFollowing(_ changedRows: Int, of count: Int) -> Bool {
        changedRows <= max(64, count / 16)
    }

    /// What the query finds in a later state, and how the list came to be that.
    ///
    /// - Parameter changed: what was touched in between; nil where that is not known, and where slots
    ///   may stand for other ids.
    /// - Complexity: for conditions and orders by properties, O(log n) for each row that changed, and
    ///   the length of the page where the query has a limit. Otherwise that of the query, where what
    ///   changed can make a difference.
    package func advance(
        _ old: ResultList<Entity>, to context: Context, _ changed: ChangedRows?
    ) -> (list: ResultList<Entity>, changes: ResultChanges) {
        guard let changed else { return compare(old, to: list(in: context), isSameLineage: false) }
        guard let position = context.tables.position(of: Entity._descriptor) else {
            return (list(in: context), ResultChanges())
        }
        let rows = changed.tables[position]?.rows ?? []
        let reaches = reaches(changed, from: position, in: context)
        if !reaches, let order, Self.isWorthFollowing(rows.count, of: old.count),
            let before = old.context.table(of: Entity.self),
            let after = context.table(of: Entity.self)
        {
            guard !rows.isEmpty else { return (following(old, in: context), ResultChanges()) }
            if let page, let head = old.head {
                if let next = order.advance(head, page, from: before, to: after, rows) {
                    let list = ResultList(context, page.slots(of: next), shape, head: next)
                    return compare(old, to: list, isSameLineage: true)
                }
            } else if let (slots, changes) = order.advance(old.slots, from: before, to: after, rows)
            {
                return (ResultList(context, slots, shape), changes)
            }
        }
        if !reaches, rows.isEmpty, staysSame(old, in: context, position) {
            return (following(old, in: context), ResultChanges())
        }
        return compare(old, to: list(in: context), isSameLineage: true)
    }

    private func following(_ old: ResultList<Entity>, in context: Context) -> ResultList<Entity> {
        ResultList(context, old.slots, shape, head: old.head)
    }

    /// Whether the result is as it was, where no row of the type has changed.
    func staysSame(
        _ old: ResultList<Entity>, in context: Context, _ position: Int
    ) -> Bool {
        guard query.readsOneType else { return false }
        return old.context.tables.position(of: Entity._descriptor) == position
    }

    /// Whether anything has changed that a loaded relation may show.
    func reaches(
        _ changed: ChangedRows, from position: Int, in context: Context
    ) -> Bool {
        if shape.isEmpty { return false }
        if let own = changed.tables[position], !own.holders.isEmpty || !own.rows.isEmpty {
            return true
        }
        guard changed.tables.keys.contains(where: { $0 != position }) else { return false }
        var reached: Set<Int> = [position]
        var queue = [position]
        while let next = queue.popLast() {
            for relation in context.tables.tables.unfilled[next].relations
            where reached.insert(relation.childTable).inserted {
                queue.append(relation.childTable)
            }
        }
        return changed.tables.keys.contains { $0 != position && reached.contains($0) }
    }
}

extension LiveQuery {
    private func compare(
        _ old: ResultList<Entity>, to new: ResultList<Entity>, isSameLineage: Bool
    ) -> (list: ResultList<Entity>, changes: ResultChanges) {
        let (comparison, isUpdated) = difference(old, new, isSameLineage: isSameLineage)
        let updated = comparison.kept.filter { isUpdated($0.old, $0.new) }.map(\.new)
        return (
            new,
            ResultChanges(
                deleted: comparison.deleted, inserted: comparison.inserted,
                moved: comparison.moved, updated: updated)
        )
    }

    /// How two lists differ, found by looking at all rows; and whether a row has other values, by its two positions.
    func difference(
        _ old: ResultList<Entity>, _ new: ResultList<Entity>, isSameLineage: Bool
    ) -> (comparison: ListComparison, isUpdated: (Int, Int) -> Bool) {
        let oldSlots = old.slots.slots
        let newSlots = new.slots.slots
        let before = old.context.table(of: Entity.self)
        let after = new.context.table(of: Entity.self)
        var (rowsBefore, rowsAfter) = (before.map { RowCursor($0) }, after.map { RowCursor($0) })
        let oldKeys = ContiguousArray(oldSlots.map { UInt64($0) })
        let newKeys = ContiguousArray(
            newSlots.map { slot -> UInt64 in
                if isSameLineage { return UInt64(slot) }
                // Slots are private to the context: ids say what is the same.
                let id = rowsAfter?.withRow(at: slot) {
                    $0.assumingMemoryBound(to: Entity.self).pointee.id
                }
                if let id, let known = before?.slot(of: id) { return UInt64(known.rawValue) }
                return UInt64(slot) | 1 << 32
            })
        // With everything that the query loads; without, the stamps of a row say enough.
        let loaded = shape.isEmpty ? nil : (old: old.entities, new: new.entities)
        return (
            ListComparison(from: oldKeys, to: newKeys),
            { old, new in
                if let loaded { return !loaded.old[old].isIdentical(to: loaded.new[new]) }
                return rowsBefore?.metadata(at: oldSlots[old])
                    != rowsAfter?.metadata(at: newSlots[new])
            }
        )
    }
}

extension QueryList {
    /// Whether the result depends on rows of the query's own type alone.
    var readsOneType: Bool {
        if case .related = source { return false }
        return plan.list.readsOneType
    }
}

extension StepList where Step == RowStep {
    fileprivate var readsOneType: Bool {
        all.allSatisfy { step in
            switch step {
            case .filter, .sort, .limit, .last, .distinct: true
            case .union(let other), .intersection(let other):
                other.source != .related && other.steps.readsOneType
            case .transform: false
            }
        }
    }
}
