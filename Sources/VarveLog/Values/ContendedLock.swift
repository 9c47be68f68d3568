internal import CVarve
internal import Synchronization

/// A lock that many threads want at once, each to work for some microseconds while it holds it.
///
/// `Lock` is handed in the kernel to the thread that has waited longest, which sleeps: while it wakes,
/// nobody works, and that takes as long as the work. Here whoever runs takes the lock. One thread at most
/// waits awake, for about as long as the work inside takes, and all others sleep.
package final class ContendedLock<State: Sendable>: Sendable {
    private let mutex: PlatformMutex<State>
    /// Whether a thread waits awake.
    private let isAwaited = Atomic(false)

    /// Some tens of microseconds, on processors whose pauses are short or long.
    private static var attempts: Int { 100 }

    package init(_ state: State) { mutex = PlatformMutex(state) }

    /// Not reentrant: locking inside `body` waits forever.
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !mutex.tryLock() { wait() }
        defer { mutex.unlock() }
        return try body(&mutex.state)
    }

    /// Calls `body` with the lock, if no thread holds it; nil where one does.
    package func withLockIfAvailable<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard mutex.tryLock() else { return nil }
        defer { mutex.unlock() }
        return try body(&mutex.state)
    }

    @inline(never)
    private func wait() {
        // More than one would only take processors from those who could do something else.
        if POSIX.hasSeveralProcessors, !isAwaited.exchange(true, ordering: .relaxed) {
            defer { isAwaited.store(false, ordering: .relaxed) }
            for _ in 0..<Self.attempts {
                varve_pause()
                if mutex.tryLock() { return }
            }
        }
        mutex.lock()
    }
}
