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
    private let runs = Atomic(0)

    /// How often tables were renewed because changes took too much, for tests.
    var runCount: Int { runs.load(ordering: .relaxed) }

    /// Runs `body`, which renews tables, on a thread of its own, unless that is about to happen.
    func start(_ body: @escaping @Sendable () -> Void) {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
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
}

/// What tables are replaced in: the newest state, all of which is in the files.
struct RenewedHead {
    let state: StoreState
    let opening: StoreOpening
    /// What is to be replaced, with how many slots changes take there.
    let positions: [Int: Int]

    /// Brings the followed state up to this one, or somewhat beyond. It has the indexes that the tables look for.
    func follow(_ followed: inout TableRenewal.Followed) throws(StoreError) {
        try apply(&followed)
        followed.state?.makeIndexes(
            state.storedIndexes(ofTablesAt: positions.keys),
            keyBytesMax: opening.memory.indexKeyBytesMax)
    }

    private func apply(_ followed: inout TableRenewal.Followed) throws(StoreError) {
        if let state = followed.state, !state.isAtItsEnd {
            let (last, wanted) = (state.state.lastTransaction, self.state.lastTransaction)
            guard wanted > last else { return }
            switch try state.advance(limit: Int(wanted.rawValue - last.rawValue)) {
            case .upToDate, .more: return
            // What it would go on with was dropped by a compaction.
            case .rewound, .gap: break
            }
        }
        followed.state = try opening.following()
    }

    /// Stored tables for the positions; nil where the log has led to another transaction.
    func replacements(
        _ followed: inout TableRenewal.Followed
    ) throws(StoreError) -> [Int: AnyTable]? {
        try follow(&followed)
        guard let next = followed.state?.state, next.lastTransaction == state.lastTransaction else {
            return nil
        }
        let renewed = try opening.renewedTables(of: next, state, following: followed.rebuilt)
        followed.rebuilt = renewed.rebuilt
        return state.context.tables.replacements(
            for: Set(positions.keys), in: renewed.state.context.tables)
    }
}

extension Writer {
    /// Starts to renew tables, on a thread of its own, if changes take too much memory. Writers wait for that if they take
    /// twice as much.
    func renewTablesIfDue() {
        guard memory.changes.needsRelease else { return }
        renewal.start { [self] in
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
        defer {
            // What the hydration has reserved is released.
            inTurn { $0.measureChangesNow() }
            memory.changes.noteRelease()
        }
        renewal.withFollowed { followed in
            if isAnew { followed = TableRenewal.Followed() }
            while true {
                do {
                    return try renewTables(&followed)
                } catch {
                    storeLog?.damage(error)
                    let wasFollowing = followed.state != nil
                    followed = TableRenewal.Followed()
                    // Once, of the checkpoint before or the whole log.
                    guard wasFollowing, case StoreError.log(let cause) = error,
                        cause.isAboutCheckpoint
                    else { return }
                    health.noticeLate(cause)
                }
            }
        }
    }

    private func renewTables(_ followed: inout TableRenewal.Followed) throws {
        // Most of the log is applied while writes go on, and the rest while they wait.
        guard let head = try inTurn({ try renewedHead($0) }) else { return }
        try head.follow(&followed)
        try inTurn { core in
            guard let head = try renewedHead(core) else { return }
            use(try head.replacements(&followed), of: head, core)
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
