internal import VarveEvents
internal import VarveLog
internal import VarveReplay

/// A way to a state of the past: where it begins, and which transactions are applied or reverted from there.
struct PastWay: Sendable {
    enum Start: Sendable, Equatable {
        /// The newest state, which is in memory.
        case newest
        /// The empty store before the first transaction.
        case empty
        case checkpoint(CheckpointReference)
    }

    /// What an event costs, in rows that are read from a checkpoint. An event that is reverted is looked up, compared
    /// and logged for rollback in live tables; one that is applied changes encoded rows.
    private static let reversedWork: UInt64 = 6
    private static let appliedWork: UInt64 = 2

    let start: Start
    let isForward: Bool
    /// What is applied, or reverted.
    let transactions: ClosedRange<TransactionID>?
    /// Rows of the checkpoint and events that were counted so far, weighted.
    private(set) var work: UInt64
    /// The next transaction whose events are to be counted; nil when all are.
    private var next: TransactionID?

    /// - Parameters:
    ///   - rows: how many a checkpoint holds.
    ///   - behind: the transaction behind which the start lies.
    init(from start: Start, at behind: TransactionID, rows: UInt64 = 0, to target: TransactionID) {
        self.start = start
        isForward = behind <= target
        let (low, high) = (min(behind, target).rawValue, max(behind, target).rawValue)
        transactions =
            low == high ? nil : TransactionID(low + 1)...TransactionID(high)
        work = rows
        next = transactions?.lowerBound
    }

    /// The work, once all events are counted.
    var wholeWork: UInt64? { next == nil ? work : nil }

    /// Counts events until the work is more than `budget`.
    mutating func count(_ history: LogHistory, upTo budget: UInt64) throws {
        guard let first = next, let last = transactions?.upperBound, work <= budget else { return }
        let weight = isForward ? Self.appliedWork : Self.reversedWork
        try history.forEach(from: first) { view in
            work += weight * UInt64(view.eventCount)
            next = view.id < last ? TransactionID(view.id.rawValue + 1) : nil
            return next != nil && work <= budget
        }
    }

    /// The way with its events counted up to `budget`; nil where the log cannot be read there. What keeps it from being
    /// read is thrown when no other way is left.
    func counted(_ history: LogHistory, upTo budget: UInt64) -> PastWay? {
        var way = self
        do {
            try way.count(history, upTo: budget)
            return way
        } catch {
            return nil
        }
    }
}

extension LogHistory {
    /// The way to a state of the past that takes the least work, by the events of transactions and the rows of
    /// checkpoints. Bytes would say little: an import of a few transactions has many events.
    ///
    /// All ways are counted with the same budget, which grows until one of them fits: counting costs in
    /// proportion to the way that is taken, however long the others are. A way that cannot be read is none.
    func way(
        to transaction: TransactionID, of current: StoreState, _ route: PastRoute
    ) -> PastWay {
        let back = PastWay(from: .newest, at: current.lastTransaction, to: transaction)
        guard route != .back, transaction < current.lastTransaction else { return back }
        var budget: UInt64 = 256
        var ways: [PastWay] = []
        if route == .shorter, let near = back.counted(self, upTo: budget) {
            // The near past is not worth opening a checkpoint for.
            if let work = near.wholeWork, work <= budget { return near }
            ways.append(near)
        }
        let others = otherWays(to: transaction, of: current)
        ways += route == .forth ? others.filter(\.isForward) : others
        while ways.count > 1 {
            let readable = ways.compactMap { $0.counted(self, upTo: budget) }
            let whole = readable.compactMap { way in way.wholeWork.map { (work: $0, way: way) } }
            let best = whole.min { $0.work < $1.work }
            if let best, best.work <= budget { return best.way }
            ways = readable
            budget *= 4
        }
        return ways.first ?? back
    }

    /// Whether replaying the log leads to where a way begins, without the checkpoint there.
    func leadsForth(to start: PastWay.Start) -> Bool {
        guard case .checkpoint(let checkpoint) = start, snapshot.firstSequence > LogSequence(1)
        else { return true }
        return checkpoints.contains { $0.sequence < checkpoint.sequence }
    }

    /// The ways that begin with a checkpoint, or with the empty store.
    ///
    /// None begins before a type was defined anew: rows of then are of another form, and are read through the newest
    /// definition on the way back only.
    private func otherWays(to transaction: TransactionID, of current: StoreState) -> [PastWay] {
        let newestChange = current.catalog.newestChange
        var ways: [PastWay] = []
        for checkpoint in checkpoints {
            let behind = TransactionID(checkpoint.sequence.rawValue)
            guard behind < current.lastTransaction, newestChange <= behind,
                newestChange <= transaction || behind > transaction,
                behind >= transaction || behind.isReachable(from: floor)
            else { continue }
            do throws(LogError) {
                ways.append(
                    PastWay(
                        from: .checkpoint(checkpoint), at: behind,
                        rows: try open(checkpoint).rowCount(),
                        to: transaction))
            } catch {
                // Damaged, not readable now, or replaced by a compaction: other ways need none of it.
                continue
            }
        }
        if snapshot.firstSequence == LogSequence(1), floor == 1,
            newestChange <= transaction
        {
            ways.append(PastWay(from: .empty, at: 0, to: transaction))
        }
        return ways
    }
}

extension Catalog {
    /// The newest transaction that defined a type anew; 0 for none. What was defined since for the first time
    /// has no rows before.
    var newestChange: TransactionID {
        definitions.compactMap { definition in
            let revisions = revisions(of: definition.number)
            return revisions.count > 1 ? revisions.last?.since : nil
        }.max() ?? 0
    }
}
