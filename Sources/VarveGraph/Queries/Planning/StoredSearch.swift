/// Finds the rows of a query in a stored table, by a stored index: the few rows that the index names, and all that were
/// changed since.
///
/// Every row that the query finds is among them. They are tested and sorted as any others.
struct StoredSearch {
    let table: AnyTable
    let head: QueryHead
    private let source: any TableSource
    /// More rows than this are found sooner by the filled table, or by a scan of stored rows.
    private let countMax: Int

    /// What was found: rows by their slots, and how.
    private struct Found {
        var slots: ContiguousArray<UInt32>
        let way: ListedRows.Way
    }

    /// Nil where the table is filled, or is worth filling.
    init?(_ table: AnyTable, _ head: QueryHead) {
        guard !table.isFilled, let source = table.source,
            source.loadsLeaves, !source.isWorthFilling, head.wanted != 0, !head.isRanked
        else { return nil }
        self.table = table
        self.head = head
        self.source = source
        // A scan decodes each leaf of eight rows, and so many named rows are in as many leaves at most. Filling a table costs
        // more, but once.
        countMax = max(64, table.slotCount / (table.isScanned ? PackedLeaf.width : 64))
    }

    /// The rows, in insertion order; nil where no index knows them, or there are many.
    func plan() -> PlannedRows? {
        guard let changed = changedRows(), let found = walked() ?? named() else { return nil }
        let slots = table.inInsertionOrder(found.slots + changed)
        return PlannedRows(
            source: .listed(ListedRows(slots: slots, way: found.way)),
            residual: head.conjuncts.isEmpty ? nil : .all(of: head.conjuncts),
            orderings: head.orderings, page: head.page, next: head.next)
    }

    // MARK: - By values

    /// The rows that an index names for conditions, of the index that names fewest.
    private func named() -> Found? {
        guard !head.conjuncts.isEmpty else { return nil }
        let start = IndexSearch(head.conjuncts)
        var best: Found?
        for index in table.indexDefinitions.indices {
            guard let fields = source.storedFields(ofIndex: index),
                let search = start.narrowed(to: table.indexDefinitions[index])
            else { continue }
            let countMax = best.map { $0.slots.count - 1 } ?? countMax
            if let slots = slots(ofIndex: index, search, fields, countMax) {
                best = Found(slots: slots, way: .ranges(of: index, search))
            }
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
    private func walked() -> Found? {
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
    ) -> Found? {
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
                let slots = walk(
                    index, fields, search, comparator, wanted, isReversed: isReversed)
                return slots.map {
                    Found(slots: $0, way: .walk(along: index, depth, isReversed: isReversed))
                }
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
        var rows = RowCursor(table)
        var pinned = PinnedRow(table)
        var scannedCount = 0
        /// Whether the key is another one than that of the last row that was looked at.
        var isOtherKey = false
        var isKnown = false
        _ = search.forEachBounds { bounds in
            guard let bounds = FieldBounds(bounds, of: fields) else { return false }
            isKnown = source.forEachSlot(ofIndex: index, in: bounds, isReversed: isReversed) {
                slot, isNewKey in
                scannedCount += 1
                isOtherKey = isOtherKey || isNewKey
                // What was changed says nothing of the order: the index knows it as it was.
                guard !table.isOwn(slot) else { return scannedCount <= countMax }
                if slots.count >= wanted, isOtherKey,
                    !pinned.isEqual(slots[wanted - 1], slot, comparator, &rows)
                {
                    return false
                }
                isOtherKey = false
                if rows.withRow(at: slot, { test?($0) ?? true }) == true { slots.append(slot) }
                return scannedCount <= countMax
            }
            return false
        }
        return isKnown && scannedCount <= countMax ? slots : nil
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
    /// Whether a slot of a stored table is in a leaf of the table's own.
    fileprivate func isOwn(_ slot: UInt32) -> Bool {
        cells.nodes.nodeInTree(holding: Int(slot)) != nil
    }

    /// Some slots, each once, in insertion order, as far as they have rows. Those in leaves that are not the table's own have
    /// one: an index names them.
    fileprivate func inInsertionOrder(_ slots: ContiguousArray<UInt32>) -> ContiguousArray<UInt32> {
        var rows = RowCursor(self)
        if isScanOrderKnown, isScannedInOrder {
            var found = ContiguousArray<UInt32>()
            for slot in slots.sorted()
            where found.last != slot && (!isOwn(slot) || rows.hasRow(at: slot)) {
                found.append(slot)
            }
            return found
        }
        var found = ContiguousArray<(slot: UInt32, ordinal: UInt64)>()
        var isAscending = true
        // Leaf by leaf, and in most tables in insertion order.
        for slot in slots.sorted() where found.last?.slot != slot && rows.hasRow(at: slot) {
            let ordinal = rows.metadata(at: slot).ordinal
            if let last = found.last, last.ordinal > ordinal { isAscending = false }
            found.append((slot, ordinal))
        }
        if !isAscending { found.sort { $0.ordinal < $1.ordinal } }
        return ContiguousArray(found.map(\.slot))
    }
}

/// The last row that is wanted of a walk, to which others are compared.
private struct PinnedRow {
    private let table: AnyTable
    /// Nil where addresses of rows stay valid.
    private var pinned: PinnedRows?

    init(_ table: AnyTable) {
        self.table = table
        pinned = table.isScanned ? PinnedRows(table) : nil
    }

    /// Whether the rows at two slots are equal. The first one is the same in each call.
    mutating func isEqual(
        _ first: UInt32, _ second: UInt32, _ comparator: RowComparator, _ rows: inout RowCursor
    ) -> Bool {
        guard let row = pinned?.row(at: first) else {
            return table.withRawRow(at: Slot(first)) { first in
                rows.withRow(at: second) { comparator.compare(first, $0) == 0 }
            } == true
        }
        return rows.withRow(at: second) { comparator.compare(row, $0) == 0 } == true
    }
}
