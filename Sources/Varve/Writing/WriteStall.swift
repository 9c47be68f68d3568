internal import Dispatch
internal import Synchronization

/// Makes writers wait for the compaction that will release memory, where changes take twice what they may.
///
/// Waits end with the compaction, whether it succeeds or not. Where none is running or scheduled, nothing waits.
final class WriteStall: Sendable {
    /// Set on queues that a compaction runs on or waits for: a write there would wait for itself.
    static let isExempt = DispatchSpecificKey<Bool>()

    private let compactions = DispatchGroup()
    private let waiting = Atomic(0)

    /// How many writers wait.
    var waitingCount: Int { waiting.load(ordering: .relaxed) }

    /// A compaction is scheduled; it ends with a call of ``end()``.
    func begin() { compactions.enter() }

    func end() { compactions.leave() }

    func wait() {
        guard DispatchQueue.getSpecific(key: Self.isExempt) == nil else { return }
        waiting.add(1, ordering: .relaxed)
        compactions.wait()
        waiting.subtract(1, ordering: .relaxed)
    }
}

extension Writer {
    /// Waits before a write, outside of the writer lock, until a compaction has released memory, if changes take too much.
    func waitForMemory() {
        if memory.changes.stallsWriters { stall.wait() }
    }
}
