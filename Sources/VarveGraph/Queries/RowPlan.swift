/// What a query does with the rows that its source names: steps in order, then the shape.
@usableFromInline
struct RowPlan<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline
    enum Step: Sendable {
        case filter(QueryPredicate<Entity>)
        case sort(RowComparator<Entity>)
        case limit(Int, offset: Int)
        case last
        case distinct
        case union(QueryList<Entity>)
        case intersection(QueryList<Entity>)
        /// Anything else that turns slots with rows into slots with rows.
        case transform(RowTransform)
    }

    @usableFromInline var steps: [Step] = []
    /// Fills relations of a copied row. Kept apart from the steps, so that no later filter or
    /// sort can lose it.
    @usableFromInline var shape = Shape<Entity>()

    @inlinable
    init() {}

    /// Passes slots, all of which have rows, through the steps.
    @inlinable
    func apply(
        to slots: ContiguousArray<UInt32>, in context: Context, from first: Int = 0
    ) -> ContiguousArray<UInt32> {
        guard first < steps.count, let table = context.table(of: Entity.self) else { return slots }
        var slots = slots
        for step in steps[first...] {
            switch step {
            case .filter(let predicate):
                slots.removeAll { slot in
                    guard let row = table.row(at: Slot(slot)) else { return true }
                    return !predicate.matches(row)
                }
            case .sort(let comparator): slots = comparator.sorted(slots, in: table)
            case .limit(let limit, let offset): slots = RowPlan.page(slots, limit, offset)
            case .last: slots = ContiguousArray(slots.suffix(1))
            case .distinct: slots = Context.distinct(slots)
            case .union(let other):
                slots = Context.distinct(slots + other.slots(in: context))
            case .intersection(let other):
                let kept = Set(other.slots(in: context))
                slots.removeAll { !kept.contains($0) }
            case .transform(let transform): slots = transform.body(slots, context)
            }
        }
        return slots
    }

    @usableFromInline
    static func page(
        _ slots: ContiguousArray<UInt32>, _ limit: Int, _ offset: Int
    ) -> ContiguousArray<UInt32> {
        guard limit > 0, offset >= 0 else { return [] }
        return ContiguousArray(slots.dropFirst(offset).prefix(limit))
    }

    /// Scans the table: leading filters are tested while rows are passed, and a limit right
    /// behind them ends the scan.
    @inlinable
    func scan(_ context: Context) -> ContiguousArray<UInt32> {
        guard let table = context.table(of: Entity.self) else { return [] }
        var predicates: [QueryPredicate<Entity>] = []
        for case .filter(let predicate) in steps.prefix(while: \.isFilter) {
            predicates.append(predicate)
        }
        var next = predicates.count
        var wanted = Int.max
        var skipped = 0
        if next < steps.count, case .limit(let limit, let offset) = steps[next] {
            guard limit > 0, offset >= 0 else { return [] }
            next += 1
            skipped = offset
            wanted = limit
        }
        var slots = ContiguousArray<UInt32>()
        if predicates.isEmpty && wanted == .max { slots.reserveCapacity(table.liveCount) }
        table.forEachRow { slot, row in
            for predicate in predicates where !predicate.matches(row) { return true }
            if skipped > 0 {
                skipped -= 1
                return true
            }
            slots.append(slot.rawValue)
            return slots.count < wanted
        }
        return apply(to: slots, in: context, from: next)
    }
}

extension RowPlan.Step {
    @usableFromInline var isFilter: Bool {
        if case .filter = self { return true }
        return false
    }
}

/// A step of a plan that is written as a function of slots, with the words that name it.
@usableFromInline
struct RowTransform: Sendable {
    @usableFromInline let name: String
    /// Whether it only changes the order.
    @usableFromInline let keepsAllRows: Bool
    @usableFromInline
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
