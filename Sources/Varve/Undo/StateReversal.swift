internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Takes transactions back from a store's state.
enum StateReversal {
    /// Takes transactions, newest first, back from the newest state, as changes of the running
    /// transaction. Throws ``StoreError/conflicts(_:)`` where something stands against it.
    static func takeBack(
        _ transactions: [TransactionID], from state: inout StoreState, _ history: LogHistory,
        running: TransactionHeader, memory: ReversalMemory, force: Bool
    ) throws {
        let (target, conflicts) = try run(
            transactions, &state, .head(force: force), history, running: running, memory: memory)
        target.hand(to: &state)
        let standing = force ? conflicts.filter(\.isFinal) : conflicts
        guard standing.isEmpty else {
            throw StoreError.conflicts(standing.map(UndoConflict.init))
        }
    }

    /// Returns to the state before transactions, newest first, of which the newest led to `state`, with both sides
    /// of all links, by changes of the running transaction. Throws ``StoreError/conflicts(_:)`` where that would
    /// change what belongs to a newer version of the app, or break a constraint of this one.
    static func rewind(
        _ transactions: [TransactionID], from state: inout StoreState, _ history: LogHistory,
        running: TransactionHeader, memory: ReversalMemory
    ) throws {
        let (target, conflicts) = try run(
            transactions, &state, .rewind, history, running: running, memory: memory)
        target.stampChanges()
        target.hand(to: &state)
        if let oldest = transactions.last {
            // Of then, the log may know one side only.
            NewInverses(
                in: state.context, catalog: state.catalog,
                behind: TransactionID(oldest.rawValue - 1)
            ).complete(&state.context)
        }
        guard conflicts.isEmpty else {
            throw StoreError.conflicts(conflicts.map(UndoConflict.init))
        }
    }

    /// The state before transactions, newest first, of which the newest led to `state`.
    static func past(
        _ transactions: [TransactionID], of state: StoreState, _ history: LogHistory
    ) throws -> StoreState {
        var state = state
        try run(
            transactions, &state, .past, history, running: nil, memory: ReversalMemory()
        ).target.hand(to: &state)
        return state
    }

    /// Brings back an entity that a transaction deleted, or all that was deleted with it. Returns the links
    /// that are not visible yet.
    static func restore(
        _ entity: (type: TypeNumber?, id: [UInt8]), isWhole: Bool,
        deletedIn transaction: TransactionID, in state: inout StoreState, _ history: LogHistory,
        running: TransactionID
    ) throws -> [HiddenLink] {
        guard let type = entity.type else { return [] }
        let origin = try DeletionOrigin(of: transaction, floor: history.floor) { id, body in
            try history.another().with(id, body)
        }
        let way = try ReversalWay([transaction], state, history)
        let target = ReversedState(state)
        let mark = target.begin()
        let reversal = Reversal(
            target, .head(force: true), catalog: way.catalog, running: running)
        try way.history.with(transaction) { view in
            let selection = try origin.selection(of: (type, entity.id), isWhole: isWhole, in: view)
            do throws(ReversalError) {
                try reversal.takeBack(view, selection: selection)
            } catch {
                throw StoreError(error, in: transaction)
            }
        }
        if let value = target.refused { throw StoreError.unreadable(value) }
        reversal.checkConstraints()
        let standing = reversal.conflicts.filter { $0.isFinal || $0.reason == .exists }
        guard standing.isEmpty else {
            throw StoreError.conflicts(standing.map(UndoConflict.init))
        }
        try target.keepForms()
        target.end(mark)
        let hidden = reversal.hiddenLinks
        target.hand(to: &state)
        return hidden
    }

    /// Takes the state over, which the target hands back; where this throws, it is back.
    private static func run(
        _ transactions: [TransactionID], _ state: inout StoreState,
        _ mode: Reversal<ReversedState>.Mode, _ history: LogHistory,
        running: TransactionHeader?, memory: ReversalMemory
    ) throws -> (target: ReversedState, conflicts: [ReversalConflict]) {
        let isPast = if case .past = mode { true } else { false }
        let way = isPast ? nil : try ReversalWay(transactions, state, history)
        if case .head = mode, let refusal = way?.refusal(of: transactions) { throw refusal }
        let target = ReversedState(taking: &state, withholdsRows: isPast)
        do {
            let conflicts = try takeBack(
                transactions, from: target, mode, catalog: way?.catalog ?? state.catalog,
                state.timeline, way?.history ?? history, running: running,
                memory: way?.past == nil ? memory : ReversalMemory())
            return (target, conflicts)
        } catch {
            target.hand(to: &state)
            throw error
        }
    }

    private static func takeBack(
        _ transactions: [TransactionID], from target: ReversedState,
        _ mode: Reversal<ReversedState>.Mode, catalog: Catalog, _ timeline: Timeline,
        _ history: LogHistory,
        running: TransactionHeader?, memory: ReversalMemory
    ) throws -> [ReversalConflict] {
        let mark = target.begin()
        let later = running.map { running in
            LaterTransactions(
                transactions, running: running, timeline: timeline,
                newest: TransactionID(running.id.rawValue - 1), floor: history.floor,
                catalog: catalog
            ) { oldest, body in
                try history.another().forEach(from: oldest, body)
            } readingBack: { newest, body in
                try history.another().forEachNewestFirst(from: newest, body)
            }
        }
        let reversal = Reversal(
            target, mode, catalog: catalog, running: running?.id ?? 0,
            later: later, memory: memory)
        try history.forEach(of: transactions) { view in
            do throws(ReversalError) {
                try reversal.takeBack(view)
            } catch {
                throw StoreError(error, in: view.id)
            }
        }
        if let failure = later?.failure { throw failure }
        if let value = target.refused { throw StoreError.unreadable(value) }
        reversal.checkConstraints()
        // Also of a past state: others are reached from it.
        try target.keepForms()
        target.end(mark)
        return reversal.conflicts
    }
}
