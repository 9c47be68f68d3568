import BenchmarkSupport
import Foundation

/// What a child does at one of its stages: it says for which engine, how much and where.
protocol Work {
    var child: Child { get }
}

extension Work {
    var name: EngineName { child.engine }
    var work: Workload { Workload(size: child.size) }
    var directory: URL { child.directory }

    /// Loads all users and posts, and syncs. Returns how many entities a second that were.
    func loadRate(of engine: any Engine) throws -> Double {
        var seconds = 0.0
        // Several at a time, so that an engine can go on from one to the next: what makes them is not timed.
        var batches: [Dataset.Batch] = []
        try Dataset.batches(child.size) { users, posts in
            batches.append((users, posts))
            guard batches.count == 50 else { return }
            seconds += try WallClock.seconds { try engine.load(batches) }
            batches.removeAll(keepingCapacity: true)
        }
        seconds += try WallClock.seconds {
            try engine.load(batches)
            try engine.sync()
        }
        return Double(2 * child.size) / seconds
    }

    /// Opens and reads one user, and goes on reading.
    func opened(_ cache: CacheSize) throws -> (engine: any Engine, milliseconds: Double) {
        var opened: (any Engine)?
        let seconds = try WallClock.seconds {
            let engine = try name.type.init(at: directory, cache: cache)
            try engine.beginReading()
            guard try engine.user(Dataset.userID(child.size / 2)) != nil else {
                throw EngineError(name, "a loaded user is not there")
            }
            opened = engine
        }
        guard let opened else { throw EngineError(name, "the store was not opened") }
        return (opened, seconds * 1e3)
    }
}
