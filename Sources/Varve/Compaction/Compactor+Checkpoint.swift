internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension Compactor {
    /// Nil where the newest checkpoint holds the state already.
    func writeCheckpoint(
        _ begun: Writer.BegunCompaction, _ compression: ImageCompression,
        on background: BackgroundThread, _ progress: (CompactionProgress) -> Void
    ) throws -> CheckpointSize? {
        let compaction = begun.compaction
        if compaction.isUpToDate {
            guard compression == .thorough, try compaction.hasQuickBase() else { return nil }
            compaction.replaceBase()
        }
        let content = try readContent(begun, on: background, progress)
        let state = content.state
        guard let writer = try compaction.beginCheckpoint(time: state.lastTime.microseconds) else {
            return nil
        }
        // An opening reads all of a checkpoint that is no image.
        let triable = writer.isThorough ? [] : begun.subjects
        let note = try tryRows(
            of: triable, in: state, begun.build, behind: content.tried, on: background)
        var writing =
            if let plan = content.plan {
                try CheckpointWriting(plan, to: writer)
            } else {
                try CheckpointWriting(of: state, base: content.base, to: writer, compression)
            }
        try background.repeat({ try writing.advance() }) {
            progress(CompactionProgress(phase: .writing, fraction: writing.fraction))
            try checkCancellation()
        }
        try note?.append(to: writer)
        let file = try compaction.finishCheckpoint(writer, contentDigest: writing.contentDigest)
        var verification = try file.beginVerification()
        try background.repeat({ try verification.advance() }) {
            progress(CompactionProgress(phase: .verifying, fraction: verification.fraction))
            try checkCancellation()
        }
        let size = try compaction.publishCheckpoint(writer)
        self.writer.storeLog?.checkpoint(size, state.lastTransaction)
        return size
    }

    /// Tries rows of the state that a checkpoint will hold. Returns what it may note.
    private func tryRows(
        of subjects: [RowTrial.Subject], in state: State, _ build: BuildIdentity?,
        behind base: TriedRows?, on background: BackgroundThread
    ) throws -> TriedTypes? {
        guard let build, !subjects.isEmpty else { return nil }
        var trials = TypeTrials(of: subjects, in: state, by: build, behind: base)
        try background.repeat({ try trials.advance() }) { try checkCancellation() }
        return trials.result
    }

    /// What a checkpoint is made of.
    private struct Content {
        /// Behind everything that was appended when the compaction began, without the steps that cannot be undone any more.
        let state: State
        /// Of a state that follows the log; nil where the state was made of the files.
        var plan: ImagePlan?
        /// The image that the state was made of.
        var base: StoredImage?
        /// What is known of its rows.
        let tried: TriedRows?
    }

    private func readContent(
        _ begun: Writer.BegunCompaction, on background: BackgroundThread,
        _ progress: (CompactionProgress) -> Void
    ) throws -> Content {
        if let followed = begun.followed {
            return Content(state: followed.readable, plan: followed.plan, tried: followed.tried)
        }
        var reading = try CompactedState(
            begun.compaction, indexes: begun.indexes,
            indexKeyBytesMax: writer.memory.indexKeyBytesMax,
            memory: writer.memory.replay)
        do {
            try background.repeat({ try reading.advance() }) {
                progress(CompactionProgress(phase: .reading, fraction: reading.fraction))
                try checkCancellation()
            }
        } catch let failure as ReplayFailure<RecordError> {
            throw failure.storeError
        }
        let (image, tried) = (reading.image, reading.tried)
        let state = try reading.finish().trimmingTimeline(below: begun.floor)
        return Content(state: state, base: image, tried: tried)
    }
}
