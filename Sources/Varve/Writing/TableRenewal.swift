internal import Foundation
internal import Synchronization
internal import VarveGraph
internal import VarveLog
internal import VarveTables

/// Releases what changes take: replaces tables that do not fit the memory budget by stored tables of the newest state.
///
///     head        table with changes     ->  stored table
///                                                |
///     followed    state behind transaction 70 -> state behind transaction 90: the log is applied
///
/// The state is made of the newest checkpoint and the log at the first time. From then on it follows the log. A compaction
/// makes its checkpoint of it, and then it goes on with that, so that it takes no more than what came since.
final class TableRenewal: Sendable {
    /// The state, and what reads it.
    struct Followed {
        var state: FollowedState?
        weak var rebuilt: RebuiltState?
        /// Below which slots the state's ids are those of the head's tables, by position: both only add to them.
        var comparedSlots: [Int: Int] = [:]
    }

    // Sendable unchecked: the lock guards it.
    private struct Guarded: @unchecked Sendable {
        var followed = Followed()
    }

    private let guarded = Lock(Guarded())
    private let queue = DispatchQueue(label: "varve.memory")
    private let isScheduled = Atomic(false)
    private let isStopped = Atomic(false)
    private let runs = Atomic(0)
    private let checkpoints = Atomic(0)

    /// How often tables were renewed because changes took too much, for tests.
    var runCount: Int { runs.load(ordering: .relaxed) }

    /// How many checkpoints were made of the followed state, for tests.
    var checkpointCount: Int { checkpoints.load(ordering: .relaxed) }

    func noteCheckpoint() { checkpoints.wrappingAdd(1, ordering: .relaxed) }

    /// Runs `body`, which renews tables, on a thread of its own, unless that is about to happen.
    func start(_ body: @escaping @Sendable () -> Void) {
        guard !isCancelled, !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else {
            return
        }
        queue.async { [self] in
            runs.add(1, ordering: .relaxed)
            body()
            isScheduled.store(false, ordering: .releasing)
        }
    }

    /// Waits for a renewal that has begun.
    func wait() { queue.sync {} }

    /// Runs `body` while no other thread renews tables.
    func withFollowed<Failure: Error>(
        _ body: (inout Followed) throws(Failure) -> Void
    ) throws(Failure) {
        try guarded.withLock { guarded throws(Failure) in try body(&guarded.followed) }
    }

    // MARK: - Ending

    var isCancelled: Bool { isStopped.load(ordering: .relaxed) }

    /// Ends a renewal that has begun, and waits for that. None begins before ``allow()``.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        wait()
    }

    func allow() { isStopped.store(false, ordering: .relaxed) }
}
