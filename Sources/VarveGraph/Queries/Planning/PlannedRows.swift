/// How the head of a query is going to be answered.
@usableFromInline
struct PlannedRows: Sendable {
    @usableFromInline
    enum Source: Sendable {
        /// Every row of the table, in insertion order.
        case scan
        /// What indexes name, brought into insertion order.
        case candidates(Candidates)
        /// The rows that a text condition finds, best first.
        case ranking(TextCondition)
        /// The rows of an index's range in the order of the index, which is the query's.
        case walk(IndexWalk)
        /// Every row of a stored table, in insertion order; see ``StoredScan``.
        case storedScan
        /// What a stored index names in a stored table.
        case listed(ListedRows)
    }

    @usableFromInline let source: Source
    /// What each row still has to be tested for.
    @usableFromInline let residual: RowCondition?
    /// The sorts that are left to do.
    @usableFromInline let orderings: [QueryHead.Ordering]
    @usableFromInline let page: QueryHead.Page
    /// The first step of the query that is not answered by all this.
    @usableFromInline let next: Int

    @usableFromInline
    init(
        source: Source, residual: RowCondition?,
        orderings: [QueryHead.Ordering], page: QueryHead.Page, next: Int
    ) {
        self.source = source
        self.residual = residual
        self.orderings = orderings
        self.page = page
        self.next = next
    }

    /// Whether all rows of the table are the answer, in insertion order.
    @usableFromInline var isWholeTable: Bool {
        guard case .scan = source, case .all = page else { return false }
        return residual == nil && orderings.isEmpty
    }

    /// Whether no index names rows.
    var isOfAllRows: Bool {
        switch source {
        case .scan, .storedScan: true
        case .candidates, .ranking, .walk, .listed: false
        }
    }

    /// How many rows there are, where that can be said without looking at them.
    @usableFromInline
    func knownCount(of liveCount: Int) -> Int? {
        guard residual == nil else { return nil }
        let total: Int
        switch source {
        case .scan, .storedScan: total = liveCount
        case .walk(let walk): total = walk.range.count
        case .ranking: return nil
        case .listed(let rows): total = rows.slots.count
        case .candidates(let candidates):
            guard candidates.isCounted else { return nil }
            total = candidates.count
        }
        return page.count(of: total)
    }

    /// How many rows there are, where indexes alone decide which: counted without reaching any.
    @usableFromInline
    func namedCount(in table: AnyTable) -> Int? {
        guard residual == nil, case .candidates(let candidates) = source else { return nil }
        return page.count(of: table.slotsInOrder(of: candidates).count)
    }

    /// The slots of all rows, where indexes alone decide which and in which order: named without reaching any.
    @usableFromInline
    func namedSlots(in table: AnyTable) -> ContiguousArray<UInt32>? {
        guard residual == nil, orderings.isEmpty, case .all = page else { return nil }
        switch source {
        case .scan, .storedScan, .ranking: return nil
        case .listed(let rows): return rows.slots
        case .candidates(let candidates): return table.slotsInOrder(of: candidates)
        case .walk(let walk): return table.slots(along: walk, limit: .max, offset: 0)
        }
    }
}
