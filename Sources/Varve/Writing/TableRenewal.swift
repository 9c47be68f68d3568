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
/// The state is made of the newest checkpoint and the log at the first time, and behind a compaction, so that it takes no
/// more than what came since. From then on it follows the log.
final class TableRenewal: Sendable {
    /// The state, and what reads it.
    struct Followed {
        var state: FollowedState?
        weak var rebuilt: RebuiltState?
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

    /// How often tables were renewed because changes took too much, for tests.
    var runCount: Int { runs.load(ordering: .relaxed) }

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
    func withFollowed(_ body: (inout Followed) -> Void) {
        guarded.withLock { body(&$0.followed) }
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

/// What tables are replaced in: the newest state, all of which is in the files.
struct RenewedHead {
    /// How many transactions are applied before it is asked whether to go on.
    private static let transactionsPerLook = 1_024

    let state: StoreState
    let opening: StoreOpening
    /// What is to be replaced, with how many slots changes take there.
    let positions: [Int: Int]

    /// Brings the followed state up to this one, or somewhat beyond, with the indexes that the tables look for.
    func follow(
        _ followed: inout TableRenewal.Followed, avoiding errors: [LogError],
        isCancelled: () -> Bool
    ) throws(StoreError) {
        let causes = errors + (followed.rebuilt?.causes ?? [])
        if !causes.isEmpty { followed.state = nil }
        if try !apply(&followed, isCancelled: isCancelled) {
            followed.state = try opening.following(avoiding: causes)
        }
        try followed.state?.makeIndexes(
            state.storedIndexes(ofTablesAt: positions.keys),
            keyBytesMax: opening.memory.indexKeyBytesMax, isCancelled: isCancelled)
    }

    /// Applies what the log has behind the followed state. False where another one is to be made of the files.
    func apply(
        _ followed: inout TableRenewal.Followed, isCancelled: () -> Bool
    ) throws(StoreError) -> Bool {
        guard let next = followed.state, !next.isAtItsEnd else { return false }
        while next.state.lastTransaction < state.lastTransaction, !isCancelled() {
            let missing = state.lastTransaction.rawValue - next.state.lastTransaction.rawValue
            let limit = min(Int(missing), Self.transactionsPerLook)
            switch try next.advance(limit: limit) {
            case .more: continue
            case .upToDate: return true
            // What it would go on with was dropped by a compaction.
            case .rewound, .gap: return false
            }
        }
        return true
    }

    /// Stored tables for the positions; nil where the log has led to another transaction.
    ///
    /// - Parameter compared: below which slots ids are known to be equal, by position.
    func replacements(
        _ followed: TableRenewal.Followed, idsComparedBelow compared: [Int: Int] = [:]
    ) throws(StoreError) -> (tables: [Int: AnyTable], rebuilt: RebuiltState?)? {
        guard let next = followed.state?.state, next.lastTransaction == state.lastTransaction else {
            return nil
        }
        let renewed = try opening.renewedTables(of: next, state, following: followed.rebuilt)
        let tables = state.context.tables.replacements(
            for: Set(positions.keys), in: renewed.state.context.tables, idsComparedBelow: compared)
        return (tables, renewed.rebuilt)
    }
}

extension Writer {
    /// Starts to renew tables, on a thread of its own, if changes take too much memory. Writers wait for that if they take
    /// twice as much.
    func renewTablesIfDue() {
        guard memory.changes.needsRelease else { return }
        renewal.start { [weak self] in
            guard let self else { return }
            stall.begin()
            renewTables()
            stall.end()
        }
    }

    /// Replaces tables that do not fit the memory budget by stored tables of the newest state. Where that fails, the tables
    /// stay as they are.
    ///
    /// - Parameter isAnew: whether the state is made of the newest checkpoint.
    /// - Complexity: O(what was logged since the last time), or that of opening the store.
    func renewTables(startingAnew isAnew: Bool = false) {
        renewal.withFollowed { followed in
            if isAnew { followed = TableRenewal.Followed() }
            do {
                try renewTables(&followed, avoiding: [])
            } catch {
                followed = TableRenewal.Followed()
                storeLog?.damage(error)
                guard case StoreError.log(let cause) = error, cause.isAboutCheckpoint else { return }
                health.noticeLate(cause)
                do {
                    try renewTables(&followed, avoiding: [cause])
                } catch {
                    followed = TableRenewal.Followed()
                    storeLog?.damage(error)
                }
            }
        }
        // What the hydration has reserved is released.
        inTurn { $0.measureChangesNow() }
        memory.changes.noteRelease()
    }

    /// Most of it runs beside writes: they wait while the last transactions are applied and tables are replaced.
    private func renewTables(
        _ followed: inout TableRenewal.Followed, avoiding errors: [LogError]
    ) throws {
        let isCancelled = { [renewal] in renewal.isCancelled }
        // A compaction may end in between, and take what the state would go on with.
        for _ in 0..<2 {
            guard let head = try inTurn({ try renewedHead($0) }) else { return }
            try head.follow(&followed, avoiding: errors, isCancelled: isCancelled)
            let compared = try head.replacements(followed).map { comparison in
                comparison.tables.mapValues(\.slotCount)
            }
            // Released behind the turn: the last references to what the changes took.
            let former = try inTurn { core -> RenewedHead? in
                guard let head = try renewedHead(core),
                    try head.apply(&followed, isCancelled: isCancelled)
                else { return nil }
                let next = try head.replacements(followed, idsComparedBelow: compared ?? [:])
                followed.rebuilt = next?.rebuilt
                use(next?.tables, of: head, core)
                return head
            }
            if former != nil || isCancelled() { return }
        }
    }

    /// Nil where there is nothing to replace.
    private func renewedHead(_ core: Core) throws -> RenewedHead? {
        guard case .open(let open) = core.access else { return nil }
        core.measureChangesNow()
        let positions = core.changedTables.replaceable
        guard !positions.isEmpty else { return nil }
        // What follows the log reads what it promises.
        try StoreError.wrapping { () throws(LogError) in
            try open.log.sync()
            try open.log.seal()
        }
        core.seal.didSeal()
        published.publish(core.sharedHead)
        return RenewedHead(state: core.head, opening: core.opening, positions: positions)
    }

    /// Puts stored tables in the place of those of the head, and of the state that readers see.
    private func use(_ tables: [Int: AnyTable]?, of head: RenewedHead, _ core: Core) {
        guard let tables else { return }
        core.sharedHead.replaceTables { $0.replace(by: tables) }
        // The head may be another object with equal content: its undo steps are trimmed.
        published.replaceTables(behind: head.state.lastTransaction) { $0.replace(by: tables) }
        core.changedTables.note(Set(tables.keys), of: head.positions)
    }
}
