internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Lets writers that want their transactions to be safe share one sync.
///
/// Of those who wait, one leads: it syncs everything that was appended by then, while further
/// writers append; shows the state behind it; and hands the lead to the first of those who came
/// too late. Nobody waits here with the turn to write in his hands.
///
/// Invariant: while somebody waits, somebody leads.
final class GroupCommit: Sendable {
    /// What was appended last: how to make it safe, and the state behind it.
    struct Appended: Sendable {
        let target: SyncTarget
        let state: SharedState
    }

    fileprivate struct State: Sendable {
        var newest: Appended?
        var waiters: [CommitWaiter] = []
        /// How many of them are threads.
        var threadCount = 0
        var hasLeader = false
        var failure: LogError?
        var patience = CommitPatience(processors: GroupCommit.processors)
        /// When the next sync is due that nobody waits for.
        var deadline: DispatchTime?
    }

    private static let processors = ProcessInfo.processInfo.activeProcessorCount

    let progress: SyncProgress
    private let published: PublishedState
    private let state = Lock(State())
    /// Where syncs run that no thread waits for.
    private let queue: DispatchQueue
    private let storeLog: StoreLog?

    init(
        _ progress: SyncProgress, _ published: PublishedState, queue: DispatchQueue,
        _ storeLog: StoreLog?
    ) {
        self.progress = progress
        self.published = published
        self.queue = queue
        self.storeLog = storeLog
    }

    /// The failed sync that ended the writing.
    var failure: LogError? { state.withLock { $0.failure } ?? progress.failure }

    // MARK: - What was appended

    /// Called in the writer's turn, so that what comes is ever newer.
    func didAppend(_ appended: Appended) {
        let former = state.withLock { state in
            defer { state.newest = appended }
            return state.newest
        }
        withExtendedLifetime(former) {}
    }

    /// Lets go of the file that would be synced. Nothing may be appended afterwards.
    func letGo() {
        let former = state.withLock { state in
            defer { state.newest = nil }
            return state.newest
        }
        withExtendedLifetime(former) {}
    }

    // MARK: - Waiting

    /// Returns when the transaction is safe, and everything through it is shown.
    func wait(for transaction: TransactionID) throws(StoreError) {
        // Made for those who wait only: a writer that is alone never does.
        var bell: CommitBell?
        let role = enlist(transaction, isThread: true) {
            let new = CommitBell()
            bell = new
            return { new.ring($0) }
        }
        let outcome: LogError?
        switch role {
        case .settled(let failure): outcome = failure
        case .mustLead: outcome = lead()
        case .waits(let timeAwake):
            guard let bell else { preconditionFailure("who waits has a bell") }
            switch call(of: bell, awakeFor: timeAwake) {
            case .settled(let failure): outcome = failure
            case .mustLead: outcome = lead()
            }
        }
        if let outcome { throw .outcomeUnknown(transaction, outcome) }
    }

    private func call(of bell: CommitBell, awakeFor time: Duration?) -> CommitCall {
        if let time {
            let absence = bell.waitAwake(for: time)
            if absence.time > CommitPatience.absenceMax {
                state.withLock { $0.patience.wasAbsent(for: absence.time, until: absence.end) }
            }
        }
        return bell.wait()
    }

    /// Calls back, on any thread, when the transaction is safe, and everything through it is shown.
    func whenSafe(
        _ transaction: TransactionID, _ completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        let settle = { @Sendable (failure: LogError?) in
            completion(failure.map { .outcomeUnknown(transaction, $0) })
        }
        let take = { @Sendable [self] (call: CommitCall) in
            switch call {
            case .settled(let failure): settle(failure)
            case .mustLead: queue.async { [self] in settle(lead()) }
            }
        }
        switch enlist(transaction, isThread: false, { take }) {
        case .settled(let failure): settle(failure)
        case .mustLead: take(.mustLead)
        case .waits: break
        }
    }

