internal import VarveEvents
package import VarveLog
package import VarveTables

/// The state that a log leads to, from the newest checkpoint that can be used to its end.
package struct LoggedState {
    package let state: State
    /// Where the replay started.
    package let start: LogStart
    /// How large the checkpoint is that the replay started from.
    package let checkpoint: CheckpointSize?

    /// Loads the newest checkpoint that can be used, and applies the log behind it, verifying all of that.
    ///
    /// - Parameters:
    ///   - aheadMin: how many bytes there must be to replay for them to be read ahead.
    ///   - progress: receives how many bytes are replayed, of how many: about a hundred times.
    package init(
        _ scanned: ScannedLog, readingAheadFrom aheadMin: UInt64 = ReadAhead.bytesMin,
        progress: (_ replayed: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(ReplayFailure<RecordError>) {
        let loaded: (state: (State, CheckpointSize)?, start: LogStart)
        do throws(LogError) {
            loaded = try scanned.loadNewestCheckpoint { file throws(LogError) in
                (try file.readState(), file.size)
            }
        } catch {
            throw .log(error)
        }
        start = loaded.start
        checkpoint = loaded.state?.1
        let bytes = scanned.rawBytes(after: loaded.start.sequence)
        var meter = ReplayMeter(total: bytes)
        progress(0, bytes)
        // One transaction over all of it: what one of the log makes, the next changes in place.
        let transaction = StateTransaction(loaded.state?.0 ?? State())
        if bytes >= aheadMin {
            try ReadAhead().forEach(of: scanned.snapshot, after: loaded.start.sequence) {
                record throws(RecordError) in
                try transaction.take(record)
            } didTake: {
                meter.add($0, progress)
            }
            scanned.skipReplay()
        } else {
            try scanned.replay(after: loaded.start.sequence) { record throws(RecordError) in
                try transaction.take(record)
                meter.add(record.payload.count, progress)
            }
        }
        if bytes > 0 { progress(bytes, bytes) }
        state = transaction.publish()
    }
}

/// Counts the bytes that are replayed, and reports each hundredth.
private struct ReplayMeter {
    let total: UInt64
    private var done: UInt64 = 0
    private var reported: UInt64 = 0

    init(total: UInt64) { self.total = total }

    mutating func add(_ bytes: Int, _ report: (UInt64, UInt64) -> Void) {
        done += UInt64(bytes)
        guard done < total, done - reported >= total / 100 else { return }
        reported = done
        report(done, total)
    }
}

extension ScannedLog {
    /// What replay delivers behind a transaction.
    fileprivate func rawBytes(after sequence: LogSequence) -> UInt64 {
        snapshot.segments.lazy.filter { $0.header.firstSequence > sequence }
            .reduce(0) { $0 &+ $1.rawBytes.rawValue }
    }
}
