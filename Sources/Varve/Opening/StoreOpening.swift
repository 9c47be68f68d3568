internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// What opening a store takes, and how it goes: scan, replay, match the types, fill the context,
/// and only then mend the end of the log.
struct StoreOpening {
    let fileSystem: any FileSystem
    let environment: any LogEnvironment
    let configuration: LogConfiguration
    let types: [any EntityModelProtocol.Type]

    /// An opened store's parts.
    struct Opened {
        let state: StoreState
        /// Nil for a store that is only read.
        let log: Log?
        /// What a store that is only read goes on from.
        var follower: StoreFollower?
        let prologue: PrologueSource
        let report: RecoveryReport
        /// How large the checkpoint is that was started from.
        let checkpoint: CheckpointSize?
        /// The oldest transaction that can be asked for.
        let floor: TransactionID
        /// Relations whose links may have to be completed in a first transaction.
        let newInverses: NewInverses?
    }

    func open(_ mode: Store.Mode) throws(StoreError) -> Opened {
        try typed {
            switch mode {
            case .readWrite:
                _ = try LogCreation.createIfAbsent(in: fileSystem, environment: environment)
                return try openForWriting()
            case .readOnly: return try openBesideWriter()
            }
        }
    }

    /// Reads a whole log to follow it from its end on.
    func follow() throws(StoreError) -> (ReplayState, LogFollower) {
        try typed {
            let scanned = try scan(.readOnly)
            return (try replay(scanned).rows, try LogFollower(scanned))
        }
    }

    /// A look at a log, without reading its transactions.
    func look() throws(StoreError) -> ScannedLog {
        try StoreError.wrapping { () throws(LogError) in try scan(.readOnly) }
    }

    /// Takes up a log again that was released at `position` with `state` behind it. Where another
    /// process has written since, everything is read.
    func resume(at position: LogPosition, _ state: StoreState) throws(StoreError) -> Opened {
        try typed {
            let scanned = try scan(.readWrite)
            if scanned.position == position {
                scanned.skipReplay()
                let start = LogStart(checkpoint: position.checkpoint)
                return try recover(scanned, state, Replayed(start: start), isNew: false)
            }
            guard scanned.manifest.store == position.store,
                scanned.lastSequence >= position.lastSequence
            else { throw StoreError.replacedWhileSuspended }
            let replayed = try replay(scanned)
            let state = try hydrate(replayed.rows, keepsUnread: true)
            return try recover(scanned, state, replayed, isNew: true)
        }
    }

    private func scan(_ mode: Store.Mode) throws(LogError) -> ScannedLog {
        try ScannedLog.scan(
            fileSystem, environment: environment, configuration: configuration,
            mode: mode == .readWrite ? .readWrite : .readOnly)
    }

    /// - Parameter isNew: whether the state was made for the app's types just now.
    private func recover(
        _ scanned: ScannedLog, _ state: StoreState, _ replayed: Replayed, isNew: Bool
    ) throws(LogError) -> Opened {
        let prologue = PrologueSource(catalog: state.catalog)
        let (log, report) = try scanned.recover(start: replayed.start, prologue: prologue.bytes)
        return Opened(
            state: state, log: log, prologue: prologue, report: report,
            checkpoint: replayed.checkpoint,
            floor: TransactionID(scanned.snapshot.oldestSequence.rawValue),
            newInverses: isNew ? NewInverses(in: state.context, catalog: state.catalog) : nil)
    }

    /// What was read of a log.
    private struct Replayed {
        var rows = ReplayState()
        var start: LogStart
        var checkpoint: CheckpointSize?
    }

    /// A state that nobody adds to: what a writer would log first is completed in place.
    func hydrateForReading(_ replayed: ReplayState) throws(StoreError) -> StoreState {
        var state = try hydrate(replayed)
        NewInverses(in: state.context, catalog: replayed.catalog).complete(&state.context)
        return state
    }