    /// Sees to it that what was appended is safe after `delay` at the latest, and says so then.
    func syncWithin(_ delay: Duration, _ completion: @escaping @Sendable () -> Void) {
        let due = DispatchTime.now() + delay.dispatchInterval
        let isNew = state.withLock { state in
            if let deadline = state.deadline, deadline <= due { return false }
            state.deadline = due
            return true
        }
        guard isNew else { return }
        // Strongly: also what a store wrote that is gone by then, without `close`, is due.
        queue.asyncAfter(deadline: due) { [self] in syncIsDue(completion) }
    }

    private func syncIsDue(_ completion: @escaping @Sendable () -> Void) {
        let newest = state.withLock { state in
            state.deadline = nil
            return state.newest?.state.lastTransaction
        }
        guard let newest else { return }
        // A failure is found by the next write: the log remembers it.
        whenSafe(newest) { failure in if failure == nil { completion() } }
    }

    private enum Role {
        case settled(LogError?)
        case mustLead
        /// For so long awake.
        case waits(Duration?)
    }

    /// - Parameters:
    ///   - isThread: whether a thread will wait, and not only what is called back.
    ///   - makeCall: makes what calls one who has to wait.
    private func enlist(
        _ transaction: TransactionID, isThread: Bool,
        _ makeCall: () -> @Sendable (CommitCall) -> Void
    ) -> Role {
        // Both: a roll makes safe and shows nothing, a relaxed write shows what is not safe.
        if progress.durableSequence.rawValue >= transaction.rawValue,
            published.lastTransaction >= transaction
        {
            return .settled(nil)
        }
        return state.withLock { state in
            if let failure = state.failure { return .settled(failure) }
            guard state.hasLeader else {
                state.hasLeader = true
                return .mustLead
            }
            state.waiters.append(
                CommitWaiter(transaction: transaction, isThread: isThread, call: makeCall()))
            guard isThread else { return .waits(nil) }
            state.threadCount += 1
            return .waits(state.patience.timeAwake(of: state.threadCount, at: .now))
        }
    }

    // MARK: - Leading

    /// Syncs once for everything that was appended, tells those who waited for it, and hands the
    /// lead on. Returns the failure.
    private func lead() -> LogError? {
        let newest = state.withLock { $0.newest }
        var failure: LogError?
        var time: Duration?
        // Let go when all were told.
        var remains = TransactionRemains()
        if let newest {
            do throws(LogError) {
                let start = ContinuousClock.now
                try progress.synchronize(newest.target)
                time = ContinuousClock.now - start
                published.publish(newest.state, leaving: &remains)
            } catch {
                failure = error
            }
        } else {
            failure = progress.failure
        }
        let outcome = failure
        let reached = newest?.state.lastTransaction
        let (settled, next, isFirstFailure) = state.withLock { [time] state in
            if let time { state.patience.didSync(in: time, waiters: state.threadCount) }
            let isFirstFailure = outcome != nil && state.failure == nil
            let (settled, next) = state.end(through: reached, failure: outcome)
            return (settled, next, isFirstFailure)
        }
        if let failure, isFirstFailure { storeLog?.syncFailed(failure, behind: reached) }
        // First, so that the next sync runs while the others are told.
        next?.call(.mustLead)
        for waiter in settled { waiter.call(.settled(failure)) }
        withExtendedLifetime(remains) {}
        return failure
    }
}

extension GroupCommit.State {
    /// Ends the lead of one: who is done, and who leads now.
    fileprivate mutating func end(
        through reached: TransactionID?, failure: LogError?
    ) -> (settled: [CommitWaiter], next: CommitWaiter?) {
        let all = waiters
        waiters = []
        threadCount = 0
        hasLeader = false
        if let failure {
            // What was appended during the failed sync will not be synced either.
            self.failure = failure
            return (all, nil)
        }
        guard let reached else { return (all, nil) }
        var settled: [CommitWaiter] = []
        for waiter in all {
            if waiter.transaction <= reached {
                settled.append(waiter)
            } else {
                waiters.append(waiter)
            }
        }
        guard !waiters.isEmpty else { return (settled, nil) }
        hasLeader = true
        let next = waiters.removeFirst()
        threadCount = waiters.count { $0.isThread }
        return (settled, next)
    }
}

extension Duration {
    /// At least nothing, at most what the system can wait for.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return .nanoseconds(0) }
        guard seconds < 1_000_000_000 else { return .seconds(1_000_000_000) }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
