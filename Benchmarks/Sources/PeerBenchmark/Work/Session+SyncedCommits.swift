import BenchmarkSupport
import Foundation

extension Session {
    /// One writer and 32 of them, in turns: what the disk does to one it does to the others.
    mutating func commitSynced(_ engine: any Engine) throws {
        let users = (0..<work.syncedCommits).map { Dataset.user(7_000_000 + $0) }
        let part = users.count / work.syncedTurns
        let threadSafe = Shared(engine: engine)
        var alone: [Double] = []
        var threads = Writers.Times.none
        var tasks = Writers.Times.none
        for turn in 0..<work.syncedTurns {
            alone += try WallClock.latencies(part, within: work.secondsPerTurn) {
                try engine.insert(users[turn * part + $0], synced: true)
            }
            threads += try work.writers(from: 8_000_000, in: turn).threads {
                try threadSafe.engine.insert($0, synced: true)
            }
            // The others have calls that wait, and nothing else.
            if let insert = (engine as? VarveEngine)?.insertFromTask {
                tasks += try work.writers(from: 9_000_000, in: turn).tasks(insert)
            }
        }
        let rate = Double(alone.count) / alone.reduce(0, +)
        result.figures[.syncedCommit] = rate
        result.figures[.syncedP50] = alone.percentile(0.5) * 1e6
        result.figures[.syncedP99] = alone.percentile(0.99) * 1e6
        result.figures[.writers32] = threads.rate
        result.figures[.writersGain] = threads.rate / rate
        result.figures[.writersP99] = threads.latencies.percentile(0.99) * 1e6
        guard !tasks.latencies.isEmpty else { return }
        result.figures[.tasks32] = tasks.rate
        result.figures[.tasksGain] = tasks.rate / rate
        result.figures[.tasksP99] = tasks.latencies.percentile(0.99) * 1e6
    }

    /// `insert` of every engine may be called from any thread; see ``Engine``.
    private struct Shared: @unchecked Sendable {
        let engine: any Engine
    }
}

extension Workload {
    /// How often one writer and many of them take turns.
    var syncedTurns: Int { 4 }

    /// How long the disk may make a turn.
    var secondsPerTurn: Double { seconds / Double(syncedTurns) }

    /// Those of a turn. Each commits users of its own.
    func writers(from first: Int, in turn: Int) -> Writers {
        let commits = commitsPerWriter / syncedTurns
        return Writers(
            count: 32, commits: commits, first: first + turn * 32 * commits,
            limit: secondsPerTurn)
    }
}
