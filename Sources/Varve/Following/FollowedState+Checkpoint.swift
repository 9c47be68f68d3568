internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension FollowedState {
    /// The state behind the last transaction of a compaction, which the checkpoint of that is made of.
    struct Checkpoint {
        let plan: ImagePlan
        /// The state, for threads beside the one that follows the log.
        let readable: State
        /// What is known of its rows.
        let tried: TriedRows?
        /// From where the followed state goes on with the checkpoint.
        fileprivate let point: RebasePoint
    }

    /// Brings the state to the last transaction of a compaction, and plans its checkpoint. Nil where the checkpoint is there
    /// already, where the compaction was cancelled, and where it is to be made of the files: the compaction begins with another
    /// checkpoint than the state, the state lacks an index, or rows are to be brought into newer layouts.
    ///
    /// - Parameter isCancelled: asked now and then.
    func checkpoint(
        of begun: Writer.BegunCompaction, _ compression: ImageCompression,
        _ opening: StoreOpening, isCancelled: () -> Bool
    ) throws(StoreError) -> Checkpoint? {
        let last = TransactionID(begun.compaction.sequence.rawValue)
        guard state.checkpointFile == begun.compaction.baseFile, !begun.compaction.isUpToDate,
            try advance(through: last, isCancelled: isCancelled)
        else { return nil }
        let base = image?.lastTransaction ?? TransactionID(0)
        guard state.lastTransaction == last, !isAtItsEnd, hasIndexes(begun.indexes),
            !NewestRows.areNeeded(of: state, ofRevisionsBehind: base)
        else { return nil }
        // As a replay of the checkpoint would have it.
        trimTimeline(below: begun.floor)
        let plan = ImagePlan(state, base: image, compression: compression)
        let checkpoint = Checkpoint(
            plan: plan, readable: opening.limited(state), tried: tried, point: RebasePoint(plan))
        noteSetRows(of: begun.subjects.map(\.definition.number))
        return checkpoint
    }

    /// The state on the new checkpoint, without what that has in memory and in the spill file. Nil where another state is to
    /// be made of the files: this one cannot be read any further, or the checkpoint was made of another one.
    ///
    /// - Parameter opened: the checkpoint, with nothing of the log behind it.
    func rebased(from checkpoint: Checkpoint, onto opened: LoadedCheckpoint) -> FollowedState? {
        let point = checkpoint.point
        guard !isAtItsEnd, point.isInStore(of: state), let image = opened.image else { return nil }
        let tried = opened.noted.flatMap { noted in
            setRows.map { TriedRows(noted, in: point.lastTransaction, $0) }
        }
        return FollowedState(
            point.rebase(state, onto: opened.state), log, image: image, tried: tried)
    }
}
