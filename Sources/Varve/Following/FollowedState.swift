internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// A state that follows the end of a log: each transaction is read once, and applied.
///
/// Not thread-safe: its owner lets one thread in at a time. States that were returned before may be read meanwhile, through
/// ``StoreOpening/limited(_:)`` where their images are limited.
final class FollowedState {
    let log: LogFollower
    private(set) var state: State
    /// The image that the state was opened from, which the next one copies unchanged blocks of; nil where there was none.
    let image: StoredImage?
    /// What that notes of rows that were tried, with what was set behind it.
    private(set) var tried: TriedRows?
    /// What was set behind the state that a checkpoint is made of, of types whose rows are tried.
    private(set) var setRows: SetRows?
    /// Whether another state is to be made of the files: the log took another course, or the state cannot be read any further.
    private(set) var isAtItsEnd = false

    init(
        _ state: State, _ log: LogFollower, image: StoredImage? = nil, tried: TriedRows? = nil
    ) {
        (self.state, self.log, self.image, self.tried) = (state, log, image, tried)
    }

    /// Applies what the log has behind the state.
    ///
    /// - Parameter limit: of transactions.
    /// - Throws: also where the log follower is behind records that the state lacks then; see ``isAtItsEnd``.
    func advance(limit: Int = .max) throws(StoreError) -> LogFollower.Outcome {
        let transaction = StateTransaction(state)
        let types = [tried?.setRows, setRows].compactMap { $0?.types }.joined()
        transaction.setRows = types.isEmpty ? nil : SetRows(of: types)
        let outcome: LogFollower.Outcome
        do throws(ReplayFailure<RecordError>) {
            outcome = try log.poll(limit: limit) { record throws(RecordError) in
                try transaction.take(record)
                transaction.evictPages()
            }
        } catch {
            if case .consumer = error {
                isAtItsEnd = true
                defer { transaction.rollBack() }
                // What does not fit may be the block's fault.
                try StoreError.wrapping { () throws(LogError) in try transaction.checkBlocks() }
            } else {
                // What was read before the error is whole. What was not read is read the next time.
                keep(transaction)
            }
            throw error.storeError
        }
        switch outcome {
        case .rewound, .gap: isAtItsEnd = true
        case .upToDate, .more: keep(transaction)
        }
        return outcome
    }

    /// Applies what the log has through a transaction. False where another state is to be made of the files.
    func advance(
        through last: TransactionID, isCancelled: () -> Bool
    ) throws(StoreError) -> Bool {
        guard !isAtItsEnd else { return false }
        while state.lastTransaction < last, !isCancelled() {
            let missing = last.rawValue - state.lastTransaction.rawValue
            switch try advance(limit: min(Int(missing), Self.transactionsPerLook)) {
            case .more: continue
            case .upToDate: return true
            // What it would go on with was dropped by a compaction.
            case .rewound, .gap: return false
            }
        }
        return true
    }

    /// How many transactions are applied before it is asked whether to go on.
    private static let transactionsPerLook = 16_384

    /// Makes the indexes that the state lacks: one that no checkpoint is under, or one of another app, has none.
    ///
    /// - Parameters:
    ///   - keyBytesMax: how many bytes of keys may be in memory.
    ///   - isCancelled: asked now and then; then some indexes may be missing.
    func makeIndexes(
        _ wanted: [TypeNumber: [IndexDeclaration]], keyBytesMax: Int, isCancelled: () -> Bool
    ) throws(StoreError) {
        if hasIndexes(wanted) { return }
        let transaction = StateTransaction(state)
        var building = IndexBuilding(in: transaction, wanted: wanted, keyBytesMax: keyBytesMax)
        while building.advance() {
            if isCancelled() { return transaction.rollBack() }
            transaction.evictPages()
        }
        keep(transaction)
        guard state.damage != nil else { return }
        try StoreError.wrapping { () throws(LogError) in try transaction.checkBlocks() }
    }

    /// Notes from now on which rows are set.
    func noteSetRows(of types: [TypeNumber]) { setRows = SetRows(of: types) }

    /// Forgets what cannot be undone any more.
    func trimTimeline(below floor: TransactionID) { state = state.trimmingTimeline(below: floor) }

    /// Whether the state has the indexes that are wanted, and no tree that this program cannot use.
    func hasIndexes(_ wanted: [TypeNumber: [IndexDeclaration]]) -> Bool {
        !state.hasStaleIndexes
            && wanted.allSatisfy { type, declarations in
                Set(state.declaredIndexes(of: type)) == Set(declarations)
            }
    }

    /// Blocks of the checkpoint under a state that could not be read make it the last one.
    private func keep(_ transaction: StateTransaction) {
        if let rows = transaction.setRows {
            tried?.note(rows)
            setRows?.formUnion(rows)
        }
        state = transaction.publish()
        isAtItsEnd = state.damage != nil
    }
}
