import BenchmarkSupport
import Foundation

/// Writers that commit at the same time, each one entity a transaction, synced.
struct Writers {
    /// What they took together, and each commit; in seconds.
    struct Times {
        var together: Double
        var latencies: [Double]

        static let none = Times(together: 0, latencies: [])

        /// Commits a second.
        var rate: Double { Double(latencies.count) / together }

        static func += (one: inout Times, other: Times) {
            one.together += other.together
            one.latencies += other.latencies
        }
    }

    let count: Int
    let commits: Int
    /// The number of the first user that they commit.
    let first: Int
    /// No commit begins later than so many seconds after the first.
    let limit: Double

    /// A thread for each writer.
    func threads(_ insert: @escaping @Sendable (UserRecord) throws -> Void) throws -> Times {
        let outcomes = Outcomes()
        let done = DispatchGroup()
        let users = self.users
        let seconds = WallClock.seconds {
            for writer in 0..<count {
                done.enter()
                Thread.detachNewThread {
                    defer { done.leave() }
                    outcomes.add(
                        Result {
                            try WallClock.latencies(commits, within: limit) { number in
                                try insert(users[writer][number])
                            }
                        })
                }
            }
            done.wait()
        }
        return Times(together: seconds, latencies: try outcomes.latencies())
    }

    /// A task for each writer.
    func tasks(_ insert: @escaping @Sendable (UserRecord) async throws -> Void) throws -> Times {
        let outcomes = Outcomes()
        let done = DispatchGroup()
        let users = self.users
        let seconds = WallClock.seconds {
            for writer in 0..<count {
                done.enter()
                Task.detached {
                    defer { done.leave() }
                    do {
                        outcomes.add(.success(try await latencies(of: users[writer], insert)))
                    } catch {
                        outcomes.add(.failure(error))
                    }
                }
            }
            done.wait()
        }
        return Times(together: seconds, latencies: try outcomes.latencies())
    }

    private func latencies(of users: [UserRecord], _ insert: (UserRecord) async throws -> Void)
        async throws -> [Double]
    {
        var latencies: [Double] = []
        latencies.reserveCapacity(commits)
        let start = ContinuousClock.now
        while latencies.count < commits, WallClock.seconds(since: start) <= limit {
            let user = users[latencies.count]
            let began = ContinuousClock.now
            try await insert(user)
            latencies.append(WallClock.seconds(since: began))
        }
        return latencies
    }

    /// Those of each writer, made before the clock runs, as they are for one writer alone.
    private var users: [[UserRecord]] {
        (0..<count).map { writer in
            (0..<commits).map { Dataset.user(first + writer * commits + $0) }
        }
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
