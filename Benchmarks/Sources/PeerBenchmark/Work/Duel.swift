import BenchmarkSupport
import Foundation

/// Synced commits of Varve and of another one, in turns of a hundred: what the disk does to one it
/// does to the other. The other one is an engine, or a bare file.
struct Duel: Work {
    let child: Child

    private var peer: EngineName { name }

    func run() throws -> RunResult {
        let varve = try engine(.varve)
        let other = peer == .limit ? nil : try engine(peer)
        let file = other == nil ? try BareLog(in: directory) : nil
        try Rest.wait(for: peer)
        var latencies: [[Double]] = [[], []]
        let start = ContinuousClock.now
        for turn in 0..<work.duelTurns {
            // Whole pairs of turns only.
            if turn > 1, turn % 2 == 0, WallClock.seconds(since: start) > 2 * work.seconds {
                break
            }
            latencies[turn % 2] += try WallClock.latencies(100) { number in
                let user = Dataset.user(7_000_000 + (turn / 2) * 100 + number)
                if turn % 2 == 0 {
                    try varve.insert(user, synced: true)
                } else {
                    try other?.insert(user, synced: true)
                    try file?.append(user.encoded())
                }
            }
        }
        try varve.close()
        try other?.close()
        let median = latencies[1].percentile(0.5)
        var result = RunResult(peer)
        result.figures[.duel] = median / latencies[0].percentile(0.5)
        if peer == .limit {
            result.figures[.syncedCommit] = Double(latencies[1].count) / latencies[1].reduce(0, +)
            result.figures[.syncedP50] = median * 1e6
            result.figures[.syncedP99] = latencies[1].percentile(0.99) * 1e6
        }
        return result
    }

    private func engine(_ name: EngineName) throws -> any Engine {
        let own = directory.appending(path: name.rawValue)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let engine = try name.type.init(at: own, cache: .large)
        try Dataset.batches(work.duelUsers, posts: false) {
            try engine.load(users: $0, posts: $1)
        }
        try engine.sync()
        return engine
    }
}
