internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension StoreOpening {
    /// The state behind a transaction, by a way that begins with a checkpoint or the empty store.
    func state(
        behind transaction: TransactionID, by way: PastWay, _ current: StoreState,
        _ history: LogHistory
    ) throws -> StoreState {
        var replayed = try Self.load(way.start, history, memory.replay)
        if way.isForward, let transactions = way.transactions {
            replayed = try Self.apply(transactions, to: replayed, history)
        }
        let state = try opener(of: current).hydrate(
            replayed, mayWait: history.leadsForth(to: way.start))
        return try history.past(transaction, of: state)
    }

    /// The state behind a transaction from before a migration.
    func state(
        behind transaction: TransactionID, through past: PastMigrations, _ current: StoreState,
        _ history: LogHistory
    ) throws -> StoreState {
        let walk = try PastWalk(notBefore: past.newest, current.catalog, history)
        try walk.goBack(to: transaction)
        try walk.migrate(through: past)
        var state = try opener(of: current).hydrate(walk.finish(), mayWait: false)
        state.lastTransaction = transaction
        return state
    }

    /// Opens states also with the types that were first saved after the store was opened.
    func opener(of current: StoreState) -> StoreOpening {
        let types = current.context.tables.tables.unfilled.map(\.descriptor)
            .filter { $0.tombstoneOwner == nil }.map(\.type)
        return StoreOpening(
            fileSystem: fileSystem, environment: environment, configuration: configuration,
            types: types, assets: assets, migrations: migrations, log: log,
            waitingSlotsMin: waitingSlotsMin, counters: counters, health: health,
            waiting: waiting, memory: memory)
    }

    static func load(
        _ start: PastWay.Start, _ history: LogHistory, _ memory: ReplayMemory?
    ) throws(StoreError) -> State {
        guard case .checkpoint(let reference) = start else { return State(memory: memory) }
        return try StoreError.wrapping { () throws(LogError) in
            try history.open(reference).load(memory: memory).state
        }
    }

    /// Notes a checkpoint that the way to a state of the past cannot use. One that a compaction has removed is no
    /// damage.
    func notePast(_ error: LogError) {
        guard let file = error.damagedFile, (try? fileSystem.identity(of: file.name)) != nil
        else { return }
        health.note(error, .rebuilt(from: nil))
        log?.damage(error)
    }

    /// The state behind further transactions: those that come next.
    static func apply(
        _ transactions: ClosedRange<TransactionID>, to replayed: State, _ history: LogHistory
    ) throws -> State {
        try replayed.changed { transaction throws(any Error) in
            try history.forEach(from: transactions.lowerBound) { view in
                do throws(ReplayError) {
                    try transaction.apply(view)
                } catch {
                    try StoreError.wrapping { () throws(LogError) in
                        try transaction.checkBlocks()
                    }
                    throw StoreError.inconsistent(transaction: view.id, reason: "\(error)")
                }
                return view.id < transactions.upperBound
            }
        }
    }
}
