internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Takes transactions back from a store's state.
enum StateReversal {
    /// Takes transactions, newest first, back from the newest state, as changes of the running
    /// transaction. Throws ``StoreError/conflicts(_:)`` where something stands against it.
    static func takeBack(
        _ transactions: [TransactionID], from state: inout StoreState, _ history: LogHistory,
        running: TransactionHeader, force: Bool
    ) throws {
        let (result, conflicts) = try run(
            transactions, state, .head(force: force), history, running: running)
        let standing = force ? conflicts.filter(\.isFinal) : conflicts
        guard standing.isEmpty else {
            throw StoreError.conflicts(standing.map(UndoConflict.init))
        }
        state = result
    }

    /// Returns to the state before transactions, newest first, of which the newest led to `state`, by
    /// changes of the running transaction. Throws ``StoreError/conflicts(_:)`` where that would
    /// change what belongs to a newer version of the app, or break a constraint of this one.
    static func rewind(
        _ transactions: [TransactionID], from state: inout StoreState, _ history: LogHistory,
        running: TransactionHeader
    ) throws {
        let (result, conflicts) = try run(
            transactions, state, .rewind, history, running: running)
        guard conflicts.isEmpty else {
            throw StoreError.conflicts(conflicts.map(UndoConflict.init))
        }
        var target = ReversedState(result)
        target.stampChanges()
        state = target.state
    }

    /// The state before transactions, newest first, of which the newest led to `state`.
    static func past(
        _ transactions: [TransactionID], of state: StoreState, _ history: LogHistory
    ) throws -> StoreState {
        try run(transactions, state, .past, history, running: nil).state
    }

    /// Brings back an entity that a transaction deleted, or all that was deleted with it.
    static func restore(
        _ entity: (type: TypeNumber?, id: [UInt8]), isWhole: Bool,
        deletedIn transaction: TransactionID, in state: inout StoreState, _ history: LogHistory,
        running: TransactionID
    ) throws {
        guard let type = entity.type else { return }
        let origin = try DeletionOrigin(of: transaction, floor: history.floor) { id, body in
            try history.another().with(id, body)
        }
        let mark = state.context.begin()
        let reversal = Reversal(
            ReversedState(state), .head(force: true), catalog: state.catalog, running: running)
        try history.with(transaction) { view in
            let selection = try origin.selection(of: (type, entity.id), isWhole: isWhole, in: view)
            do throws(ReversalError) {
                try reversal.takeBack(view, selection: selection)
            } catch {
                throw StoreError.inconsistent(transaction: transaction, reason: "\(error)")
            }
        }
        reversal.checkUniqueValues()
        let standing = reversal.conflicts.filter { $0.isFinal || $0.reason == .exists }
        guard standing.isEmpty else {
            throw StoreError.conflicts(standing.map(UndoConflict.init))
        }
        try reversal.target.keepForms()
        state = reversal.target.state
        state.context.end(mark)
    }

    private static func run(
        _ transactions: [TransactionID], _ state: StoreState,
        _ mode: Reversal<ReversedState>.Mode, _ history: LogHistory,
        running: TransactionHeader?
    ) throws -> (state: StoreState, conflicts: [ReversalConflict]) {
        var state = state
        let mark = state.context.begin()
        let another = history.another()
        let later = LaterTransactions(running: running) { oldest, body in
            try another.forEach(from: oldest, body)
        }
        let reversal = Reversal(
            ReversedState(state), mode, catalog: state.catalog, running: running?.id ?? 0,
            later: later, layouts: history.layouts)
        try history.forEach(of: transactions) { view in
            do throws(ReversalError) {
                try reversal.takeBack(view)
            } catch {
                throw StoreError.inconsistent(transaction: view.id, reason: "\(error)")
            }
        }
        if let failure = later.failure { throw failure }
        reversal.checkUniqueValues()
        // Also of a past state: others are reached from it.
        try reversal.target.keepForms()
        state = reversal.target.state
        state.context.end(mark)
        return (state, reversal.conflicts)
    }
}
