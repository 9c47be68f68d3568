internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// The state that waiting tables are filled from, made again of other files where the checkpoint under it turns out
/// damaged: of the checkpoint before it and the log from there, or of the whole log.
///
/// A table that waits has not changed since the opening. So what fills it is the state behind the transaction that the
/// opening saw, whatever was written since, and by which process.
final class RebuiltState: Sendable {
    private struct Course {
        /// What led to each attempt.
        var causes: [LogError] = []
        /// Of the last attempt; nil before the first.
        var state: State?
    }

    private let transaction: TransactionID
    private let opening: StoreOpening
    /// Held while the state is made, so that all tables that need it wait for one.
    private let course = Lock(Course())

    /// - Parameter state: what the tables are filled from first.
    init(_ state: State, _ opening: StoreOpening) {
        transaction = state.lastTransaction
        self.opening = opening.withoutProgress
    }

    /// The state that takes the place of one that cannot be read.
    ///
    /// - Parameters:
    ///   - attempts: how many states were given to the caller before.
    ///   - error: why the last of them cannot be read. Where it says nothing of a checkpoint, it is thrown.
    func state(behind attempts: Int, after error: StoreError) throws(StoreError) -> State {
        guard case .log(let cause) = error, cause.isAboutCheckpoint else { throw error }
        let made: Result<State, StoreError> = course.withLock { course in
            if course.causes.count > attempts, let state = course.state { return .success(state) }
            do throws(StoreError) {
                let state = try make(avoiding: course.causes + [cause])
                course.causes.append(cause)
                course.state = state
                return .success(state)
            } catch {
                opening.noteLate(cause, .none)
                return .failure(error)
            }
        }
        return try made.get()
    }

    private func make(avoiding causes: [LogError]) throws(StoreError) -> State {
        try opening.typed {
            try opening.lookingAgain {
                let scanned = try opening.scan(.readOnly)
                var choice = CheckpointChoice(
                    in: scanned, through: LogSequence(transaction.rawValue), avoiding: causes)
                while true {
                    do {
                        let (state, start) = try make(of: scanned, choice)
                        for cause in causes {
                            opening.noteLate(cause, .rebuilt(from: start.checkpoint?.file.text))
                        }
                        return state
                    } catch StoreError.log(let error) where choice.goesOn(after: error) {
                        continue
                    }
                }
            }
        }
    }

    private func make(
        of scanned: ScannedLog, _ choice: CheckpointChoice
    ) throws(StoreError) -> (state: State, start: LogStart) {
        do throws(ReplayFailure<RecordError>) {
            return try scanned.state(behind: transaction, choice)
        } catch {
            throw error.storeError
        }
    }
}

extension StoreOpening {
    /// Notes damage that what reads a context has met.
    fileprivate func noteLate(_ error: LogError, _ repair: StoreHealth.Repair) {
        health.noteLate(error, repair)
        log?.damage(error)
    }
}
