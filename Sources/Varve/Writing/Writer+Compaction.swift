internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension Writer {
    /// What a compaction begins with.
    struct BegunCompaction {
        let compaction: Compaction
        /// ``ReplaySteps/logged`` when it began.
        let replaySteps: UInt64
        /// What can be undone and redone behind the checkpoint.
        let timeline: Timeline
        /// Whose rows are tried for the checkpoint, and by which build; nil where that is not known.
        let subjects: [RowTrial.Subject]
        let build: BuildIdentity?
        /// What the checkpoint stores beside rows and links: nothing in one that is to be small.
        let indexes: [TypeNumber: [IndexDeclaration]]
    }

    /// Begins a compaction. What the log lacks of the types' definitions is logged first. Nil where nothing was ever
    /// written.
    func beginCompaction(for goal: CompactionGoal) throws -> BegunCompaction? {
        try checkCaller()
        var begun: BegunCompaction?
        try inTurn { core in
            let open = try core.openLog()
            defer { noteFigures(open, core) }
            do {
                try logPendingDefinitions(core, open)
                begun = try open.log.beginCompaction(for: goal).map { compaction in
                    precondition(
                        core.head.lastTransaction.rawValue == compaction.sequence.rawValue,
                        "the head is the state behind everything appended")
                    return BegunCompaction(
                        compaction: compaction, replaySteps: core.replaySteps.logged,
                        timeline: core.head.timeline,
                        subjects: core.head.trialSubjects, build: core.opening.build,
                        indexes: goal == .size ? [:] : core.head.storedIndexes)
                }
                core.admission.beginCompaction()
            } catch let error as LogError {
                throw StoreError.log(error)
            }
        }
        return begun
    }

    /// Everything before it is safe, and so shown, when this returns.
    private func logPendingDefinitions(_ core: Core, _ open: OpenLog) throws {
        guard open.log.lastSequence > .none else { return }
        var state = core.head
        var header = header("", WriteOptions(undoable: false), core)
        header.kind = .schema
        guard try core.encoder.encodePendingDefinitions(&state, header) else { return }
        try log(header, core, open)
        take(SharedState(state), after: header, core, open, touched: ChangedRows())
        try open.log.sync()
        published.publish(core.sharedHead)
    }

    /// The oldest transaction that is answered for.
    var floor: TransactionID { floor(of: published.timeline) }

    /// The oldest transaction that a state with this timeline answers for.
    func floor(of timeline: Timeline) -> TransactionID {
        let kept = figures.withLock { $0.pins }.floor.rawValue
        return TransactionID(max(kept, timeline.forgotten.rawValue + 1))
    }

    /// Through that transaction nothing is answered for; 0 for none.
    var forgotten: TransactionID { published.timeline.forgotten }

    /// Keeps the history back to each savepoint.
    func pinSavepoints(_ core: Core) {
        guard case .open(let open) = core.access else { return }
        core.savepointPins = core.sharedHead.timeline.savepoints.values.compactMap { transaction in
            // One that is below the floor keeps nothing: it goes with the next checkpoint.
            try? open.log.pins.pin(LogSequence(transaction.rawValue))
        }
    }

    /// Throws where the log cannot be written any more.
    func checkLogIsWritable() throws {
        try inTurn { core in
            let open = try core.openLog()
            try StoreError.wrapping { () throws(LogError) in try open.log.checkWritable() }
        }
    }

    /// Has the next compaction begin with the checkpoint before, or with the log, where an error says that the one that
    /// it would begin with is damaged. Notes that, and returns true, also where that was done before; false of another
    /// error, and where there is nothing else to begin with.
    func fallBack(after error: LogError, _ record: HealthRecord) throws -> Bool {
        try inTurn { core in
            let open = try core.openLog()
            guard open.log.fallBack(after: error) else { return false }
            noteFigures(open, core)
            record.note(error, .rebuilt(from: open.log.base?.file.text))
            return true
        }
    }

    /// A check of the files that there are now.
    func filesCheck() throws -> FilesCheck {
        try checkCaller()
        var check: FilesCheck?
        try inTurn { check = try $0.openLog().log.filesCheck }
        guard let check else { preconditionFailure("a check was made or an error thrown") }
        return check
    }

    /// The names of the files that hold the store's content now.
    func fileNames() throws -> Set<String> { try inTurn { try $0.openLog().log.fileNames } }

    /// The manifest of a compaction is in force. The log is still the one that it began with: it is
    /// released only when no compaction is running.
    ///
    /// - Parameter checkpoint: the new one, and ``ReplaySteps/logged`` when it began; nil for none.
    func finishCompaction(
        _ manifest: Manifest, _ checkpoint: (size: CheckpointSize, replaySteps: UInt64)?
    ) {
        inTurn { core in
            guard case .open(let open) = core.access else { return }
            open.log.finish(manifest)
            core.admission.finishCompaction()
            if let checkpoint {
                core.newestCheckpoint = checkpoint.size
                core.replaySteps.inCheckpoint = checkpoint.replaySteps
            }
            core.head.timeline = core.head.timeline.trimmed(below: floor)
            noteFigures(open, core)
        }
    }
}
