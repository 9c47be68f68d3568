internal import Foundation
internal import VarveTables

extension QueryBisection {
    /// A part of the range in which the result changed.
    struct Bracket {
        let oldest: TransactionID
        let newest: TransactionID
        /// Those of the part that may have done it, oldest first.
        let candidates: ArraySlice<TransactionID>
        let before: QueryAnswer
        let after: QueryAnswer
    }

    /// One replay, gone back through a range.
    struct Walk {
        private let bisection: QueryBisection
        private let inspection: Inspection
        private let newest: TransactionID
        /// What the walk before this one found, with the results at both ends; nil of the first walk.
        private let found: QueryBisection.Bracket?
        /// Oldest first.
        let candidates: ArraySlice<TransactionID>
        let candidateCount: Int
        private(set) var replays = 1
        private(set) var evaluations = 0
        private(set) var oldestResult = QueryAnswer(columns: [], rows: [])
        /// What one evaluation reads.
        private let rowCount: Int
        /// What a replay costs, in evaluations of the query.
        private let replayCost: Double
    }
}

extension QueryBisection.Walk {
    init(
        _ bisection: QueryBisection, _ inspection: Inspection, _ oldest: TransactionID,
        _ newest: TransactionID
    ) throws(QueryFailure) {
        self.bisection = bisection
        self.inspection = inspection
        self.newest = newest
        found = nil
        let (query, state) = try inspection.reading(bisection.query) { ($0, $1) }
        // Rows are decoded and looked up one by one in both; a replay does so for all types, and has the log to read.
        rowCount = state.counts(of: query.type.number).slots
        replayCost = 4 * Double(state.slotCount + 1_000) / Double(rowCount + 100)
        let types = Set(query.fields.keys).union([query.type.number])
        do throws(InspectionError) {
            let ids = try inspection.transactions(touching: types, after: oldest, through: newest)
            (candidates, candidateCount) = (ids[...], ids.count)
        } catch {
            throw .inspection(error)
        }
    }

    /// A walk through a part of the range of another, with an inspection that has gone back nowhere.
    init(
        _ bracket: QueryBisection.Bracket, of previous: Self, in inspection: Inspection
    ) {
        bisection = previous.bisection
        self.inspection = inspection
        newest = bracket.newest
        found = bracket
        candidates = bracket.candidates
        candidateCount = previous.candidateCount
        (rowCount, replayCost) = (previous.rowCount, previous.replayCost)
        (replays, evaluations) = (previous.replays + 1, previous.evaluations)
    }

    /// With how many rounds a search among so many candidates costs least: each but the first takes a replay, and
    /// all take as many evaluations as there are strides.
    func stride(in count: Int) -> Int {
        guard count * rowCount > QueryBisection.rowsMax else { return 1 }
        func strides(_ rounds: Int) -> Double { pow(Double(count), 1 / Double(rounds)) }
        let rounds = (1...16).min { first, second in
            let costs = [first, second].map { rounds in
                Double(rounds) * strides(rounds) + Double(rounds - 1) * replayCost
            }
            return costs[0] < costs[1]
        }
        return max(1, Int((Double(count) / strides(rounds ?? 1)).rounded(.up)))
    }

    /// Goes back through the range and compares the results behind every `stride` candidates. Returns the oldest part in
    /// which they differ; nil where none does.
    mutating func round(
        stride: Int, step: (UInt64) -> Void
    ) throws(QueryFailure) -> QueryBisection.Bracket? {
        var bracket: QueryBisection.Bracket?
        try goBack(to: newest)
        var (result, place) = (try evaluate(unless: found?.after), newest)
        var end = candidates.endIndex
        while end > candidates.startIndex {
            let start = max(candidates.startIndex, end - stride)
            // The state in front of the oldest candidate of the stride is the one behind those before it.
            let target = TransactionID(candidates[start].rawValue - 1)
            try goBack(to: target)
            let known = start == candidates.startIndex ? found?.before : nil
            let earlier = try evaluate(unless: known)
            if try bisection.comparison(earlier) != bisection.comparison(result) {
                bracket = .init(
                    oldest: target, newest: place, candidates: candidates[start..<end],
                    before: earlier, after: result)
            }
            (result, place, end) = (earlier, target, start)
            step(newest.rawValue - target.rawValue)
        }
        oldestResult = result
        return bracket
    }

    private func goBack(to id: TransactionID) throws(QueryFailure) {
        do throws(InspectionError) {
            try inspection.goBack(to: id)
        } catch {
            throw .inspection(error)
        }
    }

    /// - Parameter known: the result, where a walk before this one has it.
    private mutating func evaluate(
        unless known: QueryAnswer?
    ) throws(QueryFailure) -> QueryAnswer {
        if let known { return known }
        evaluations += 1
        return try inspection.answer(bisection.query)
    }
}
