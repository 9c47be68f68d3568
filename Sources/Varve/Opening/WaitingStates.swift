internal import Synchronization
internal import VarveGraph
internal import VarveLog

/// The states that tables of a store's contexts are filled from when they are read: of the newest context and of all of the
/// past that the app holds.
final class WaitingStates: Sendable {
    // Sendable unchecked: the lock around the entries guards the references.
    private struct Entry: @unchecked Sendable {
        weak var state: RebuiltState?
    }

    private let entries = Lock<[Entry]>([])
    /// Whether a table could not be filled, of any context.
    private let hasFailed = Atomic(false)

    func add(_ state: RebuiltState) {
        entries.withLock { entries in
            entries.removeAll { $0.state == nil }
            entries.append(Entry(state: state))
        }
    }

    /// Those that a compaction takes something from which could be needed: the checkpoint under them, or what else leads to
    /// them.
    func threatened(by manifest: Manifest) -> [RebuiltState] {
        let states = entries.withLock { $0.compactMap(\.state) }
        return states.filter { !$0.isKept(by: manifest) }
    }

    // MARK: - Failures

    func noteFailure() { hasFailed.store(true, ordering: .relaxed) }

    /// Throws where a table of a context could not be filled, and still cannot. Whatever reads that table would end the
    /// process.
    func check(_ context: @autoclosure () -> Context) throws(StoreError) {
        guard hasFailed.load(ordering: .relaxed) else { return }
        for table in context().tables.tables.unfilled {
            guard let error = table.fillFailure as? StoreError else { continue }
            // What is damaged stays so: filling it in vain takes long.
            guard error.isRefusalBySystem else { throw error }
            table.fillAhead()
            if let error = table.fillFailure as? StoreError { throw error }
        }
    }
}

extension Writer.Core {
    /// The log, for a transaction on the head: what that reads must be there.
    func openLogForChanges() throws -> Writer.OpenLog {
        let open = try openLog()
        try opening.waiting.check(head.context)
        return open
    }
}
