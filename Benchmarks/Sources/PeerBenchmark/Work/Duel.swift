import Foundation

/// Synced commits of Varve and of a peer, in turns of a hundred: what the disk does to one it does to
/// the other.
struct Duel {
    let peer: EngineName
    let size: Int
    let directory: URL

    init(_ peer: EngineName, size: Int, directory: URL) {
        self.peer = peer
        self.size = size
        self.directory = directory
    }

    func run() throws -> RunResult {
        let engines = try [EngineName.varve, peer].map { name in
            let own = directory.appending(path: name.rawValue)
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            let engine = try name.type.init(at: own, cache: .large)
            for start in stride(from: 0, to: size, by: 1_000) {
                let users = (start..<min(size, start + 1_000)).map { Dataset.user($0) }
                try engine.load(users: users, posts: [])
            }
            try engine.sync()
            return engine
        }
        var latencies: [[Double]] = [[], []]
        for turn in 0..<40 {
            for number in (0..<100) {
                let user = Dataset.user(7_000_000 + (turn / 2) * 100 + number)
                let seconds = try WallClock.seconds {
                    try engines[turn % 2].insert(user, synced: true)
                }
                latencies[turn % 2].append(seconds)
            }
        }
        for engine in engines { try engine.close() }
        var result = RunResult(engine: peer)
        result.figures[.duelP50] = median(latencies[1]) / median(latencies[0])
        return result
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
