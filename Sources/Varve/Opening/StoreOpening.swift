internal import VarveAssets
internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables
internal import VarveText

/// What opening a store takes, and how it goes: scan, replay, match the types, fill the context,
/// and only then mend the end of the log.
struct StoreOpening {
    let fileSystem: any FileSystem
    let environment: any LogEnvironment
    let configuration: LogConfiguration
    let types: [any EntityModelProtocol.Type]
    let assets: AssetFolder
    var migrations: [Migration] = []
    var migrating = MigrationOptions()
    var log: StoreLog?
    /// Receives how far an opening is.
    var progress: (@Sendable (OpeningProgress) -> Void)?
    /// From how many slots of all types on tables are filled when they are first read.
    var waitingSlotsMin = Hydration.waitingSlotsMin
    /// The size up to which the opening itself compares all of an image with its checksums.
    var comparedImageMax = CheckpointFile.smallImageBytes
    /// Which code reads the rows; nil where that is not known.
    var build: BuildIdentity?
    /// What gives the ids of all contexts of the store. Drafts, and bodies that threw, have numbers that no log has.
    var counters = IDCounters()
    /// What is found of damage, now and as long as the store is open.
    var health = HealthRecord()
    /// What tables of the store's contexts wait for.
    var waiting = WaitingStates()
    /// The memory budget of the store, which its tables and caches share.
    var memory = StoreMemory(.standard)

    /// What a state is made for.
    enum Purpose {
        /// The types are checked against former names, what they do not show is counted, and an id is refused that
        /// means none.
        case opening
        /// A reader goes on: the types are checked, as a newer app may have migrated the store meanwhile.
        case following
        /// The types were checked when the store was opened.
        case past
        /// Stored tables replace others of the newest state. No table is filled.
        case renewal

        /// Whether the types may be others than when the state was read before.
        var checksTypes: Bool { self == .opening || self == .following }
    }

    /// An opened store's parts.
    struct Opened {
        let state: StoreState
        /// Nil for a store that is only read.
        let log: Log?
        /// What a store that is only read goes on from.
        var follower: StoreFollower?
        let prologue: PrologueSource
        var report: RecoveryReport
        /// How large the checkpoint is that was started from.
        var checkpoint: CheckpointSize?
        /// Events and transactions behind it, which were replayed, or logged by a migration; nil where nothing was read.
        var replaySteps: UInt64?
        /// The oldest transaction that can be asked for.
        let floor: TransactionID
        /// Relations whose links may have to be completed in a first transaction.
        var newInverses: NewInverses?
        var unread = UnreadContent()
        /// What is compared with its checksums behind the opening; nil where nothing is left to compare.
        var look: CheckpointLook.Subject?
    }

    func open(_ mode: Store.Mode) throws(StoreError) -> Opened {
        try logged("opening", mode) { () throws(StoreError) in try openUnlogged(mode) }
    }

    /// Reports the beginning and the end of an opening, or of a resumption.
    private func logged(
        _ verb: String, _ mode: Store.Mode, _ body: () throws(StoreError) -> Opened
    ) throws(StoreError) -> Opened {
        let work = log?.begin(.opening, "\(verb) \(fileSystem.displayPath.escapedForDisplay)")
        do throws(StoreError) {
            let opened = try body()
            if let work { log?.opened(opened.report, isWriter: mode == .readWrite, work) }
            log?.unread(opened.unread)
            return opened
        } catch {
            work?.end(error)
            throw error
        }
    }

    private func openUnlogged(_ mode: Store.Mode) throws(StoreError) -> Opened {
        try typed {
            switch mode {
            case .readWrite:
                let isNew = try LogCreation.createIfAbsent(in: fileSystem, environment: environment)
                var opened = try openForWriting()
                if isNew {
                    opened.report.isNewStore = true
                    opened.report.endedCleanly = true
                }
                return opened
            case .readOnly:
                var looking = self
                return try lookingAgain {
                    let scanned = try scan(.readOnly)
                    // Progress never goes back: another look reports none.
                    defer { looking = looking.withoutProgress }
                    return try looking.openForReading(scanned)
                }
            }
        }
    }

