internal import VarveEvents
package import VarveLog
package import VarveTables

/// The state that a log leads to, from the newest checkpoint that can be used to its end.
package struct LoggedState {
    package let state: State
    /// The image that the state was opened from; nil where there was none.
    package let image: StoredImage?
    /// What of the image was not compared with its checksums; nil where all was.
    package let uncompared: ImageComparison?
    /// Where the replay started.
    package let start: LogStart
    /// Events and transactions that were replayed.
    package let replaySteps: UInt64
    /// How large the checkpoint is that the replay started from.
    package let checkpoint: CheckpointSize?
    /// Nil where the checkpoint notes nothing of rows that were tried.
    package let tried: TriedRows?

    /// Loads the newest checkpoint that can be used, and applies the log behind it, verifying all of that.
    ///
    /// - Parameters:
    ///   - choice: which checkpoints are not to be read.
    ///   - limit: of an image that is larger, each block is compared with its checksum only when it is read. What reads the
    ///     state meets a damaged one then, and no other checkpoint is looked for here.
    ///   - memory: what pages may take; nil for no limit.
    ///   - aheadMin: how many bytes there must be to replay for them to be read ahead.
    ///   - progress: receives how many bytes are replayed, of how many: about a hundred times.
    package init(
        _ scanned: ScannedLog, _ choice: CheckpointChoice? = nil,
        verifyingImagesUpTo limit: ByteCount = .max, memory: ReplayMemory? = nil,
        readingAheadFrom aheadMin: UInt64 = ReadAhead.bytesMin,
        progress: (_ replayed: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(ReplayFailure<RecordError>) {
        let loaded: (state: (LoadedCheckpoint, CheckpointSize, TriedTypes?)?, start: LogStart)
        do throws(LogError) {
            loaded = try scanned.loadNewestCheckpoint(choice) { file throws(LogError) in
                let state = try file.load(verifyingImagesUpTo: limit, memory: memory)
                return (state, file.size, try file.loadTriedTypes())
            }
        } catch {
            throw .log(error)
        }
        start = loaded.start
        checkpoint = loaded.state?.1
        image = loaded.state?.0.image
        uncompared = loaded.state?.0.uncompared
        let (base, sequence) = (
            loaded.state?.0.state ?? State(memory: memory), loaded.start.sequence
        )
        let noted = loaded.state?.2
        let setRows: SetRows?
        (state, replaySteps, setRows) = try base.reading {
            .log($0)
        } _: { () throws(ReplayFailure<RecordError>) in
            try base.replaying(
                scanned, after: sequence, readingAheadFrom: aheadMin,
                noting: noted.map { SetRows(of: $0.readers.keys) }, progress)
        }
        tried = noted.flatMap { noted in
            setRows.map { TriedRows(noted, in: TransactionID(sequence.rawValue), $0) }
        }
    }
}

extension State {
    fileprivate func replaying(
        _ scanned: ScannedLog, after sequence: LogSequence, readingAheadFrom aheadMin: UInt64,
        noting setRows: SetRows?, _ progress: (_ replayed: UInt64, _ total: UInt64) -> Void
    ) throws(ReplayFailure<RecordError>) -> (State, replaySteps: UInt64, SetRows?) {
        let bytes = scanned.rawBytes(after: sequence)
        var meter = ReplayMeter(total: bytes)
        progress(0, bytes)
        // One transaction over all of it: what one of the log makes, the next changes in place.
        let transaction = StateTransaction(self)
        transaction.setRows = setRows
        if bytes >= aheadMin {
            try ReadAhead().forEach(of: scanned.snapshot, after: sequence) {
                record throws(RecordError) in
                try transaction.take(record)
                transaction.evictPages()
            } didTake: {
                meter.add($0, progress)
            }
            scanned.skipReplay()
        } else {
            try scanned.replay(after: sequence) { record throws(RecordError) in
                try transaction.take(record)
                transaction.evictPages()
                meter.add(record.payload.count, progress)
            }
        }
        if bytes > 0 { progress(bytes, bytes) }
        return (transaction.publish(), transaction.replaySteps, transaction.setRows)
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
