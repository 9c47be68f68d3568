/// A step of a query: slots with rows come in, in an order, and slots with rows go out.
@usableFromInline
enum RowStep: Sendable {
    case filter(RowCondition)
    case sort(RowComparator)
    case limit(Int, offset: Int)
    case last
    case distinct
    case union(RowQuery)
    case intersection(RowQuery)
    /// Anything else that turns slots with rows into slots with rows.
    case transform(RowTransform)
}

/// A query that is a step of another one of the same type.
@usableFromInline
final class RowQuery: Sendable {
    @usableFromInline
    enum Source: Sendable {
        case all, ids, related
    }

    let source: Source
    let steps: StepList<RowStep>
    /// What it finds, in its order.
    let slots: @Sendable (Context) -> ContiguousArray<UInt32>

    @usableFromInline
    init(
        _ source: Source, _ steps: StepList<RowStep>,
        _ slots: @escaping @Sendable (Context) -> ContiguousArray<UInt32>
    ) {
        self.source = source
        self.steps = steps
        self.slots = slots
    }

    /// The conditions that the query consists of, if it is nothing but conditions on all rows.
    var asFilters: [RowCondition]? {
        guard case .all = source else { return nil }
        var conditions: [RowCondition] = []
        for step in steps.all {
            guard case .filter(let condition) = step else { return nil }
            conditions.append(condition)
        }
        return conditions
    }
}

/// A step of a plan that is written as a function of slots, with the words that name it.
@usableFromInline
struct RowTransform: Sendable {
    let name: String
    /// Whether it only changes the order.
    let keepsAllRows: Bool
    let body: @Sendable (ContiguousArray<UInt32>, Context) -> ContiguousArray<UInt32>

    @usableFromInline
    init(
        _ name: String, keepsAllRows: Bool = false,
        body: @escaping @Sendable (ContiguousArray<UInt32>, Context) -> ContiguousArray<UInt32>
    ) {
        self.name = name
        self.keepsAllRows = keepsAllRows
        self.body = body
    }
}

// The steps do not know the entity's type, and are compiled once.
extension StepList where Step == RowStep {
    @usableFromInline
    mutating func add(_ step: RowStep) { append(step) }

    @usableFromInline var hasSteps: Bool { !isEmpty }

    @usableFromInline var steps: [RowStep] { all }

    /// Whether every row that comes in goes out, in whatever order.
    @usableFromInline var keepsAllRows: Bool {
        all.allSatisfy { step in
            switch step {
            case .sort, .distinct: true
            case .transform(let transform): transform.keepsAllRows
            case .filter, .limit, .last, .union, .intersection: false
            }
        }
    }

    /// The table at a position, and how the leading steps find rows in it. A stored table is filled, unless a stored index
    /// serves or the table is scanned.
    @usableFromInline
    func planned(
        in context: Context, table position: Int
    ) -> (table: AnyTable, rows: PlannedRows) {
        planned(QueryHead(of: all), in: context.tables.tables[present: position])
    }

    private func planned(
        _ head: QueryHead, in table: AnyTable
    ) -> (table: AnyTable, rows: PlannedRows) {
        if let rows = StoredSearch(table, head)?.plan() { return (table, rows) }
        let whole = table.isFilled ? table : table.whole()
        return (whole, head.planned(whole))
    }

    /// How the leading steps find rows of what a context returned as the whole table.
    func planned(whole table: AnyTable) -> PlannedRows {
        planned(QueryHead(of: all), in: table).rows
    }

    /// What the steps find among all rows of the table at a position.
    @usableFromInline
    func slots(in context: Context, table position: Int) -> ContiguousArray<UInt32> {
        let (table, rows) = planned(in: context, table: position)
        return slots(of: rows, table, in: context, table: position)
    }

