/// Finds the rows of a query in a table that waits, by a stored index: the few rows that the index names, and all that were
/// changed since.
///
/// Every row that the query finds is among them. They are tested and sorted as any others.
struct StoredSearch {
    let table: AnyTable
    let head: QueryHead
    private let source: any TableSource
    /// More rows than this are found sooner by the filled table.
    private let countMax: Int

    /// Nil where the table is filled, or is worth filling.
    init?(_ table: AnyTable, _ head: QueryHead) {
        guard !table.isFilled, let source = table.source,
            source.loadsLeaves, !source.isWorthFilling, head.wanted != 0, !head.isRanked
        else { return nil }
        self.table = table
        self.head = head
        self.source = source
        countMax = max(64, table.slotCount / 64)
    }

    /// The rows, in insertion order; nil where only the filled table knows them, or there are many.
    func plan() -> PlannedRows? {
        guard let changed = changedRows(), let named = walked() ?? named() else { return nil }
        let slots = named + changed
        return PlannedRows(
            source: .listed(table.inInsertionOrder(slots)),
            residual: head.conjuncts.isEmpty ? nil : .all(of: head.conjuncts),
            orderings: head.orderings, page: head.page, next: head.next)
    }

    // MARK: - By values

    /// The rows that an index names for conditions, of the index that names fewest.
    private func named() -> ContiguousArray<UInt32>? {
        guard !head.conjuncts.isEmpty else { return nil }
        let start = IndexSearch(head.conjuncts)
        var best: ContiguousArray<UInt32>?
        for index in table.indexDefinitions.indices {
            guard let fields = source.storedFields(ofIndex: index),
                let search = start.narrowed(to: table.indexDefinitions[index])
            else { continue }
            let countMax = best.map { $0.count - 1 } ?? countMax
            if let found = slots(ofIndex: index, search, fields, countMax) { best = found }
        }
        return best
    }

    private func slots(
        ofIndex index: Int, _ search: IndexSearch, _ fields: [StoredIndexField], _ countMax: Int
    ) -> ContiguousArray<UInt32>? {
        guard search.rangeCount <= countMax else { return nil }
        var slots = ContiguousArray<UInt32>()
        let isServed = search.forEachBounds { bounds in
            guard let bounds = FieldBounds(bounds, of: fields) else { return false }
            let isKnown = source.forEachSlot(ofIndex: index, in: bounds, isReversed: false) {
                slot, _ in
                if !table.isOwn(slot) { slots.append(slot) }
                return slots.count <= countMax
            }
            return isKnown && slots.count <= countMax
        }
        return isServed ? slots : nil
    }

    // MARK: - Along an order

    /// The first rows along an index whose order is the query's, and all that are equal to the last of them.
    private func walked() -> ContiguousArray<UInt32>? {
        guard case .limit = head.page, let wanted = head.wanted, let comparator = head.comparator
        else { return nil }
        let paths = comparator.parts.compactMap { $0.path?.raw }
        guard paths.count == comparator.parts.count else { return nil }
        for index in table.indexDefinitions.indices {
            guard table.indexDefinitions[index].kind == .ordered,
                let fields = source.storedFields(ofIndex: index),
                let found = walk(index, fields, paths, comparator, wanted)
            else { continue }
            return found
        }
        return nil
    }

    private func walk(
        _ index: Int, _ fields: [StoredIndexField], _ paths: [AnyKeyPath],
        _ comparator: RowComparator, _ wanted: Int
    ) -> ContiguousArray<UInt32>? {
        let components = table.indexDefinitions[index].components
        var search = IndexSearch(head.conjuncts)
        while true {
            let depth = search.depth + paths.count
            guard depth <= components.count else { return nil }
            if let isReversed = QueryPlanner.direction(
                of: paths, along: components[search.depth..<depth]),
                isOrderedByKey(fields, depth)
            {
                search.addRange(at: components[search.depth].path.raw)
                return walk(index, fields, search, comparator, wanted, isReversed: isReversed)
            }
            guard search.addEquality(at: components[search.depth].path.raw),
                search.rangeCount == 1
            else { return nil }
        }
    }

    /// Whether rows of different keys are in the order of the first fields: the key of a long text is cut, and what is
    /// behind it then orders rows that are not equal.
    private func isOrderedByKey(_ fields: [StoredIndexField], _ depth: Int) -> Bool {
        !fields[..<depth].contains { $0.isText }
            || depth == fields.count
                && !fields[..<(depth - 1)].contains { $0.isText }
    }

    private func walk(
        _ index: Int, _ fields: [StoredIndexField], _ search: IndexSearch,
        _ comparator: RowComparator, _ wanted: Int, isReversed: Bool
    ) -> ContiguousArray<UInt32>? {
        let test = head.conjuncts.isEmpty ? nil : RowCondition.all(of: head.conjuncts).matches
        var slots = ContiguousArray<UInt32>()
        var passedCount = 0
        /// Whether the key is another one than that of the last row that was looked at.
        var isOtherKey = false
        var isKnown = false
        _ = search.forEachBounds { bounds in
            guard let bounds = FieldBounds(bounds, of: fields) else { return false }
            isKnown = source.forEachSlot(ofIndex: index, in: bounds, isReversed: isReversed) {
                slot, isNewKey in
                passedCount += 1
                isOtherKey = isOtherKey || isNewKey
                // What was changed says nothing of the order: the index knows it as it was.
                guard !table.isOwn(slot) else { return passedCount <= countMax }
                if slots.count >= wanted, isOtherKey,
                    !table.areEqual(slots[wanted - 1], slot, comparator)
                {
                    return false
                }
                isOtherKey = false
                if table.isMet(test, at: slot) { slots.append(slot) }
                return passedCount <= countMax
            }
            return false
        }
        return isKnown && passedCount <= countMax ? slots : nil
    }

    // MARK: - Changed rows

    /// The rows in leaves of the table's own, of which an index knows what they were; nil where they are many.
    private func changedRows() -> ContiguousArray<UInt32>? {
        var slots = ContiguousArray<UInt32>()
        table.cells.forEachOwnNode { first, node in
            for position in 0..<PackedLeaf.width where slots.count <= countMax {
                let place = table.layout.place(at: position, of: LeafWord(node))
                if table.isLive(at: place) { slots.append(UInt32(first + position)) }
            }
        }
        return slots.count <= countMax ? slots : nil
    }
}

extension AnyTable {
    /// Whether a slot is in a leaf that a table which waits has of its own.
    fileprivate func isOwn(_ slot: UInt32) -> Bool {
        cells.nodes.nodeInTree(holding: Int(slot)) != nil
    }

    /// Some slots with rows, each once, in insertion order.
    fileprivate func inInsertionOrder(_ slots: ContiguousArray<UInt32>) -> ContiguousArray<UInt32> {
        let rows = Set(slots).compactMap { slot in
            isLive(Slot(slot)) ? (slot: slot, ordinal: metadata(of: Slot(slot)).ordinal) : nil
        }
        return ContiguousArray(rows.sorted { $0.ordinal < $1.ordinal }.map(\.slot))
    }

    fileprivate func isMet(_ test: (@Sendable (UnsafeRawPointer) -> Bool)?, at slot: UInt32) -> Bool
    {
        withRawRow(at: Slot(slot)) { test?($0) ?? true } ?? false
    }

    fileprivate func areEqual(
        _ first: UInt32, _ second: UInt32, _ comparator: RowComparator
    ) -> Bool {
        let order = withRawRow(at: Slot(first)) { first in
            withRawRow(at: Slot(second)) { comparator.compare(first, $0) }
        }
        return order == 0
    }
}