    private func typed<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
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
        let scanned = try scan(.readWrite)
        let replayed = try replay(scanned)
        let state = try hydrate(replayed.rows, keepsUnread: true)
        return try recover(scanned, state, replayed, isNew: true)
    }

    /// A compaction may remove files between the look at them and their reading: what is missing
    /// then was replaced, and another look finds what replaced it.
    private func openBesideWriter() throws -> Opened {
        for _ in 0..<4 {
            let scanned = try scan(.readOnly)
            do {
                return try openForReading(scanned)
            } catch StoreError.log(let error) where error.mayBeProgressOfWriter {
                guard scanned.hasLiveWriter else { throw error }
            } catch let error as LogError where error.mayBeProgressOfWriter {
                guard scanned.hasLiveWriter else { throw error }
            }
        }
        return try openForReading(try scan(.readOnly))
    }

    private func openForReading(_ scanned: ScannedLog) throws -> Opened {
        let replayed = try replay(scanned)
        return Opened(
            state: try hydrateForReading(replayed.rows), log: nil,
            follower: try StoreFollower(self, behind: scanned),
            prologue: PrologueSource(catalog: replayed.rows.catalog),
            report: scanned.report(startingFrom: replayed.start),
            checkpoint: replayed.checkpoint,
            floor: TransactionID(scanned.snapshot.oldestSequence.rawValue), newInverses: nil)
    }

    /// Loads the newest checkpoint that can be used, and applies the log behind it.
    private func replay(_ scanned: ScannedLog) throws -> Replayed {
        let (loaded, start) = try scanned.loadNewestCheckpoint { file throws(LogError) in
            (try CheckpointLoading(file: file).load(), file.size)
        }
        let state = loaded?.0 ?? ReplayState()
        do {
            try scanned.replay(after: start.sequence) { (record) throws(StoreError) in
                try state.take(record)
            }
        } catch .log(let error) {
            throw StoreError.log(error)
        } catch .consumer(let error) {
            throw error
        }
        return Replayed(rows: state, start: start, checkpoint: loaded?.1)
    }

    /// - Parameter keepsUnread: whether the state takes over what the types do not name, as a store
    ///   does that may be compacted. The replayed state is of no use afterwards.
    func hydrate(
        _ replayed: ReplayState, keepsUnread: Bool = false
    ) throws(StoreError) -> StoreState {
        var context = Context()
        // Before a context makes tables for them, which traps where relations do not fit.
        let problems = Set(types.flatMap { $0._descriptor.relationProblems() })
        guard problems.isEmpty else {
            throw .schema(
                problems.map {
                    SchemaProblem(type: $0.type, property: $0.relation, reason: $0.reason)
                }.sorted { $0.description < $1.description })
        }
        for type in types { _ = context.position(of: type._descriptor) }
        var schema = Schema()
        try schema.extend(to: context, catalog: replayed.catalog, isLateAddition: false)
        try Hydration(replayed: replayed).fill(&context, &schema)
        return StoreState(
            context: context, catalog: replayed.catalog, schema: schema,
            lastTransaction: replayed.lastTransaction, lastTime: replayed.lastTime,
            unread: keepsUnread
                ? UnreadState(takingOver: replayed, context, schema) : UnreadState(),
            timeline: replayed.timeline)
    }
}

extension ReplayState {
    func take(_ record: LogRecord) throws(StoreError) {
        switch record {
        case .catalog(let payload): try check(payload)
        case .transaction(let logged): try apply(logged)
        }
    }

    /// The definitions at a segment's head must be readable; what they say is known already.
    fileprivate func check(_ catalog: UnsafeRawBufferPointer) throws(StoreError) {
        do throws(CodecError) {
            _ = try Catalog.decodeDefinitions(catalog)
        } catch {
            throw .inconsistent(
                transaction: lastTransaction, reason: "definitions at a segment's head: \(error)")
        }
    }

    fileprivate func apply(_ logged: LoggedTransaction) throws(StoreError) {
        let id = TransactionID(logged.sequence.rawValue)
        let view: TransactionView
        do throws(EventError) {
            view = try TransactionView(logged.payload)
        } catch {
            throw .inconsistent(transaction: id, reason: "\(error)")
        }
        guard view.id == id else {
            throw .inconsistent(transaction: id, reason: "it calls itself \(view.id)")
        }
        do throws(ReplayError) {
            try apply(view)
        } catch {
            throw .inconsistent(transaction: id, reason: "\(error)")
        }
    }
}
