internal import Foundation
internal import Synchronization
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// A transaction whose body has run and which another thread encodes and appends, while the next one's body runs.
///
/// The head is the state behind it. It is shown, or rolled back, when it is settled: in a later turn.
///
/// Unchecked: what varies is written on the queue that logs, which is waited for, and by the holder of the turn behind
/// that.
final class PendingCommit: @unchecked Sendable {
    enum Outcome {
        /// What must be safe before the caller may be told of it, and who sees to it.
        case logged(awaited: Writer.Receipt.Awaited?)
        case failed(any Error)
    }

    let transaction: TransactionID
    let open: Writer.OpenLog
    let durability: Durability
    /// The states before and behind it.
    let base: SharedState
    let head: SharedState
    /// What it is measured by; nil where there is no log.
    let commit: StoreLog.Commit?
    /// Let go when it is settled: it shares pages with what is being changed.
    private var insertions: Insertions?
    /// What the log took, or why it did not.
    private var logged: Result<ContiguousArray<PackedLeaves>, any Error> = .success([])
    private let isAnswered = Atomic(false)
    private let queue: DispatchQueue

    /// - Parameter queue: where it is logged.
    init(
        _ transaction: TransactionID, _ open: Writer.OpenLog, _ durability: Durability,
        from base: SharedState, to head: SharedState, _ insertions: Insertions,
        _ commit: StoreLog.Commit?, on queue: DispatchQueue
    ) {
        self.transaction = transaction
        self.open = open
        self.durability = durability
        self.base = base
        self.head = head
        self.insertions = insertions
        self.commit = commit
        self.queue = queue
    }

    /// Has it encoded and appended, in no turn: until that is done nothing else touches the encoder or the log.
    func log(
        _ append: @escaping @Sendable (Insertions) throws -> ContiguousArray<PackedLeaves>
    ) {
        queue.async { [self] in
            guard let insertions else { preconditionFailure("a transaction that is logged twice") }
            logged = Result { try append(insertions) }
            isAnswered.store(true, ordering: .relaxed)
        }
    }

    /// Whether the log has it, or has refused it: then nobody waits for it.
    var isLogged: Bool { isAnswered.load(ordering: .relaxed) }

    /// Waits until the log has it, or refuses it.
    func wait() {
        // Not by a semaphore: so the queue gets the priority of who waits, where the system has such.
        queue.sync {}
    }

    /// The leaves that it filled, packed, but for those of which a context has other rows by now. Throws where the log
    /// refused the transaction. Behind this no page of the context is shared on its account. Once.
    func takeLeaves(for context: borrowing Context) throws -> ContiguousArray<PackedLeaves> {
        wait()
        guard let insertions else { preconditionFailure("a transaction that is settled twice") }
        self.insertions = nil
        var leaves = try logged.get()
        logged = .success([])
        for index in leaves.indices { leaves[index].dropOutdated(in: context, since: insertions) }
        return leaves
    }
}
