import BenchmarkSupport
import Foundation

/// What the machine allows for the work that the engines do, found in the same run.
struct LimitWork: Work {
    let child: Child

    private var file: URL { directory.appending(path: "records") }

    func run() throws -> RunResult {
        var result = RunResult(.limit)
        try write(&result)
        try read(&result)
        try commit(&result)
        let users = (0..<work.size).map { Dataset.user($0) }
        lookUp(users, &result)
        walk(users, &result)
        return result
    }

    /// The bare records, one after the other, and one sync.
    private func write(_ result: inout RunResult) throws {
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw EngineError(.limit, "no file at \(file.path)")
        }
        let handle = try FileHandle(forWritingTo: file)
        var seconds = 0.0
        var bytes = 0
        try Dataset.batches(work.size) { users, posts in
            seconds += try WallClock.seconds {
                var batch: [UInt8] = []
                for user in users { batch += user.encoded() }
                for post in posts { batch += post.encoded() }
                bytes += batch.count
                try handle.write(contentsOf: batch)
            }
        }
        seconds += try WallClock.seconds { try handle.synchronize() }
        try handle.close()
        result.figures[.load] = Double(2 * work.size) / seconds
        for figure in [Figure.loadWritten, .size, .memory] {
            result.figures[figure] = Double(bytes) / 1e6
        }
    }

    /// The bare records, into memory.
    private func read(_ result: inout RunResult) throws {
        var bytes = 0
        let seconds = try WallClock.seconds { bytes = try Data(contentsOf: file).count }
        guard bytes > 0 else { throw EngineError(.limit, "the records are gone") }
        result.figures[.open] = seconds * 1e3
    }

    /// One writer and 32 of them, in turns, that share syncs and do nothing else.
    private func commit(_ result: inout RunResult) throws {
        let users = (0..<work.syncedCommits).map { Dataset.user(7_000_000 + $0) }
        let part = users.count / work.syncedTurns
        let log = BareGroupCommit(try BareLog(in: directory, size: 16 << 20))
        var alone: [Double] = []
        var threads = Writers.Times.none
        for turn in 0..<work.syncedTurns {
            alone += try WallClock.latencies(part, within: work.secondsPerTurn) {
                try log.append(users[turn * part + $0].encoded())
            }
            threads += try work.writers(from: 8_000_000, in: turn).threads {
                try log.append($0.encoded())
            }
        }
        result.figures[.writers32] = threads.rate
        result.figures[.writersGain] = threads.rate * alone.reduce(0, +) / Double(alone.count)
        result.figures[.writersP99] = threads.latencies.percentile(0.99) * 1e6
    }

    /// A dictionary of Swift's, whose values are the users.
    private func lookUp(_ users: [UserRecord], _ result: inout RunResult) {
        let dictionary = Dictionary(uniqueKeysWithValues: users.map { ($0.id, $0) })
        let numbers = SampleData.randomNumbers(work.pointReads, below: work.size, seed: 1)
        let ids = numbers.map { Dataset.userID($0) }
        var sum: UInt64 = 0
        let seconds = WallClock.seconds {
            for id in ids { sum &+= dictionary[id]?.digest ?? 0 }
        }
        result.figures[.pointRead] = Double(ids.count) / seconds
        result.answers[Figure.pointRead.rawValue] = sum
    }

    /// An array of the users, from one end to the other.
    private func walk(_ users: [UserRecord], _ result: inout RunResult) {
        var answer = Answer()
        let seconds = WallClock.seconds { for user in users { answer.add(user.digest) } }
        result.figures[.scan] = Double(users.count) / seconds
        result.answers[Figure.scan.rawValue] = answer.digest &+ UInt64(answer.count)
    }
}
