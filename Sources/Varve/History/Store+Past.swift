internal import Foundation
internal import VarveEvents
public import VarveGraph
internal import VarveLog

/// How a state of the past is come to.
package enum PastRoute: Sendable {
    /// Whichever reads less.
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
    /// The near past is come to from the newest state, the far past from a checkpoint that is nearer to
    /// it, where there is one.
    ///
    /// - Throws: ``StoreError/unknownTransaction(_:newest:)``; ``StoreError/belowFloor(_:floor:)``
    ///   where history does not go back so far; ``StoreError/unknownSavepoint(_:)``.
    /// - Complexity: that of the changes since, which are taken back one after the other; or that of
    ///   reading a checkpoint and the changes behind it, where these are fewer bytes.
    public func context(asOf point: HistoryPoint) throws -> Context {
        try context(asOf: point, .shorter)
    }

    package func context(asOf point: HistoryPoint, _ route: PastRoute) throws -> Context {
        let current = published.current
        return try readingHistory { history in
            let id = try history.transaction(at: point, current)
            if route != .back,
                let start = try history.start(
                    for: id, of: current, evenIfFarther: route == .forth),
                let context = try opening.context(of: id, from: start, current, history, mode)
            {
                return context
            }
            return try past(id, of: current, history).context
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
        return try opening.lookingAgain {
            try body(try LogHistory(LogMoment(opening.look()), forgotten: forgotten))
        }
    }

    /// The state behind a transaction that led to `current` or to a state before it.
    func past(
        _ transaction: TransactionID, of current: StoreState, _ history: LogHistory
    ) throws -> StoreState {
        guard transaction < current.lastTransaction else { return current }
        let undone = (transaction.rawValue + 1)...current.lastTransaction.rawValue
        var state = try StateReversal.past(
            undone.reversed().map { TransactionID($0) }, of: current, history)
        state.lastTransaction = transaction
        return state
    }
}
