public import Synchronization

/// A ``Lock`` that is no object of its own, for a property of objects that there are many of.
@usableFromInline
package struct InlineLock<State: Sendable>: ~Copyable, Sendable {
    #if VARVE_TSAN
        private let lock: Lock<State>

        package init(_ state: consuming State) { lock = Lock(state) }
    #else
        @usableFromInline let lock: Mutex<State>

        @inlinable
        package init(_ state: consuming State) { lock = Mutex(state) }
    #endif

    /// Not reentrant, as ``Lock/withLock(_:)``, and inlined for the same reason.
    #if !VARVE_TSAN
        @inlinable
    #endif
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { state throws(Failure) in try body(&state) }
    }
}

#if VARVE_TSAN
    /// The lock for what is held for a moment only: the C library's mutex under the thread sanitizer, which
    /// does not see through `Mutex` on Linux and would report races that are none.
    package final class Lock<State: Sendable>: Sendable {
        private let mutex: PlatformMutex<State>

        package init(_ state: State) { mutex = PlatformMutex(state) }

        /// Not reentrant: locking inside `body` waits forever.
        package func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout State) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            mutex.lock()
            defer { mutex.unlock() }
            return try body(&mutex.state)
        }
    }
#else
    /// The lock for what is held for a moment only; see `ContendedLock` for the other kind.
    @usableFromInline
    package final class Lock<State: Sendable>: Sendable {
        @usableFromInline let mutex: Mutex<State>

        @inlinable
        package init(_ state: State) { mutex = Mutex(state) }

        // Inlined for the same reason as `withLock`: it looks up how to destroy what it guards.
        @inlinable
        deinit {}

        /// Not reentrant: locking inside `body` ends the program.
        // Inlined: a store takes a dozen locks at each commit, and one that does not know what it
        // guards looks up how to copy it each time.
        @inlinable
        package func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout State) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try mutex.withLock { state throws(Failure) in try body(&state) }
        }
    }
#endif
