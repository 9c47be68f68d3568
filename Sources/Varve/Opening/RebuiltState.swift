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

    /// What another course of the log does not have, which a backup that was restored over the store may hold.
    private struct Identity: Equatable {
        let transaction: TransactionID
        let time: Timestamp
        let definitions: [TypeDefinition]
        let counts: [TypeCounts]

        init(_ state: State) {
            transaction = state.lastTransaction
            time = state.lastTime
            definitions = state.catalog.definitions
            counts = definitions.map { state.counts(of: $0.number) }
        }
    }

    private let identity: Identity
    private let opening: StoreOpening
    /// Held while the state is made, so that all tables that need it wait for one.
    private let course = Lock(Course())

    /// - Parameter state: what the tables are filled from first.
    init(_ state: State, _ opening: StoreOpening) {
        identity = Identity(state)
        self.opening = opening.withoutProgress
    }

    /// The state that takes the place of one that cannot be read.
    ///
    /// - Parameters:
    ///   - attempts: how many states were given to the caller before.
    ///   - error: why the last of them cannot be read. Where it says nothing of a checkpoint, or no other files lead to the
    ///     state, it is thrown: it names file and offset.
    func state(behind attempts: Int, after error: StoreError) throws(StoreError) -> State {
        guard case .log(let cause) = error, cause.isAboutCheckpoint else { throw error }
        let made: State? = course.withLock { course in
            if course.causes.count > attempts, let state = course.state { return state }
            do throws(StoreError) {
                let state = try make(avoiding: course.causes + [cause])
                course.causes.append(cause)
                course.state = state
                opening.health.noticeLate(cause)
                return state
            } catch {
                opening.health.note(cause)
                return nil
            }
        }
        opening.log?.damage(cause)
        guard let made else { throw error }
        return made
    }

    private func make(avoiding causes: [LogError]) throws(StoreError) -> State {
        try opening.typed {
            try opening.lookingAgain {
                let scanned = try opening.scan(.readOnly)
                var choice = CheckpointChoice(
                    in: scanned, through: LogSequence(identity.transaction.rawValue),
                    avoiding: causes)
                while true {
                    do {
                        return try make(of: scanned, choice)
                    } catch StoreError.log(let error) where choice.goesOn(after: error) {
                        continue
                    }
                }
            }
        }
    }

    private func make(
        of scanned: ScannedLog, _ choice: CheckpointChoice
    ) throws(StoreError) -> State {
        let made: (state: State, start: LogStart)
        do throws(ReplayFailure<RecordError>) {
            made = try scanned.state(behind: identity.transaction, choice)
        } catch {
            throw error.storeError
        }
        guard Identity(made.state) == identity else {
            throw .log(.noSuchTransaction(LogSequence(identity.transaction.rawValue)))
        }
        opening.health.note(
            scanned.report(startingFrom: made.start), startingFrom: made.start.checkpoint)
        let names = scanned.fileNames
        opening.health.noteReplacement { names.contains($0) }
        return made.state
    }
}
