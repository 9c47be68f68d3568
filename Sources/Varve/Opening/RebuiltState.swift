internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// The state that waiting tables are filled from, made again of other files where the checkpoint under it turns out
/// damaged: of the checkpoint before it and the log from there, or of the whole log.
///
/// What a stored table reads from files is as of the opening, or of the renewal of tables; what was changed since is in leaves
/// of its own. So it is read of the state behind the transaction that this saw, whatever was written since, and by which
/// process.
final class RebuiltState: Sendable {
    private struct Course {
        /// What the tables are filled from.
        var state: State
        /// What led to each attempt to make it again.
        var causes: [LogError] = []
        /// Whether no other files lead to it: an attempt has failed, and another one would as well.
        var isLost = false
        /// Whether the checkpoint was compared before other files went.
        var isSecured = false
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
    /// An estimate of the bytes that a slot takes in a filled table.
    let bytesPerSlot: Int
    private let tables = Lock<[WaitingTable]>([])
    /// Held while the state is made, so that all tables that need it wait for one.
    private let course: Lock<Course>

    // Sendable unchecked: the lock around the tables guards the references.
    private struct WaitingTable: @unchecked Sendable {
        weak var table: StoredTable?
    }

    /// - Parameter state: what the tables are filled from first.
    init(_ state: State, _ opening: StoreOpening) {
        identity = Identity(state)
        self.opening = opening.withoutProgress
        bytesPerSlot = State.filledBytesPerPageByte * state.pageBytesPerSlot
        course = Lock(Course(state: state))
        if bytesPerSlot > 0 { opening.memory.changes.noteSlotBytes(bytesPerSlot) }
        opening.waiting.add(self)
        opening.memory.add(self)
    }

    var memory: StoreMemory { opening.memory }

    // MARK: - Generations of pages

    /// Adds a table that reads the state.
    func add(_ table: StoredTable) {
        tables.withLock { tables in
            tables.removeAll { $0.table == nil }
            tables.append(WaitingTable(table: table))
        }
    }

    /// Publishes the state in its next generation to the tables, if the pages of this generation are full.
    func evictPages() {
        publishState { course in
            guard course.state.isFull else { return false }
            course.state = course.state.inNextGeneration()
            return true
        }
    }

    /// Publishes the present state to the tables.
    func publishState() { publishState { _ in true } }

    /// - Parameter change: changes the state; returns whether the tables need the new one.
    private func publishState(after change: (inout Course) -> Bool) {
        let former = course.withLock { course -> [StoredTable.Content] in
            guard change(&course) else { return [] }
            let attempts = course.causes.count
            return tables.withLock { $0.compactMap(\.table) }
                .compactMap { $0.use(course.state, attempts: attempts) }
        }
        // Released outside of the locks: it may be the last reference to many pages.
        withExtendedLifetime(former) {}
    }

    /// What the tables read now.
    var presentState: State { course.withLock { $0.state } }

    /// Why it was made again of other files; empty where it was not.
    var causes: [LogError] { course.withLock { $0.causes } }

    /// The checkpoint's loaded pages; nil where there is no checkpoint.
    var cachedPages: CachedPages? { course.withLock { $0.state.cachedPages } }

    /// The state that takes the place of one that cannot be read.
    ///
    /// - Parameters:
    ///   - attempts: how many states were given to the caller before.
    ///   - error: why the last of them cannot be read. Where it says nothing of a checkpoint, or no other files lead to the
    ///     state, it is thrown: it names file and offset.
    func state(behind attempts: Int, after error: StoreError) throws(StoreError) -> State {
        guard case .log(let cause) = error, cause.isAboutCheckpoint else { throw error }
        let (made, isNews): (State?, Bool) = course.withLock { course in
            if course.causes.count > attempts { return (course.state, true) }
            if course.isLost { return (nil, false) }
            do throws(StoreError) {
                course.state = opening.limited(try make(avoiding: course.causes + [cause]))
                course.causes.append(cause)
                opening.health.noticeLate(cause)
                return (course.state, true)
            } catch {
                // What the system refuses now it may grant another time.
                course.isLost = !error.isRefusalBySystem
                opening.health.note(cause)
                return (nil, true)
            }
        }
        if isNews { opening.log?.damage(cause) }
        guard let made else { throw error }
        return made
    }

    /// Notes that a table could not be filled.
    func noteFailure() { opening.waiting.noteFailure() }

    // MARK: - Files that go

    /// The checkpoint under the state; nil where all of it is in memory.
    var file: String? { course.withLock { $0.state.checkpointFile } }

    /// Whether the files of a manifest hold the checkpoint under the state, and others that lead to the state.
    func isKept(by manifest: Manifest) -> Bool {
        guard let file else { return true }
        let last = LogSequence(identity.transaction.rawValue)
        let others = manifest.checkpoints.filter { $0.file.text != file }
        return others.count < manifest.checkpoints.count
            && (manifest.firstSequence == LogSequence(1) || others.contains { $0.sequence <= last })
    }

    /// Compares the checkpoint under the state with its checksums, as long as other files lead to the state. Where it is
    /// damaged, the state is made again of those. Where it is cancelled, nothing is secured, and no file may go.
    func secure(isCancelled: () -> Bool) {
        while true {
            let (state, attempts, isSecured) = course.withLock {
                ($0.state, $0.causes.count, $0.isSecured)
            }
            guard !isSecured else { return }
            do throws(LogError) {
                var comparison = state.checkpointComparison
                while try comparison?.advance() ?? false {
                    if isCancelled() { return }
                }
                return course.withLock { $0.isSecured = true }
            } catch {
                guard (try? self.state(behind: attempts, after: .log(error))) != nil else { return }
            }
        }
    }

    // MARK: - Making

    private func make(avoiding causes: [LogError]) throws(StoreError) -> State {
        try opening.typed {
            try opening.lookingAgain {
                // The state was published, so its transactions are in the log, promised or not.
                let scanned = try ScannedLog.scan(
                    opening.fileSystem, environment: opening.environment,
                    configuration: opening.configuration, mode: .readOnly, passesPromises: true)
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
            made = try scanned.state(
                behind: identity.transaction, choice, memory: opening.memory.replay)
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

extension StoreError {
    /// Whether the system refused something. That a file is not there, or too short, is another thing.
    var isRefusalBySystem: Bool {
        guard case .log(let error) = self, !error.isOfShorterFile,
            case .fileSystem(let refusal) = error
        else { return false }
        return !refusal.isNotFound
    }
}