    /// A look at a log, without reading its transactions.
    func look() throws(StoreError) -> ScannedLog {
        try StoreError.wrapping { () throws(LogError) in try scan(.readOnly) }
    }

    /// Takes up a log again that was released at `position` with `state` behind it. Where another
    /// process has written since, everything is read. What `pins` keep is kept on.
    func resume(
        at position: LogPosition, _ state: StoreState, keeping pins: LogPins
    ) throws(StoreError) -> Opened {
        try logged("resuming", .readWrite) { () throws(StoreError) in
            try resumeUnlogged(at: position, state, keeping: pins)
        }
    }

    private func resumeUnlogged(
        at position: LogPosition, _ state: StoreState, keeping pins: LogPins
    ) throws(StoreError) -> Opened {
        try typed {
            let scanned = try scan(.readWrite)
            if scanned.ends(at: position) {
                scanned.skipReplay()
                return try recover(
                    scanned, state, startingFrom: LogStart(checkpoint: position.checkpoint),
                    keeping: pins)
            }
            guard scanned.manifest.store == position.store,
                scanned.lastSequence >= position.lastSequence
            else { throw StoreError.replacedWhileSuspended }
            return try take(scanned, comparingUpTo: .max, keeping: pins)
        }
    }

    func scan(_ mode: Store.Mode) throws(LogError) -> ScannedLog {
        try ScannedLog.scan(
            fileSystem, environment: environment, configuration: configuration,
            mode: mode == .readWrite ? .readWrite : .readOnly)
    }

    /// - Parameter migrated: a transaction that leads to the state and is not logged yet.
    private func recover(
        _ scanned: ScannedLog, _ state: StoreState, startingFrom start: LogStart,
        keeping pins: LogPins?, _ migrated: MigrationRun.Outcome? = nil
    ) throws(LogError) -> Opened {
        let prologue = PrologueSource(catalog: migrated?.former ?? state.catalog)
        let (log, report) = try scanned.recover(
            start: start, keeping: pins, prologue: prologue.bytes)
        if let migrated {
            try migrated.append(to: log)
            prologue.update(state.catalog)
        }
        return Opened(
            state: state, log: log, prologue: prologue, report: report,
            floor: TransactionID(scanned.snapshot.oldestSequence.rawValue))
    }

    /// A state that nobody adds to: what a writer would log first is completed in place.
    func hydrateForReading(
        _ replayed: State, _ tried: TriedRows? = nil
    ) throws(StoreError) -> StoreState {
        try hydrateForReading(replayed, tried, for: .following).state
    }

    func hydrateForReading(
        _ replayed: State, _ tried: TriedRows?, for purpose: Purpose
    ) throws(StoreError) -> Hydrated {
        var hydrated = try hydrate(replayed, tried, for: purpose)
        hydrated.state.completeLinks(behind: hydrated.state.lastTransaction)
        return hydrated
    }

    func typed<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch let error as LogError {
            throw .log(error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("opening throws errors of the log and of the store: \(error)")
        }
    }

    private func openForWriting() throws -> Opened {
        try take(try scan(.readWrite), comparingUpTo: comparedImageMax)
    }

    /// Reads all of a log, to add to it.
    ///
    /// - Parameter limit: of an image that is larger, some is left to be compared behind the opening.
    private func take(
        _ scanned: ScannedLog, comparingUpTo limit: ByteCount, keeping pins: LogPins? = nil
    ) throws -> Opened {
        let (replayed, migrated, hydrated) = try readingNewest(
            scanned, comparingUpTo: limit, telling: progress
        ) { replayed in
            let migrated = try migrate(replayed.state)
            note(.entities)
            // What a migration has made was not tried.
            let tried = migrated == nil ? replayed.tried : nil
            // What a migration has made is in no file yet.
            let hydrated = try hydrate(
                migrated?.state ?? replayed.state, tried, for: .opening, mayWait: migrated == nil)
            return (replayed, migrated, hydrated)
        }
        if let migrated { try backUp(before: migrated) }
        note(.recovery)
        let state = hydrated.state
        var opened = try recover(
            scanned, state, startingFrom: replayed.start, keeping: pins, migrated)
        opened.checkpoint = replayed.checkpoint
        opened.replaySteps = replayed.replaySteps + (migrated?.replaySteps ?? 0)
        opened.newInverses = NewInverses(in: state.context, catalog: state.catalog)
        opened.unread = hydrated.unread
        opened.look = CheckpointLook.Subject(replayed, hydrated.rebuilt)
        return opened
    }

