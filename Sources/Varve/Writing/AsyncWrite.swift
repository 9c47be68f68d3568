internal import VarveLog

/// One `async` write: who waits for it, and whether it can still be called off.
final class AsyncWrite<Result: Sendable>: Sendable {
    private struct State: Sendable {
        var continuation: CheckedContinuation<Result, any Error>?
        var isRunning = false
        var isCancelled = false
    }

    private let state = Lock(State())

    /// The task was cancelled. From the append on this changes nothing any more.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// False where the task was cancelled before: then the continuation has been resumed.
    func begin(_ continuation: CheckedContinuation<Result, any Error>) -> Bool {
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

    func finish(_ result: Swift.Result<Result, any Error>) {
        take(ifRunning: true)?.resume(with: result)
    }

    /// A write that waits for its turn ends at once; one that runs finds out before it appends.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        take(ifRunning: false)?.resume(throwing: CancellationError())
    }

    private func take(ifRunning: Bool) -> CheckedContinuation<Result, any Error>? {
        state.withLock { state in
            guard state.isRunning == ifRunning else { return nil }
            defer { state.continuation = nil }
            return state.continuation
        }
    }
}
