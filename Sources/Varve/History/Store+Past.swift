internal import Foundation
internal import VarveEvents
public import VarveGraph
internal import VarveLog

/// How a state of the past is come to.
package enum PastRoute: Sendable {
    /// Whichever takes less work.
    case shorter
    /// From the newest state, by taking transactions back.
    case back
    /// From a checkpoint, or the empty store, by applying transactions again; where there is none that
    /// will do, as `back`.
    case forth
}

extension Store {
    /// The state at a point of the store's history: a context like any other, on which every query
    /// runs. Changing it changes nothing but the copy.
    ///
    /// The state is reached from the newest one, from a checkpoint or from the empty store, whichever takes
    /// the least work.
    ///
    /// - Throws: ``StoreError/unknownTransaction(_:newest:)``; ``StoreError/belowFloor(_:floor:)``
    ///   where history does not go back so far; ``StoreError/unknownSavepoint(_:)``.
    /// - Complexity: that of the changes since, which are reverted one after the other; or that of
    ///   reading a checkpoint and applying or reverting the changes from there, where these are fewer. A state behind the
    ///   newest checkpoint takes no more than opening the store, one before it no more than reading the log again.
    public func context(asOf point: HistoryPoint) throws -> Context {
        try context(asOf: point, .shorter)
    }

    package func context(asOf point: HistoryPoint, _ route: PastRoute) throws -> Context {
        let current = published.current
        return try readingHistory { history in
            let id = try history.transaction(at: point, current)
            return try state(behind: id, from: current, history, route).context
        }
    }

    /// The state behind a transaction that led to `current` or to a state before it.
    func state(
        behind transaction: TransactionID, from current: StoreState, _ history: LogHistory,
        _ route: PastRoute = .shorter
    ) throws -> StoreState {
        guard transaction < current.lastTransaction else { return current }
        var migrations = published.current.pastMigrations
        if transaction < migrations.newest {
            migrations = try history.migrations(behind: published.current)
        }
        var history = history
        while true {
            let way: PastWay? =
                transaction < migrations.newest
                ? nil : history.way(to: transaction, of: current, route)
            // Not below: no other way leads from tables that are lost.
            if way?.start == .newest { try opener.waiting.check(current.context) }
            do {
                var past =
                    if let way {
                        try past(behind: transaction, by: way, from: current, history)
                    } else {
                        try opener.state(
                            behind: transaction, through: migrations, current, history)
                    }
                past.completeLinks(behind: transaction)
                return past
            } catch StoreError.log(let error) where history.avoidsCheckpoint(after: error) {
                // Gone, or found damaged when a block was read. Other ways need none of it.
                opener.notePast(error)
            }
        }
    }

    private func past(
        behind transaction: TransactionID, by way: PastWay, from current: StoreState,
        _ history: LogHistory
    ) throws -> StoreState {
        if way.start == .newest { return try history.past(transaction, of: current) }
        return try opener.state(behind: transaction, by: way, current, history)
    }

    /// How much work looking at a point takes: rows read from a checkpoint, and events, weighted.
    package func work(asOf point: HistoryPoint) throws -> UInt64 {
        let current = published.current
        return try readingHistory { history in
            let id = try history.transaction(at: point, current)
            var way = history.way(to: id, of: current, .shorter)
            try way.count(history, upTo: .max)
            return way.wholeWork ?? 0
        }
    }

    /// Lets the body read the transactions of the store's log, on this thread.
    ///
    /// In a store that is only read, a compaction of the writing process may remove files between the
    /// look at them and their reading. Another look finds what replaced them; history that went with
    /// them is below the floor then.
    func readingHistory<Result>(_ body: (LogHistory) throws -> Result) throws -> Result {
        let forgotten = published.timeline.forgotten
        if let writer { return try body(try writer.history(forgotten: forgotten)) }
        return try opener.lookingAgain {
            try body(try LogHistory(LogMoment(opener.look()), forgotten: forgotten))
        }
    }
}

extension LogHistory {
    /// The state behind a transaction that led to `current`, by reverting what came since.
    func past(_ transaction: TransactionID, of current: StoreState) throws -> StoreState {
        guard transaction < current.lastTransaction else { return current }
        let undone = (transaction.rawValue + 1)...current.lastTransaction.rawValue
        var state = try StateReversal.past(
            undone.reversed().map { TransactionID($0) }, of: current.logged, self)
        state.lastTransaction = transaction
        return state
    }
}