    /// A compaction may remove files between the look at them and their reading: what is missing
    /// then was replaced, and another look finds what replaced it.
    func lookingAgain<Result>(_ look: () throws -> Result) throws -> Result {
        var another = AnotherLook(at: fileSystem)
        while true {
            do {
                return try look()
            } catch StoreError.log(let error) where another.isWorthwhile(after: error) {
                continue
            } catch let error as LogError where another.isWorthwhile(after: error) {
                continue
            }
        }
    }

    private func openForReading(_ scanned: ScannedLog) throws -> Opened {
        let (replayed, hydrated) = try readingNewest(
            scanned, comparingUpTo: comparedImageMax, telling: progress
        ) { replayed in
            let pending = try MigrationRun.pending(migrations, behind: replayed.state.timeline)
            guard pending.isEmpty || replayed.state.lastTransaction == 0 else {
                throw StoreError.needsMigration(pending.map { "\($0.id)" })
            }
            note(.entities)
            return (replayed, try hydrateForReading(replayed.state, replayed.tried, for: .opening))
        }
        var opened = Opened(
            state: hydrated.state, log: nil,
            follower: try StoreFollower(withoutProgress, behind: scanned),
            prologue: PrologueSource(catalog: replayed.state.catalog),
            report: scanned.report(startingFrom: replayed.start),
            checkpoint: replayed.checkpoint,
            floor: TransactionID(scanned.snapshot.oldestSequence.rawValue))
        opened.unread = hydrated.unread
        opened.look = CheckpointLook.Subject(replayed, hydrated.rebuilt)
        return opened
    }

    /// For a store that is open. What receives the progress is of the opening alone: kept, it would live as long as the
    /// store, and run when that is resumed, inside its lock.
    var withoutProgress: StoreOpening {
        var opening = self
        opening.progress = nil
        opening.migrating.progress = { _ in }
        return opening
    }

    /// A context with a table for each type.
    func emptyContext() throws(StoreError) -> Context {
        var context = Context.vacant
        // Before a context makes tables for them, which traps where relations do not fit.
        let problems = Set(types.flatMap { $0._descriptor.relationProblems() })
        guard problems.isEmpty else {
            throw .schema(
                problems.map {
                    SchemaProblem(type: $0.type, property: $0.relation, reason: $0.reason)
                }.sorted { $0.description < $1.description })
        }
        context.session.counters = counters
        for type in types { _ = context.position(of: type._descriptor) }
        return context
    }

    /// Reports a phase behind the replay.
    private func note(_ phase: OpeningProgress.Phase) {
        progress?(OpeningProgress(phase: phase, bytesReplayed: 0, bytesToReplay: 0))
    }

    /// Runs what reads the newest state of a log. Where the checkpoint under it turns out damaged meanwhile, it runs
    /// again, with the state that the checkpoint before or the whole log leads to.
    ///
    /// - Parameters:
    ///   - limit: of an image that is larger, blocks are compared with their checksums when they are read.
    ///   - errors: say which checkpoints turned out damaged before.
    func readingNewest<Result>(
        _ scanned: ScannedLog, comparingUpTo limit: ByteCount, avoiding errors: [LogError] = [],
        telling progress: (@Sendable (OpeningProgress) -> Void)? = nil,
        _ body: (LoggedState) throws -> Result
    ) throws -> Result {
        var choice = CheckpointChoice(in: scanned, avoiding: errors)
        // Progress never goes back: another attempt reports none.
        var progress = progress
        while true {
            do {
                let replayed = try replay(scanned, choice, limit, telling: progress)
                let result = try replayed.state.reading {
                    StoreError.log($0)
                } _: { () throws(any Error) in
                    try body(replayed)
                }
                health.note(
                    scanned.report(startingFrom: replayed.start),
                    startingFrom: replayed.start.checkpoint)
                let names = scanned.fileNames
                health.noteReplacement { names.contains($0) }
                return result
            } catch StoreError.log(let error) where choice.goesOn(after: error) {
                progress = nil
            }
        }
    }

