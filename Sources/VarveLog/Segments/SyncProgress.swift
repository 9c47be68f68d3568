/// How much of a log is safe from a power cut, and the one way to make more of it so.
///
/// The only part of a log that several threads use: one thread syncs what others appended, while
/// the owner of the log goes on appending. Rules:
/// - one sync at a time. A system reports a failed write-back to one of the syncs that overlap
///   with it, and the other would take the lost bytes for safe;
/// - none after a failure, for the same reason: pages may be marked clean that never reached the
///   disk;
/// - nothing counts as safe whose file is not the store's any more (`WriterClaim`).
package final class SyncProgress: Sendable {
    private struct Reached: Sendable {
        var segment: SegmentID
        var end: FrameOffset
        var sequence: LogSequence
        var failure: LogError?
    }

    private let claim: WriterClaim
    /// Held while a sync runs.
    private let running = Lock(())
    /// Held for a moment only, so that asking never waits for the disk.
    private let reached: Lock<Reached>

    init(
        segment: SegmentID, end: FrameOffset, sequence: LogSequence, claim: WriterClaim
    ) {
        self.claim = claim
        reached = Lock(
            Reached(segment: segment, end: end, sequence: sequence, failure: nil))
    }

    /// The newest transaction that a power cut cannot reach.
    package var durableSequence: LogSequence { reached.withLock { $0.sequence } }

    /// The failed sync that ended the writing.
    package var failure: LogError? { reached.withLock { $0.failure } }

    /// Up to where the segment is safe, when it is the one that was synced last.
    func safeEnd(of segment: SegmentID) -> FrameOffset? {
        reached.withLock { $0.segment == segment ? $0.end : nil }
    }

    /// Makes everything through `target` safe, or finds that another sync has done so. Waits for
    /// the sync that is running, on any thread.
    package func synchronize(_ target: SyncTarget) throws(LogError) {
        try running.withLock { _ throws(LogError) in
            guard try !isCovered(target) else { return }
            try run { () throws(FileSystemError) in try target.file.synchronize() }
            do throws(LogError) {
                try claim.check(target.held)
            } catch {
                throw fail(error)
            }
            advance(to: target)
        }
    }

    /// A sync that makes nothing new safe: of a file that was cut back.
    func synchronizeAfterCut(_ file: any StoreFile) throws(LogError) {
        nonisolated(unsafe) let file = file
        try running.withLock { _ throws(LogError) in
            if let failure { throw failure }
            try run { () throws(FileSystemError) in try file.synchronize() }
        }
    }

    private func run(_ sync: () throws(FileSystemError) -> Void) throws(LogError) {
        do throws(FileSystemError) {
            try sync()
        } catch {
            throw fail(.synchronizationFailed(error, lastDurable: durableSequence))
        }
    }

    /// Ends the writing.
    private func fail(_ failure: LogError) -> LogError {
        reached.withLock { $0.failure = failure }
        return failure
    }

    private func isCovered(_ target: SyncTarget) throws(LogError) -> Bool {
        try reached.withLock { reached throws(LogError) in
            if (reached.segment, reached.end) >= (target.segment, target.end),
                reached.sequence >= target.sequence
            {
                return true
            }
            if let failure = reached.failure { throw failure }
            return false
        }
    }

    private func advance(to target: SyncTarget) {
        reached.withLock { reached in
            if (target.segment, target.end) > (reached.segment, reached.end) {
                reached.segment = target.segment
                reached.end = target.end
            }
            reached.sequence = max(reached.sequence, target.sequence)
        }
    }
}

/// A point of the log that a sync shall reach: the segment that ends there and what was appended.
///
/// Unchecked: of the file only `synchronize` is called, which any thread may do.
package struct SyncTarget: @unchecked Sendable {
    let file: any StoreFile
    /// Which file that is, and the name that it must have.
    let held: HeldFile
    let segment: SegmentID
    let end: FrameOffset
    /// The newest transaction before `end`.
    package let sequence: LogSequence
}
