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

    /// The state before transactions, newest first, of which the newest led to `state`.
    static func past(
        _ transactions: [TransactionID], of state: StoreState, _ history: LogHistory
    ) throws -> StoreState {
        try run(transactions, state, .exact, history, running: nil).state
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
        let links = LinkHistory(history, state, running)
        let reversal = Reversal(
            ReversedState(state), mode, catalog: state.catalog, running: running?.id ?? 0
        ) { transaction, holder, relation in
            links.linked(since: transaction, holder, relation: relation)
        }
        for id in transactions {
            try history.with(id) { view in
                do throws(ReversalError) {
                    try reversal.takeBack(view)
                } catch {
                    throw StoreError.inconsistent(transaction: id, reason: "\(error)")
                }
            }
        }
        if let failure = links.failure { throw failure }
        reversal.checkUniqueValues()
        state = reversal.target.state
        state.context.end(mark)
        return (state, reversal.conflicts)
    }
}

/// Looks up which links transactions have added.
private final class LinkHistory {
    private let history: LogHistory
    private let state: StoreState
    private let running: TransactionHeader?
    private(set) var failure: (any Error)?

    init(_ history: LogHistory, _ state: StoreState, _ running: TransactionHeader?) {
        self.running = running
        self.history = history.another()
        self.state = state
    }

    /// The slots that transactions behind `transaction` have put into a list. It is looked at as
    /// well: what it took out of the list, and its taking back has returned, was there before.
    func linked(
        since transaction: TransactionID, _ holder: EntityPlace, relation: Int
    ) -> Set<UInt32> {
        do {
            return try read(transaction, holder, relation)
        } catch {
            failure = failure ?? error
            return []
        }
    }

    private func read(
        _ oldest: TransactionID, _ holder: EntityPlace, _ relation: Int
    ) throws -> Set<UInt32> {
        let table = state.context.tables.tables[holder.table]
        guard let definition = state.schema.definitions[holder.table] else { return [] }
        let children = state.context.tables.tables[table.relations[relation].childTable]
        var id = ByteWriter()
        try table.descriptor.operations.storeID(table, Slot(holder.slot), &id)
        var scan = LinkScan(
            of: definition.number, holder: id.copyBytes(),
            relation: definition.relations[relation].number, running: running)
        try history.forEach(from: oldest) { view in
            try scan.take(view)
            return true
        }
        var found: Set<UInt32> = []
        for target in scan.targets {
            let slot = try target.withReader { reader throws(CodecError) in
                try children.descriptor.operations.find(children, reader.rest)
            }
            if let slot { found.insert(slot.rawValue) }
        }
        return found
    }
}
