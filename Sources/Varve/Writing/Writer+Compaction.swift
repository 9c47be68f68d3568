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
        /// The oldest transaction that can be undone behind the checkpoint.
        let floor: TransactionID
        /// What the checkpoint is made of; nil where that is made of the files.
        var followed: FollowedState.Checkpoint?
    }

    /// Brings the state that follows the log, if there is one, to the newest transaction, so that a compaction begins with
    /// little of that to do: renewals, and writers that wait for them, wait for a compaction that begins. What is written
    /// meanwhile is left to that, or this would not end beside a fast writer.
    ///
    /// - Parameter lookUp: called now and then; what it throws ends this.
    func advanceFollowed(_ lookUp: () throws -> Void) throws {
        try checkCaller()
        var isFollowing = false
        renewal.withFollowed { isFollowing = $0.state != nil }
        guard isFollowing else { return }
        let last = try inTurn { core -> TransactionID in
            let open = try core.openLog()
            defer { noteFigures(open, core) }
            try promiseAll(core, open)
            return core.head.lastTransaction
        }
        // A step takes some milliseconds, however large transactions are.
        var limit = 64
        while true {
            let start = ContinuousClock.now
            guard advanceFollowed(towards: last, limit) else { return }
            let isShort = start.duration(to: .now) < .milliseconds(20)
            limit = isShort ? min(2 * limit, 4_096) : max(limit / 2, 1)
            try lookUp()
        }
    }

    /// Goes on by so many transactions; false when there are none before the last.
    private func advanceFollowed(towards last: TransactionID, _ limit: Int) -> Bool {
        var goesOn = false
        renewal.withFollowed { followed in
            guard let state = followed.state, !state.isAtItsEnd, !renewal.isCancelled else {
                return
            }
            do {
                let outcome = try state.advance(limit: limit)
                goesOn = outcome == .more && state.state.lastTransaction < last
            } catch {
                // What makes the checkpoint of the files meets it again.
                followed = TableRenewal.Followed()
                storeLog?.damage(error)
            }
        }
        return goesOn
    }

    /// Begins a compaction. Where a state follows the log, for the memory budget, the checkpoint is made of that: nothing of
    /// the log is read a second time. Nil where nothing was ever written.
    ///
    /// - Parameter isCancelled: asked now and then while the state is brought up to date.
    func beginCompaction(
        for goal: CompactionGoal, _ compression: ImageCompression, isCancelled: () -> Bool
    ) throws -> BegunCompaction? {
        try checkCaller()
        var begun: BegunCompaction?
        // No renewal goes on with the state before the checkpoint is planned.
        try renewal.withFollowed { followed in
            begun = try beginCompaction(for: goal)
            guard let compaction = begun, let state = followed.state, goal == .safety else {
                return
            }
            do {
                begun?.followed = try state.checkpoint(
                    of: compaction, compression, inTurn { $0.opening }
                ) { isCancelled() || renewal.isCancelled }
            } catch {
                followed = TableRenewal.Followed()
                storeLog?.damage(error)
            }
        }
        return begun
    }

    /// Has the followed state go on with the new checkpoint of a compaction, so that what this has need not be in memory, or
    /// in the spill file, any more. Otherwise the next one is made of the checkpoint.
    func rebaseFollowed(behind compaction: consuming BegunCompaction) {
        renewal.withFollowed { followed in
            let former = followed
            followed = TableRenewal.Followed()
            guard let checkpoint = compaction.followed, let state = former.state,
                !renewal.isCancelled
            else { return }
            do {
                followed.state = try compaction.compaction.openWritten(memory: memory.replay)
                    .flatMap { state.rebased(from: checkpoint, onto: $0) }
                guard followed.state != nil else { return }
                // Slots stay as they are.
                followed.comparedSlots = former.comparedSlots
                renewal.noteCheckpoint()
            } catch {
                storeLog?.damage(error)
            }
        }
    }

    /// What the log lacks of the types' definitions is logged first.
    private func beginCompaction(for goal: CompactionGoal) throws -> BegunCompaction? {
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
                        indexes: goal == .size ? [:] : core.head.storedIndexes,
                        // Of the transaction that the checkpoint is of: a later one may forget more, and be lost.
                        floor: floor(of: core.head.timeline))
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
