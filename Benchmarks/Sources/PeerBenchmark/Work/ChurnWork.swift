import BenchmarkSupport
import Foundation

/// Ten changes of one field of each user, with the engine's own housekeeping at work: how many
/// bytes it writes for each byte that changed.
struct ChurnWork {
    let name: EngineName
    let work: Workload
    let directory: URL

    /// RocksDB stands for all whose files are rewritten behind the writes: this takes long.
    static let engines: [EngineName] = [.varve, .rocksdb]

    init(_ name: EngineName, size: Int, directory: URL) {
        self.name = name
        work = Workload(size: size)
        self.directory = directory
    }

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
                    return (Dataset.userID(user), Double(batch * 100 + number))
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
