internal import Foundation
internal import Synchronization

/// Makes writers wait for the renewal of tables that will release memory, where changes take twice what they may.
///
/// Waits end with it, whether it succeeds or not. Where none is running, nothing waits.
final class WriteStall: Sendable {
    /// Set on the queue of `async` writes, where a write must not wait: see ``Writer/onBodies(_:)``.
    static let isExempt = DispatchSpecificKey<Bool>()

    private let renewals = DispatchGroup()
    private let waiting = Atomic(0)

    /// How many writers wait, for tests.
    var waitingCount: Int { waiting.load(ordering: .relaxed) }

    /// Tables begin to be renewed, which ends with a call of ``end()``.
    func begin() { renewals.enter() }

    func end() { renewals.leave() }

    func wait() {
        guard DispatchQueue.getSpecific(key: Self.isExempt) == nil else { return }
        waiting.add(1, ordering: .relaxed)
        renewals.wait()
        waiting.subtract(1, ordering: .relaxed)
    }

    /// Runs `body` on a queue when tables are renewed.
    func notify(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        waiting.add(1, ordering: .relaxed)
        renewals.notify(queue: queue) { [self] in
            waiting.subtract(1, ordering: .relaxed)
            body()
        }
    }
}

extension Writer {
    /// Waits before a write, outside of the writer lock, until memory is released, if changes take too much.
    func waitForMemory() {
        if memory.changes.stallsWriters { stall.wait() }
    }

    /// Runs what writes on the queue of `async` writes: when memory is released, if changes take too much. The
    /// queue does not wait for it: other things run there.
    func onBodies(_ body: @escaping @Sendable () -> Void) {
        bodies.async { [self] in
            if memory.changes.stallsWriters { stall.notify(bodies, body) } else { body() }
        }
    }
}
