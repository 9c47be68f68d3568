internal import Foundation
internal import VarveEvents
public import VarveGraph
internal import VarveLog

extension Store {
    /// The state at a point of the store's history: a context like any other, on which every query
    /// runs. Changing it changes nothing but the copy.
    ///
    /// - Throws: ``StoreError/unknownTransaction(_:newest:)``; ``StoreError/belowFloor(_:floor:)``
    ///   where history does not go back so far; ``StoreError/unknownSavepoint(_:)``.
    /// - Complexity: that of the changes since, which are taken back one after the other.
    public func context(asOf point: HistoryPoint) throws -> Context {
        let current = published.current
        let history = try history()
        return try past(try history.transaction(at: point, current), of: current, history).context
    }

    /// The transactions of the store's log, for this thread.
    func history() throws -> LogHistory {
        let forgotten = published.current.timeline.forgotten
        if let writer { return try writer.history(forgotten: forgotten) }
        return LogHistory(try opening.look().snapshot, nil, forgotten: forgotten)
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
