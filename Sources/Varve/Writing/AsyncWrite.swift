internal import VarveLog

/// One `async` write: who waits for it, and whether it can still be called off.
///
/// It does not know what the write results in, and so is not generic: code that is looks up types at run time, a
/// dozen times a write.
final class AsyncWrite: Sendable {
    typealias Continuation = UnsafeContinuation<Void, any Error>

    private struct State: Sendable {
        /// Unsafe, because who takes it out of here resumes it, and nobody takes it twice.
        var continuation: Continuation?
        var isRunning = false
        var isCancelled = false
    }

    private let state = InlineLock(State())

    /// The task was cancelled. From the append on this changes nothing any more.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// False where the task was cancelled before: then the continuation has been resumed.
    func begin(_ continuation: Continuation) -> Bool {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return state.isCancelled
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    /// The write's turn has come. False where it was called off.
    func start() -> Bool {
        state.withLock { state in
            guard state.continuation != nil else { return false }
            state.isRunning = true
            return true
        }
    }

    /// The write has ended, with an error or with what it was to do done.
    func finish(_ error: (any Error)?) {
        guard let continuation = take(ifRunning: true) else { return }
        if let error {
            continuation.resume(throwing: error)
        } else {
            continuation.resume()
        }
    }

    /// A write that waits for its turn ends at once; one that runs finds out before it appends.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        take(ifRunning: false)?.resume(throwing: CancellationError())
    }

    private func take(ifRunning: Bool) -> Continuation? {
        state.withLock { state in
            guard state.isRunning == ifRunning else { return nil }
            defer { state.continuation = nil }
            return state.continuation
        }
    }
}
