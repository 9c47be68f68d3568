import BenchmarkSupport
import Foundation

/// Ten times as many changes of one field as there are users, each of a random user, with the
/// engine's own housekeeping at work: how many bytes it writes for each byte that changed.
struct ChurnWork: Work {
    let child: Child

    /// RocksDB stands for all whose files are rewritten behind the writes: this takes long.
    static let engines: [EngineName] = [.varve, .rocksdb]

    func run() throws -> RunResult {
        let engine = try name.type.init(at: directory, cache: .large)
        try Dataset.batches(work.size, posts: false) { try engine.load(users: $0, posts: $1) }
        try engine.sync()
        let written = ProcessFigures.bytesWritten
        var random = SplitMix(state: 5)
        for batch in 0..<(work.size / 10) {
            try engine.setScores(
                (0..<100).map { number in
                    let user = Int(random.next() % UInt64(work.size))
                    // No user has had it: what stays as it is would be no change.
                    return (Dataset.userID(user), Double(batch * 100 + number) + 0.5)
                })
        }
        try engine.sync()
        // What still goes on behind the writes belongs to them.
        try engine.close()
        var result = RunResult(name)
        let changed = Double(work.size / 10 * 100 * MemoryLayout<Double>.size)
        result.figures[.churn] = (ProcessFigures.bytesWritten - written) / changed
        return result
    }
}
