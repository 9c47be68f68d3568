import BenchmarkSupport
import Foundation

/// Threads that commit at the same time, each one entity a transaction, synced.
struct Writers {
    let count: Int
    let commits: Int

    /// The seconds that all took together, and those of each commit.
    ///
    /// - Parameter first: the number of the first user that they commit.
    func run(on engine: any Engine, from first: Int, within limit: Double) throws -> (
        seconds: Double, latencies: [Double]
    ) {
        let outcomes = Outcomes()
        let done = DispatchGroup()
        let shared = Shared(engine: engine)
        let seconds = WallClock.seconds {
            for writer in 0..<count {
                done.enter()
                Thread.detachNewThread {
                    defer { done.leave() }
                    outcomes.add(
                        Result {
                            try WallClock.latencies(commits, within: limit) { number in
                                let user = Dataset.user(first + writer * commits + number)
                                try shared.engine.insert(user, synced: true)
                            }
                        })
                }
            }
            done.wait()
        }
        return (seconds, try outcomes.latencies())
    }

    /// `insert` of every engine may be called from any thread; see ``Engine``.
    private struct Shared: @unchecked Sendable {
        let engine: any Engine
    }

    /// Guarded by its lock.
    private final class Outcomes: @unchecked Sendable {
        private let lock = NSLock()
        private var results: [Result<[Double], any Error>] = []

        func add(_ result: Result<[Double], any Error>) {
            lock.withLock { results.append(result) }
        }

        func latencies() throws -> [Double] {
            try lock.withLock { try results.flatMap { try $0.get() } }
        }
    }
}