    /// The rows of the head, passed through the other steps.
    @usableFromInline
    func slots(
        of rows: PlannedRows, _ table: AnyTable, in context: Context, table position: Int
    ) -> ContiguousArray<UInt32> {
        if rows.isWholeTable {
            return apply(to: table.liveSlots(), in: context, table: position, from: rows.next)
        }
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(rows.knownCount(of: table.liveCount) ?? 0)
        rows.forEachRow(in: table, isTransient: true) { slot, _ in
            slots.append(slot)
            return true
        }
        return apply(to: slots, in: context, table: position, from: rows.next)
    }

    /// How many rows the steps find among all of the table at a position.
    @usableFromInline
    func count(in context: Context, table position: Int) -> Int {
        let present = context.tables.tables[present: position]
        if let count = visitUniqueRow(in: present, { _ in }) { return count }
        let steps = all
        var head = QueryHead(of: steps)
        if head.next == steps.count {
            guard !head.conjuncts.isEmpty else {
                return head.page.count(of: context.tables.tables[rows: position].liveCount)
            }
            // How many there are does not depend on their order.
            head.orderings = []
        }
        let (table, rows) = planned(head, in: present)
        guard rows.next == steps.count else {
            return slots(of: rows, table, in: context, table: position).count
        }
        if let count = rows.knownCount(of: table.liveCount) { return count }
        if let count = rows.namedCount(in: table) ?? rows.testedCount(in: table) { return count }
        if let count = rows.countScanned(in: table) { return count }
        var count = 0
        rows.forEachRow(in: table, isTransient: true) { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// Passes slots, all of which have rows, through the steps.
    @usableFromInline
    func apply(
        to slots: ContiguousArray<UInt32>, in context: Context, table position: Int,
        from first: Int = 0
    ) -> ContiguousArray<UInt32> {
        let steps = all
        guard first < steps.count else { return slots }
        let table = context.tables.tables[rows: position]
        var slots = slots
        for next in first..<steps.count {
            switch steps[next] {
            case .filter(let condition):
                slots = table.filtered(slots, by: condition)
                // How well a row matches depends on all rows.
                for ranking in condition.rankings {
                    slots = context.tables.tables[position].ranked(slots, by: ranking)
                }
            case .sort(let comparator):
                let kept = Self.kept(by: steps, behind: next)
                slots = comparator.sorted(slots, in: table, keeping: kept)
            case .limit(let limit, let offset): slots = Self.page(slots, limit, offset)
            case .last: slots = ContiguousArray(slots.suffix(1))
            case .distinct: slots = SlotSet.distinct(slots, limit: table.slotCount)
            case .union(let other):
                slots = SlotSet.distinct(slots + other.slots(context), limit: table.slotCount)
            case .intersection(let other):
                let kept = SlotSet(other.slots(context), limit: table.slotCount)
                slots.removeAll { !kept.contains(Int($0)) }
            case .transform(let transform): slots = transform.body(slots, context)
            }
        }
        return slots
    }

    /// How many rows the step behind a sort looks at.
    private static func kept(by steps: [RowStep], behind step: Int) -> Int {
        guard step + 1 < steps.count, case .limit(let limit, let offset) = steps[step + 1],
            limit > 0, offset >= 0
        else { return .max }
        return limit.addingClamped(offset)
    }

    private static func page(
        _ slots: ContiguousArray<UInt32>, _ limit: Int, _ offset: Int
    ) -> ContiguousArray<UInt32> {
        guard limit > 0, offset >= 0 else { return [] }
        return ContiguousArray(slots.dropFirst(offset).prefix(limit))
    }
}

extension AnyTable {
    /// The slots whose rows meet a condition.
    fileprivate func filtered(
        _ slots: ContiguousArray<UInt32>, by condition: RowCondition
    ) -> ContiguousArray<UInt32> {
        let test = condition.matches
        var kept = ContiguousArray<UInt32>()
        kept.reserveCapacity(slots.count)
        visitRows(at: slots, isTransient: true) { slot, row in
            if test(row) { kept.append(slot) }
            return true
        }
        return kept
    }
}
