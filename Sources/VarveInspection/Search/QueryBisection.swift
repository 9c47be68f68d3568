internal import VarveEvents
internal import VarveLog
internal import VarveTables

/// Finds the first transaction after which the result of a query is another.
///
/// Transactions that touch none of the types that the query reads cannot change its result, and are not looked at. A
/// state can only be gone back from, so a search forward costs another replay. The range is therefore walked from
/// its newest state to its oldest in strides, and then the stride in which the result changed, again in shorter
/// ones, until one transaction is left. How long the strides are is decided by what a replay costs and what an
/// evaluation does. Where the walk is short, the first round compares every state.
public struct QueryBisection: Sendable {
    /// What is compared of two results.
    public typealias Comparison = @Sendable (QueryAnswer) throws(QueryFailure) -> [String]

    /// The transaction that changed the result.
    public struct Change: Sendable {
        /// The transaction.
        public let transaction: TransactionSummary
        /// The result before it.
        public let before: QueryAnswer
        /// The result behind it.
        public let after: QueryAnswer
    }

    /// What a search found, and what it took.
    public struct Outcome: Sendable {
        /// Nil where the result is the same behind every transaction that was compared.
        public let change: Change?
        /// The result behind the oldest state of the range.
        public let start: QueryAnswer
        /// Transactions that may have changed the result.
        public let candidates: Int
        /// How often the log was replayed.
        public let replays: Int
        /// How often the query was evaluated.
        public let evaluations: Int
        /// Whether the result behind every candidate was compared: then no change before this one can have been missed.
        public let isExact: Bool
    }

    /// The query.
    public let query: InspectionQuery
    /// How many candidates lie between two states that the first round compares: 1 for every state. Nil for what costs
    /// least.
    public var stride: Int?
    /// What of a result counts. Two results with equal texts are the same.
    public var comparison: Comparison = { result throws(QueryFailure) in
        result.rows.map { $0.map(\.json).joined(separator: "\t") }
    }

    /// A search by a query, which compares all rows of its results.
    public init(_ query: InspectionQuery) { self.query = query }

    /// Where this many rows are read at most, every state is compared.
    static let rowsMax = 1_000_000

    /// Searches the range between the states behind two transactions.
    ///
    /// - Parameters:
    ///   - inspection: goes back to the oldest state of the range; further rounds open the store anew.
    ///   - step: is called now and then, with the transactions that were rolled back, and how many there may be.
    public func run(
        in inspection: Inspection, after oldest: TransactionID, through newest: TransactionID,
        step: (UInt64, UInt64) -> Void = { _, _ in }
    ) throws(QueryFailure) -> Outcome {
        guard oldest <= newest else {
            throw .inspection(
                .noSuchTransaction(oldest, first: inspection.firstTransaction, last: newest))
        }
        var walk = try Walk(self, inspection, oldest, newest)
        var stride = max(1, stride ?? walk.stride(in: walk.candidates.count))
        let isExact = stride == 1
        let total = newest.rawValue - oldest.rawValue
        var bracket = try walk.round(stride: stride) { step($0, total) }
        let start = walk.oldestResult
        while let found = bracket, found.candidates.count > 1 {
            let again = try inspecting { () throws(InspectionError) in try inspection.reopened() }
            walk = Walk(found, of: walk, in: again)
            stride = min(stride - 1, walk.stride(in: found.candidates.count))
            bracket = try walk.round(stride: max(1, stride)) { step($0, total) }
        }
        var change: Change?
        if let found = bracket, let id = found.candidates.first {
            let transaction = try inspecting { () throws(InspectionError) in
                try inspection.transaction(id).summary
            }
            change = Change(transaction: transaction, before: found.before, after: found.after)
        }
        return Outcome(
            change: change, start: start, candidates: walk.candidateCount, replays: walk.replays,
            evaluations: walk.evaluations, isExact: isExact)
    }

    private func inspecting<Value>(
        _ body: () throws(InspectionError) -> Value
    ) throws(QueryFailure) -> Value {
        do throws(InspectionError) {
            return try body()
        } catch {
            throw .inspection(error)
        }
    }
}

extension Inspection {
    /// The transaction behind which the state at a bound lies: itself, or the last that was written by a moment; the one
    /// before the first where there is none.
    public func transaction(
        behind bound: TransactionFilter.Bound
    ) throws(InspectionError) -> TransactionID {
        switch bound {
        case .transaction(let id): return id
        case .moment(let moment):
            let (end, overflow) = moment.microseconds.addingReportingOverflow(1)
            guard !overflow else { return lastTransaction }
            var walk = transactions(
                filter: TransactionFilter(before: .moment(Moment(microseconds: end))))
            return try walk.next()?.id ?? TransactionID(firstTransaction.rawValue - 1)
        }
    }

    /// The transaction behind which the oldest state lies that can be gone back to. Replays the log.
    public func oldestState() throws(InspectionError) -> TransactionID {
        let forgotten = try replay().timeline.forgotten.rawValue
        return TransactionID(max(firstTransaction.rawValue - 1, forgotten))
    }

    /// Transactions of a range that name an entity of one of the types, and those that change definitions, oldest
    /// first. Reads the range once.
    func transactions(
        touching types: Set<TypeNumber>, after oldest: TransactionID,
        through newest: TransactionID
    ) throws(InspectionError) -> [TransactionID] {
        var found: [TransactionID] = []
        guard oldest < newest else { return [] }
        do throws(ReplayFailure<InspectionError>) {
            try reader.forEachNewestFirst(from: LogSequence(newest.rawValue)) {
                logged throws(InspectionError) in
                guard logged.sequence.rawValue > oldest.rawValue else { return false }
                let view = try TransactionView(of: logged)
                let isCandidate =
                    view.header.purpose == .schema
                    || view.entities.contains { types.contains($0.type) }
                if isCandidate { found.append(view.id) }
                return true
            }
        } catch {
            throw error.inspectionError
        }
        return found.reversed()
    }
}
