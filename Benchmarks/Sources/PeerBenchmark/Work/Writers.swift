import Foundation

/// Threads that commit at the same time, each one entity a transaction, synced.
struct Writers {
    let count: Int
    let commits: Int

    /// Commits a second, of all together.
    func run(on engine: any Engine) throws -> Double {
        let failures = Failures()
        let done = DispatchGroup()
        let shared = Shared(engine: engine)
        let seconds = WallClock.seconds {
            for writer in 0..<count {
                done.enter()
                Thread.detachNewThread {
                    defer { done.leave() }
                    for number in 0..<commits {
                        let user = Dataset.user(8_000_000 + writer * 10_000 + number)
                        do {
                            try shared.engine.insert(user, synced: true)
                        } catch {
                            failures.add(error)
                        }
                    }
                }
            }
            done.wait()
        }
        if let failure = failures.first { throw failure }
        return Double(count * commits) / seconds
    }

    /// `insert` of every engine may be called from any thread; see ``Engine``.
    private struct Shared: @unchecked Sendable {
        let engine: any Engine
    }

    /// Guarded by its lock.
    private final class Failures: @unchecked Sendable {
        private let lock = NSLock()
        private var errors: [any Error] = []

        func add(_ error: any Error) { lock.withLock { errors.append(error) } }

        var first: (any Error)? { lock.withLock { errors.first } }
    }
}
