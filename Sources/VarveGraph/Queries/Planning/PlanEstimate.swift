internal import Foundation

/// What ways to answer a query cost, in nanoseconds. The constants were measured with a million
/// rows of seven properties; only their ratios matter.
struct PlanEstimate {
    /// To pass a row of a scan and test it.
    private static var scannedRow: Double { 12 }
    /// To reach a row that an index names.
    private static var reachedRow: Double { 45 }
    /// To pass one posting of an index, and to put its row in order.
    private static var posting: Double { 6 }
    /// To test a text.
    private static var text: Double { 250 }
    /// To find where a range begins and ends.
    private static var lookUp: Double { 400 }
    private static var comparison: Double { 8 }
    /// Added to every scan, so that a handful of rows does not decide whether an index is used:
    /// among few rows all ways cost next to nothing, and a plan should be what it is among many.
    private static var scan: Double { 1_000 }

    let rows: Double
    let selectivities: [Double]
    /// How many rows must be found; nil for all.
    let wanted: Double?
    let isSorted: Bool
    /// Which conditions read texts where they are tested.
    private let textConditions: ConditionSet

    init(rows: Int, selectivities: [Double], head: QueryHead) {
        self.rows = Double(rows)
        self.selectivities = selectivities
        var textConditions = ConditionSet()
        for position in head.conjuncts.indices where head.conjuncts[position].testsText {
            textConditions.insert(position)
        }
        self.textConditions = textConditions
        wanted = head.wanted.map { Double($0) }
        isSorted = !head.orderings.isEmpty
    }

    /// What the test of a row costs, except for conditions that are met anyway.
    private func test(without covered: ConditionSet) -> Double {
        textConditions.isSubset(of: covered) ? 0 : PlanEstimate.text
    }

    /// Which part of the rows meets the conditions other than these.
    private func selectivity(without covered: ConditionSet) -> Double {
        var result = 1.0
        for (position, part) in selectivities.enumerated() where !covered.contains(position) {
            result *= part
        }
        return result
    }

    /// How many of `count` rows in the query's order are passed before enough are found.
    private func scanned(of count: Double, selectivity: Double) -> Double {
        guard let wanted else { return count }
        return min(count, wanted / max(selectivity, 1 / max(1, rows)))
    }

    var scanCost: Double {
        let selectivity = selectivity(without: ConditionSet())
        let test = test(without: ConditionSet())
        if isSorted {
            return PlanEstimate.scan + rows * (PlanEstimate.scannedRow + test)
                + sortCost(of: rows * selectivity)
        }
        return PlanEstimate.scan
            + scanned(of: rows, selectivity: selectivity) * (PlanEstimate.scannedRow + test)
    }

    func cost(of candidates: Candidates) -> Double {
        let count = Double(candidates.count)
        let selectivity = selectivity(without: candidates.used)
        let test = test(without: candidates.covered)
        let named = collectionCost(of: candidates)
        if isSorted {
            return named + count * (PlanEstimate.reachedRow + test)
                + sortCost(of: count * selectivity)
        }
        return named + scanned(of: count, selectivity: selectivity)
            * (PlanEstimate.reachedRow + test)
    }

    func cost(of walk: IndexWalk) -> Double {
        let selectivity = selectivity(without: walk.used)
        let test = test(without: walk.covered)
        let scanned = scanned(of: Double(walk.range.count), selectivity: selectivity)
        // How many rows are equal is not known: a part of all.
        let gathered = walk.isWhole ? 0 : Double(walk.range.count) / 50
        return PlanEstimate.lookUp + gathered * PlanEstimate.posting
            + scanned * (PlanEstimate.posting + PlanEstimate.reachedRow + test)
    }

    private func collectionCost(of candidates: Candidates) -> Double {
        switch candidates.shape {
        case .ranges(let ranges):
            Double(ranges.ranges.count) * PlanEstimate.lookUp
                + Double(ranges.count) * PlanEstimate.posting
        case .text: PlanEstimate.lookUp * 10 + Double(candidates.count) * PlanEstimate.posting
        case .union(let branches): branches.reduce(0) { $0 + collectionCost(of: $1) }
        case .intersection(let first, let second):
            collectionCost(of: first) + collectionCost(of: second) + rows / 64
        }
    }

    private func sortCost(of count: Double) -> Double {
        let kept = min(count, wanted ?? count)
        return count * PlanEstimate.comparison * 2
            + kept * PlanEstimate.comparison * max(1, log2(max(2, kept)))
    }
}

extension RowCondition {
    /// Whether the test of a row reads texts.
    fileprivate var testsText: Bool {
        switch structure {
        case .text: true
        case .property, .opaque: false
        case .conjunction(let parts), .disjunction(let parts): parts.contains { $0.testsText }
        case .negation(let condition): condition.testsText
        }
    }
}
