internal import Foundation
internal import Synchronization
internal import VarveLog

/// Lets one thread wait until it is called.
final class CommitBell: Sendable {
    private struct State: Sendable {
        var call: CommitCall?
        /// Made by the one who waits when he goes to sleep.
        var semaphore: DispatchSemaphore?
    }

    private let state = Lock(State())
    /// What one who is awake looks at. The call is in the state by then.
    private let hasRung = Atomic(false)

    func ring(_ call: CommitCall) {
        let semaphore = state.withLock { state in
            state.call = call
            return state.semaphore
        }
        hasRung.store(true, ordering: .releasing)
        semaphore?.signal()
    }

    /// Leaves the processor to others until the bell has rung, and no longer than `limit`. Returns the longest time
    /// for which the processor did not come back, and when it did.
    func waitAwake(
        for limit: Duration
    ) -> (time: Duration, end: ContinuousClock.Instant) {
        let start = ContinuousClock.now
        var last = start
        var longest = (time: Duration.zero, end: start)
        while !hasRung.load(ordering: .acquiring), last - start < limit {
            SystemEnvironment.yieldProcessor()
            let now = ContinuousClock.now
            if now - last > longest.time { longest = (now - last, now) }
            last = now
        }
        return longest
    }

    /// Sleeps until the bell has rung.
    func wait() -> CommitCall {
        let semaphore = state.withLock { state -> DispatchSemaphore? in
            guard state.call == nil else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.semaphore = semaphore
            return semaphore
        }
        semaphore?.wait()
        guard let call = state.withLock({ $0.call }) else {
            preconditionFailure("a bell rings with a call")
        }
        return call
    }
}
