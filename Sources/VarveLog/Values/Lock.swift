public import Synchronization

/// The lock for what is held for a moment only; see `ContendedLock` for the other kind.
@usableFromInline
package final class Lock<State: Sendable>: Sendable {
    @usableFromInline let inner: InlineLock<State>

    @inlinable
    package init(_ state: State) { inner = InlineLock(state) }

    // Inlined for the same reason as `withLock`: it looks up how to destroy what it guards.
    @inlinable
    deinit {}

    /// Not reentrant: locking inside `body` ends the program, or waits forever.
    // Inlined: a store takes a dozen locks at each commit, and one that does not know what it
    // guards looks up how to copy it each time.
    @inlinable
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try inner.withLock { state throws(Failure) in try body(&state) }
    }
}

#if VARVE_TSAN
    /// The C library's mutex under the thread sanitizer, which does not see through `Mutex` on Linux and would
    /// report races that are none.
    @usableFromInline
    package struct InlineLock<State: Sendable>: ~Copyable, @unchecked Sendable {
        private let mutex = PlatformMutex(())
        // Sendable unchecked: only for the thread that holds the mutex. Behind a pointer: of a property of the mutex, a
        // build without optimization reports each change as one of the mutex itself.
        private let state: UnsafeMutablePointer<State>

        @usableFromInline
        package init(_ state: consuming State) {
            self.state = .allocate(capacity: 1)
            self.state.initialize(to: state)
        }

        deinit { state.deinitialize(count: 1).deallocate() }

        @usableFromInline
        package func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout State) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            mutex.lock()
            defer { mutex.unlock() }
            return try body(&state.pointee)
        }
    }
#else
    /// A ``Lock`` that is no object of its own, for a property of objects that there are many of.
    @usableFromInline
    package struct InlineLock<State: Sendable>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<State>

        @inlinable
        package init(_ state: consuming State) { mutex = Mutex(state) }

        @inlinable
        package func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout State) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try mutex.withLock { state throws(Failure) in try body(&state) }
        }
    }
#endif
