/// The leading steps of a plan as one thing: what rows must meet, how they are ordered, and which
/// part of them is wanted.
///
/// Filters and sorts may change places as long as no part was taken in between, because sorts are
/// stable; so a chain of them is one conjunction and one order.
@usableFromInline
struct QueryHead: Sendable {
    var conjuncts: [RowCondition] = []
    /// One behind the other, each stable; none for insertion order.
    var orderings: [Ordering] = []
    var page = Page.all
    /// The first step that does not belong to the head.
    var next = 0

    @usableFromInline
    enum Ordering: Sendable {
        case properties(RowComparator)
        /// By how well rows match a text, best first.
        case rank(TextCondition)
    }

    @usableFromInline
    enum Page: Sendable {
        case all
        case limit(Int, offset: Int)
        case last

        /// How many of so many rows it is.
        func count(of total: Int) -> Int {
            switch self {
            case .all: total
            case .last: min(1, total)
            case .limit(let limit, let offset): min(limit, max(0, total - offset))
            }
        }
    }

    init(of steps: [RowStep]) {
        while next < steps.count, absorb(steps[next]) { next += 1 }
        guard next < steps.count else { return }
        switch steps[next] {
        case .limit(let limit, let offset):
            page = .limit(limit > 0 && offset >= 0 ? limit : 0, offset: max(0, offset))
        case .last: page = .last
        default: return
        }
        next += 1
    }

    /// Takes a step in, if it only says which rows or in which order.
    private mutating func absorb(_ step: RowStep) -> Bool {
        switch step {
        case .filter(let condition): add(condition)
        case .sort(let comparator): add(.properties(comparator))
        // The rows of a table are distinct already.
        case .distinct: break
        case .intersection(let other):
            guard let conditions = other.asFilters else { return false }
            for condition in conditions { condition.addConjuncts(to: &conjuncts) }
        case .limit, .last, .union, .transform: return false
        }
        return true
    }

    private mutating func add(_ condition: RowCondition) {
        condition.addConjuncts(to: &conjuncts)
        for condition in condition.rankings { add(.rank(condition)) }
    }

    /// A later sort comes first; the earlier one decides where it finds no difference.
    private mutating func add(_ ordering: Ordering) {
        if case .properties(let earlier)? = orderings.last, case .properties(var later) = ordering {
            later.parts += earlier.parts
            orderings[orderings.count - 1] = .properties(later)
        } else {
            orderings.append(ordering)
        }
    }

    /// Whether rows are ordered by how well they match a text, which depends on all rows.
    var isRanked: Bool {
        orderings.contains { if case .rank = $0 { true } else { false } }
    }

    /// How many rows must be found before the rest is of no interest; nil for all.
    var wanted: Int? {
        switch page {
        case .all: nil
        case .limit(let limit, let offset): limit == 0 ? 0 : limit.addingClamped(offset)
        case .last: 1
        }
    }

    /// How rows that meet all this are found in the table.
    func planned(_ table: AnyTable) -> PlannedRows {
        let planner = QueryPlanner(table, self)
        return table.isFilled ? planner.plan() : planner.planOfPass()
    }

    /// The order as one comparison, where it is one.
    var comparator: RowComparator? {
        guard orderings.count == 1, case .properties(let comparator) = orderings[0] else {
            return nil
        }
        return comparator
    }
}

extension RowCondition {
    /// The conditions that order what they find: those that all rows found must meet. Inside `||`
    /// or behind `!` such a condition is a mere test.
    var rankings: [TextCondition] {
        switch structure {
        case .text(let condition): condition.isRanked ? [condition] : []
        case .conjunction(let parts): parts.flatMap(\.rankings)
        case .property, .disjunction, .negation, .opaque: []
        }
    }
}

extension Int {
    /// The sum, or the greatest integer where that is less.
    @usableFromInline
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
