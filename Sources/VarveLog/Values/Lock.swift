import Synchronization

/// The one kind of lock in this package. `Mutex` normally; the C library's mutex under the thread
/// sanitizer, which does not see through `Mutex` on Linux and would report races that are none.
package final class Lock<State: Sendable>: Sendable {
    #if VARVE_TSAN
        private let mutex: SanitizerMutex<State>
    #else
        private let mutex: Mutex<State>
    #endif

    package init(_ state: State) {
        #if VARVE_TSAN
            mutex = SanitizerMutex(state)
        #else
            mutex = Mutex(state)
        #endif
    }

    /// Not reentrant: locking inside `body` ends the program.
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withLock { state throws(Failure) in try body(&state) }
    }
}
