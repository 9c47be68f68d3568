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
    /// Whether another state is to be made of the files: the log took another course, or the state cannot be read any further.
    private(set) var isAtItsEnd = false

    init(_ state: State, _ log: LogFollower) {
        (self.state, self.log) = (state, log)
    }

    /// Applies what the log has behind the state.
    ///
    /// - Parameter limit: of transactions.
    /// - Throws: also where the log follower is behind records that the state lacks then; see ``isAtItsEnd``.
    func advance(limit: Int = .max) throws(StoreError) -> LogFollower.Outcome {
        let transaction = StateTransaction(state)
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
                keep(transaction.publish())
            }
            throw error.storeError
        }
        switch outcome {
        case .rewound, .gap: isAtItsEnd = true
        case .upToDate, .more: keep(transaction.publish())
        }
        return outcome
    }

    /// Makes the indexes that the state lacks: one that no checkpoint is under, or one of another app, has none.
    ///
    /// - Parameters:
    ///   - keyBytesMax: how many bytes of keys may be in memory.
    ///   - isCancelled: asked now and then; then some indexes may be missing.
    func makeIndexes(
        _ wanted: [TypeNumber: [IndexDeclaration]], keyBytesMax: Int, isCancelled: () -> Bool
    ) throws(StoreError) {
        let isComplete = wanted.allSatisfy { type, declarations in
            Set(state.declaredIndexes(of: type)) == Set(declarations)
        }
        if isComplete { return }
        let transaction = StateTransaction(state)
        var building = IndexBuilding(in: transaction, wanted: wanted, keyBytesMax: keyBytesMax)
        while building.advance() {
            if isCancelled() { return transaction.rollBack() }
            transaction.evictPages()
        }
        keep(transaction.publish())
        guard state.damage != nil else { return }
        try StoreError.wrapping { () throws(LogError) in try transaction.checkBlocks() }
    }

    /// Blocks of the checkpoint under a state that could not be read make it the last one.
    private func keep(_ next: State) {
        state = next
        isAtItsEnd = next.damage != nil
    }
}
