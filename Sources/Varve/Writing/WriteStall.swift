internal import Foundation
internal import Synchronization

/// Makes writers wait for the compaction that will release memory, where changes take twice what they may.
///
/// Waits end with the compaction, whether it succeeds or not. Where none is running, nothing waits.
final class WriteStall: Sendable {
    /// Set on queues where a write must not wait: that of compactions, which would wait for themselves, and those that the
    /// writer works on.
    static let isExempt = DispatchSpecificKey<Bool>()

    private let compactions = DispatchGroup()
    private let waiting = Atomic(0)

    /// How many writers wait.
    var waitingCount: Int { waiting.load(ordering: .relaxed) }

    /// A compaction begins that starts by itself; it ends with a call of ``end()``.
    func begin() { compactions.enter() }

    func end() { compactions.leave() }

    func wait() {
        guard DispatchQueue.getSpecific(key: Self.isExempt) == nil else { return }
        waiting.add(1, ordering: .relaxed)
        compactions.wait()
        waiting.subtract(1, ordering: .relaxed)
    }

    /// Runs `body` on a queue when the compaction has ended.
    func notify(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        waiting.add(1, ordering: .relaxed)
        compactions.notify(queue: queue) { [self] in
            waiting.subtract(1, ordering: .relaxed)
            body()
        }
    }
}

extension Writer {
    /// Waits before a write, outside of the writer lock, until a compaction has released memory, if changes take too much.
    func waitForMemory() {
        if memory.changes.stallsWriters { stall.wait() }
    }

    /// Runs what writes on the queue of `async` writes: when a compaction has released memory, if changes take too much. The
    /// queue does not wait for it: other things run there.
    func onBodies(_ body: @escaping @Sendable () -> Void) {
        bodies.async { [self] in
            if memory.changes.stallsWriters { stall.notify(bodies, body) } else { body() }
        }
    }
}
