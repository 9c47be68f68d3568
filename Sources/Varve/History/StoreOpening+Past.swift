internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay

extension StoreOpening {
    /// The state behind a transaction, by a way that begins with a checkpoint or the empty store; nil
    /// where the checkpoint turns out to be gone or damaged, which the way back from the newest state does not
    /// need.
    func state(
        behind transaction: TransactionID, by way: PastWay, _ current: StoreState,
        _ history: LogHistory
    ) throws -> StoreState? {
        guard let replayed = try Self.load(way.start, history) else { return nil }
        if way.isForward, let transactions = way.transactions {
            try Self.apply(transactions, to: replayed, history)
        }
        // Also with the types that were first saved after the store was opened.
        let types = current.context.tables.tables.map(\.descriptor)
            .filter { $0.tombstoneOwner == nil }.map(\.type)
        let opener = StoreOpening(
            fileSystem: fileSystem, environment: environment, configuration: configuration,
            types: types)
        return try history.past(transaction, of: try opener.hydrate(replayed))
    }

    private static func load(
        _ start: PastWay.Start, _ history: LogHistory
    ) throws(StoreError) -> ReplayState? {
        guard case .checkpoint(let reference) = start else { return ReplayState() }
        do throws(LogError) {
            return try history.open(reference).loadState()
        } catch .checkpointDamaged {
            return nil
        } catch {
            throw .log(error)
        }
    }

    private static func apply(
        _ transactions: ClosedRange<TransactionID>, to replayed: ReplayState, _ history: LogHistory
    ) throws {
        try history.forEach(from: transactions.lowerBound) { view in
            do throws(ReplayError) {
                try replayed.apply(view)
            } catch {
                throw StoreError.inconsistent(transaction: view.id, reason: "\(error)")
            }
            return view.id < transactions.upperBound
        }
    }
}
