internal import Foundation
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
    ///
    /// - Parameters:
    ///   - aheadMin: how many bytes there must be to replay for them to be read ahead.
    ///   - progress: receives how many bytes are replayed, of how many: about a hundred times.
    package init(
        _ scanned: ScannedLog, readingAheadFrom aheadMin: UInt64 = ReadAhead.bytesMin,
        progress: (_ replayed: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(ReplayFailure<RecordError>) {
        let loaded: (state: (ReplayState, CheckpointSize)?, start: LogStart)
        do throws(LogError) {
            loaded = try scanned.loadNewestCheckpoint { file throws(LogError) in
                (try file.loadState(), file.size)
            }
        } catch {
            throw .log(error)
        }
        let state = loaded.state?.0 ?? ReplayState()
        let bytes = scanned.rawBytes(after: loaded.start.sequence)
        var meter = ReplayMeter(total: bytes)
        progress(0, bytes)
        // A short tail mentions few types, maybe, and each is prepared when it is.
        if bytes > 0, bytes >= UInt64(state.slotCount / 16) { Self.prepareLookUps(in: state) }
        if bytes >= aheadMin {
            let reader = ReadAhead(resolving: SlotsAhead(state))
            try reader.forEach(of: scanned.snapshot, after: loaded.start.sequence) {
                record, resolved throws(RecordError) in
                try state.take(record, resolved)
            } didTake: {
                meter.add($0, progress)
            }
            scanned.skipReplay()
        } else {
            try scanned.replay(after: loaded.start.sequence) { record throws(RecordError) in
                try state.take(record)
                meter.add(record.payload.count, progress)
            }
        }
        if bytes > 0 { progress(bytes, bytes) }
        self.state = state
        start = loaded.start
        checkpoint = loaded.state?.1
    }

    /// On all cores, before transactions look ids up one by one.
    private static func prepareLookUps(in state: ReplayState) {
        // Unchecked: each type is prepared once, by one thread, and nothing else uses the state
        // until all are.
        nonisolated(unsafe) let shared = state
        DispatchQueue.concurrentPerform(iterations: shared.typeCount) { index in
            shared.prepareLookUps(ofTypeAt: index)
        }
    }
}

/// Counts the bytes that are replayed, and reports each hundredth.
private struct ReplayMeter {
    let total: UInt64
    private var done: UInt64 = 0
    private var told: UInt64 = 0

    init(total: UInt64) { self.total = total }

    mutating func add(_ bytes: Int, _ tell: (UInt64, UInt64) -> Void) {
        done += UInt64(bytes)
        guard done < total, done - told >= total / 100 else { return }
        told = done
        tell(done, total)
    }
}

extension ScannedLog {
    /// What replay delivers behind a transaction.
    func rawBytes(after sequence: LogSequence) -> UInt64 {
        snapshot.segments.lazy.filter { $0.header.firstSequence > sequence }
            .reduce(0) { $0 &+ $1.rawBytes.rawValue }
    }
}
