internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay

extension StoreOpening {
    /// The state behind a transaction, from a checkpoint before it; nil where that turns out to be
    /// gone or damaged, which the way back from the newest state does not need.
    func context(
        of transaction: TransactionID, from start: CheckpointReference?, _ current: StoreState,
        _ history: LogHistory, _ mode: Store.Mode
    ) throws -> Context? {
        let replayed: ReplayState
        do throws(LogError) {
            replayed =
                try start.map { reference throws(LogError) in
                    try history.open(reference).loadState()
                } ?? ReplayState()
        } catch .checkpointDamaged {
            return nil
        } catch {
            throw StoreError.log(error)
        }
        let first = TransactionID(replayed.lastTransaction.rawValue + 1)
        if first <= transaction {
            try history.forEach(from: first) { view in
                do throws(ReplayError) {
                    try replayed.apply(view)
                } catch {
                    throw StoreError.inconsistent(transaction: view.id, reason: "\(error)")
                }
                return view.id < transaction
            }
        }
        // Also with the types that were first saved after the store was opened.
        let types = current.context.tables.tables.map(\.descriptor)
            .filter { $0.tombstoneOwner == nil }.map(\.type)
        let opening = StoreOpening(
            fileSystem: fileSystem, environment: environment, configuration: configuration,
            types: types)
        // As the newest state was read, from which the other way leads here.
        return switch mode {
        case .readWrite: try opening.hydrate(replayed).context
        case .readOnly: try opening.hydrateForReading(replayed).context
        }
    }
}

extension LogHistory {
    /// The checkpoint from which a state of the past is nearer than from the newest state, by the
    /// bytes that have to be read; an inner nil for the empty store before the first transaction.
    ///
    /// None where a type was defined anew since: rows of then are of another form, and are read through
    /// the newest one on the way back only.
    func start(
        for transaction: TransactionID, of current: StoreState, evenIfFarther: Bool
    ) throws(StoreError) -> CheckpointReference?? {
        let sequence = LogSequence(transaction.rawValue)
        guard transaction < current.lastTransaction,
            current.catalog.newestRevision <= transaction
        else { return nil }
        var bound =
            evenIfFarther
            ? UInt64.max
            : snapshot.bytes(
                behind: sequence, through: LogSequence(current.lastTransaction.rawValue))
        var found: CheckpointReference??
        func consider(_ start: CheckpointReference?, _ size: UInt64) {
            let behind: LogSequence = start?.sequence ?? LogSequence.none
            guard behind <= sequence,
                behind == sequence || TransactionID(behind.rawValue).isReachable(from: floor)
            else { return }
            let cost = size + snapshot.bytes(behind: behind, through: sequence)
            guard cost < bound else { return }
            (bound, found) = (cost, .some(start))
        }
        for checkpoint in checkpoints {
            // Its size stands in its file, which is opened only where the rest is near enough.
            guard checkpoint.sequence <= sequence,
                snapshot.bytes(behind: checkpoint.sequence, through: sequence) < bound
            else { continue }
            do throws(LogError) {
                consider(checkpoint, try open(checkpoint).length.rawValue)
            } catch .checkpointDamaged {
                // Other ways need none of it.
                continue
            } catch {
                throw .log(error)
            }
        }
        if snapshot.firstSequence == LogSequence(1) { consider(nil, 0) }
        return found
    }
}

extension Catalog {
    /// The newest transaction that defined a type, or defined one anew.
    fileprivate var newestRevision: TransactionID { revisions.last?.since ?? 0 }
}
