/// What a query does with the rows that its source names: steps in order, then the shape.
@usableFromInline
struct RowPlan<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline
    enum Step: Sendable {
        case filter(QueryPredicate<Entity>)
        case sort(RowComparator)
        case limit(Int, offset: Int)
        case last
        case distinct
        case union(QueryList<Entity>)
        case intersection(QueryList<Entity>)
        /// Anything else that turns slots with rows into slots with rows.
        case transform(RowTransform)
    }

    @usableFromInline var list = StepList<Step>()
    /// Fills relations of a copied row. Kept apart from the steps, so that no later filter or
    /// sort can lose it.
    @usableFromInline var shape = Shape<Entity>()

    @inlinable
    init() {}

    @inlinable var steps: [Step] { list.all }
    @inlinable var hasSteps: Bool { !list.isEmpty }

    @inlinable
    mutating func add(_ step: Step) { list.append(step) }

    /// Passes slots, all of which have rows, through the steps.
    @inlinable
    func apply(
        to slots: ContiguousArray<UInt32>, in context: Context, from first: Int = 0
    ) -> ContiguousArray<UInt32> {
        let steps = steps
        guard first < steps.count, let table = context.table(of: Entity.self) else { return slots }
        var slots = slots
        var next = first
        while next < steps.count {
            switch steps[next] {
            case .filter(let predicate):
                var cursor = RowCursor(table)
                let test = predicate.condition.matches
                slots.removeAll { slot in !(cursor.withRow(at: slot) { test($0) } ?? false) }
                for condition in predicate.condition.rankings {
                    slots = table.ranked(slots, by: condition)
                }
            case .sort(let comparator):
                slots = comparator.sorted(slots, in: table, keeping: kept(by: steps, behind: next))
            case .limit(let limit, let offset): slots = RowPlan.page(slots, limit, offset)
            case .last: slots = ContiguousArray(slots.suffix(1))
            case .distinct: slots = SlotSet.distinct(slots, limit: table.slotCount)
            case .union(let other):
                slots = SlotSet.distinct(slots + other.slots(in: context), limit: table.slotCount)
            case .intersection(let other):
                let kept = SlotSet(other.slots(in: context), limit: table.slotCount)
                slots.removeAll { !kept.contains(Int($0)) }
            case .transform(let transform): slots = transform.body(slots, context)
            }
            next += 1
        }
        return slots
    }

    /// How many rows the step behind a sort looks at.
    @usableFromInline
    func kept(by steps: [Step], behind step: Int) -> Int {
        guard step + 1 < steps.count, case .limit(let limit, let offset) = steps[step + 1],
            limit > 0, offset >= 0
        else { return .max }
        return limit.addingClamped(offset)
    }

    @usableFromInline
    static func page(
        _ slots: ContiguousArray<UInt32>, _ limit: Int, _ offset: Int
    ) -> ContiguousArray<UInt32> {
        guard limit > 0, offset >= 0 else { return [] }
        return ContiguousArray(slots.dropFirst(offset).prefix(limit))
    }

    /// How the leading steps are answered for all rows of the table.
    @inlinable
    func planned(_ table: Table<Entity>, countsOnly: Bool = false) -> PlannedRows {
        let steps = steps
        var head = QueryHead(of: steps)
        // How many there are does not depend on their order.
        if countsOnly, head.next == steps.count { head.orderings = [] }
        return head.planned(table)
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