    private func replay(
        _ scanned: ScannedLog, _ choice: CheckpointChoice, _ limit: ByteCount,
        telling progress: (@Sendable (OpeningProgress) -> Void)?
    ) throws(StoreError) -> LoggedState {
        progress?(OpeningProgress(phase: .checkpoint, bytesReplayed: 0, bytesToReplay: 0))
        do throws(ReplayFailure<RecordError>) {
            return try LoggedState(
                scanned, choice, verifyingImagesUpTo: limit, memory: memory.replay
            ) { replayed, total in
                progress?(
                    OpeningProgress(
                        phase: .replay, bytesReplayed: replayed, bytesToReplay: total))
            }
        } catch {
            throw error.storeError
        }
    }

    /// A state of the past.
    ///
    /// - Parameter mayWait: whether the store has other files that lead to it, with the same slots.
    func hydrate(_ replayed: State, mayWait: Bool) throws(StoreError) -> StoreState {
        try hydrate(replayed, nil, for: .past, mayWait: mayWait).state
    }

    /// The content of a state in tables, and what was found beside it.
    struct Hydrated {
        var state: StoreState
        let unread: UnreadContent
        /// What stored tables are filled from where the state cannot be read; nil where all tables are filled at once.
        let rebuilt: RebuiltState?
    }

    /// - Parameters:
    ///   - tried: which rows need not be tried again.
    ///   - purpose: whether what the types do not name is checked and counted.
    ///   - mayWait: whether tables may wait: what they are filled from can be made again.
    func hydrate(
        _ replayed: State, _ tried: TriedRows?, for purpose: Purpose, mayWait: Bool = true
    ) throws(StoreError) -> Hydrated {
        let waits = mayWait && replayed.slotCount >= waitingSlotsMin
        let replayed = waits ? limited(replayed) : replayed
        let rebuilt = waits ? RebuiltState(replayed, self) : nil
        for withholdsRows in [false, true] {
            let hydrated = try replayed.reading {
                .log($0)
            } _: { () throws(StoreError) in
                let hydration = Hydration(
                    state: replayed, withholdsRows: withholdsRows, rebuilt: rebuilt,
                    tried: tried, build: build, fillsTables: purpose != .renewal)
                return try hydrate(hydration, for: purpose)
            }
            if let (state, unread) = hydrated {
                return Hydrated(state: state, unread: unread, rebuilt: rebuilt)
            }
        }
        preconditionFailure("rows that are withheld cannot be unreadable")
    }

    /// - Returns: nil where there are rows with raw values that the types do not know, and they are not left out.
    private func hydrate(
        _ hydration: Hydration, for purpose: Purpose
    ) throws(StoreError) -> (state: StoreState, unread: UnreadContent)? {
        let replayed = hydration.state
        var context = try emptyContext()
        var schema = Schema()
        let declared: [DeclaredType]
        do throws(StoreError) {
            declared = try schema.extend(
                to: context, catalog: replayed.catalog, isLateAddition: false)
        } catch {
            throw error.naming(migrations, replayed.timeline)
        }
        if purpose.checksTypes { try checkFormerNames(declared, replayed) }
        let failure = hydration.fill(&context, &schema)
        if let failure {
            guard !hydration.withholdsRows, failure.isUnknownRawValue else { throw failure }
            return nil
        }
        if purpose == .opening {
            let numbering = context.numberingProblems(schema, replayed)
            guard numbering.isEmpty else { throw .schema(numbering) }
        }
        let unread =
            purpose == .opening ? UnreadContent(replayed, context, schema) : UnreadContent()
        let state = StoreState(
            context: context,
            definitions: StoreDefinitions(replayed.catalog, schema, migrations),
            lastTransaction: replayed.lastTransaction, lastTime: replayed.lastTime,
            timeline: replayed.timeline)
        return (state, unread)
    }
}

extension StoreError {
    fileprivate var isUnknownRawValue: Bool {
        if case .unreadable(let value) = self { value.reason.isUnknownRawValue } else { false }
    }
}
