package import VarveEvents
package import VarveLog

/// What a log says, from the newest checkpoint that can be used to its end.
package struct ReplayedLog {
    package let state: ReplayState
    package let start: LogStart
    /// How large the checkpoint is that was started from.
    package let checkpoint: CheckpointSize?

    /// Loads the newest checkpoint that can be used, and applies the log behind it, verifying all
    /// of that.
    package init(_ scanned: ScannedLog) throws(ReplayFailure<RecordError>) {
        let loaded: (state: (ReplayState, CheckpointSize)?, start: LogStart)
        do throws(LogError) {
            loaded = try scanned.loadNewestCheckpoint { file throws(LogError) in
                (try file.loadState(), file.size)
            }
        } catch {
            throw .log(error)
        }
        let state = loaded.state?.0 ?? ReplayState()
        try scanned.replay(after: loaded.start.sequence) { record throws(RecordError) in
            try state.take(record)
        }
        self.state = state
        start = loaded.start
        checkpoint = loaded.state?.1
    }
}
