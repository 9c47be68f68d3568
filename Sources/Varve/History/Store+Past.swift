internal import Foundation
internal import VarveEvents
public import VarveGraph
internal import VarveLog

extension Store {
    /// The state at a point of the store's history: a context like any other, on which every query
    /// runs. Changing it changes nothing but the copy.
    ///
    /// - Throws: ``StoreError/unknownTransaction(_:newest:)``; ``StoreError/belowFloor(_:floor:)``
    ///   where history does not go back so far.
    /// - Complexity: that of the changes since, which are taken back one after the other.
    public func context(asOf point: HistoryPoint) throws -> Context {
        let current = published.current
        let history = try history()
        let transaction = try self.transaction(at: point, history, current.lastTransaction)
        return try past(transaction, of: current, history).context
    }

    /// The transaction behind which a point of history lies.
    func transaction(
        at point: HistoryPoint, _ history: LogHistory, _ newest: TransactionID
    ) throws -> TransactionID {
        switch point {
        case .transaction(let id):
            guard id <= newest else { throw StoreError.unknownTransaction(id, newest: newest) }
            let floor = history.floor
            guard id >= floor || id == newest || id.rawValue + 1 == floor.rawValue && floor == 1
            else { throw StoreError.belowFloor(id, floor: floor) }
            return id
        case .date(let date):
            if let found = try history.newest(notAfter: Timestamp(date), through: newest) {
                return found
            }
            guard history.floor == 1 else {
                throw StoreError.belowFloor(
                    TransactionID(history.floor.rawValue - 1), floor: history.floor)
            }
            return 0
        }
    }

    /// The transactions of the store's log, for this thread.
    func history() throws -> LogHistory {
        if let writer { return LogHistory(try writer.logSnapshot()) }
        return LogHistory(try opening.look().snapshot)
    }

    private func past(
        _ transaction: TransactionID, of current: StoreState, _ history: LogHistory
    ) throws -> StoreState {
        guard transaction < current.lastTransaction else { return current }
        let undone = (transaction.rawValue + 1)...current.lastTransaction.rawValue
        return try StateReversal.past(
            undone.reversed().map { TransactionID($0) }, of: current, history)
    }
}
