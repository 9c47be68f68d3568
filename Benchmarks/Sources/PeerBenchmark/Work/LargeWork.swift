import BenchmarkSupport
import Foundation

/// Work on more data than the memory that a process may have: each part in a process of its own, which begins with
/// nothing cached.
struct LargeWork: Work {
    let child: Child

    static let engines: [EngineName] = [.varve, .sqlite, .lmdb]

    private var size: Int { child.size }

    /// A quarter of the limit for what an engine caches itself; the system has the rest.
    private var cache: CacheSize {
        child.memory.map { CacheSize(bytes: $0 / 4) } ?? .large
    }

    private func open() throws -> any Engine { try name.type.init(at: directory, cache: cache) }

    func load() throws -> RunResult {
        var result = RunResult(name)
        let written = ProcessFigures.bytesWritten
        let engine = try open()
        result.figures[.largeLoad] = try loadRate(of: engine)
        try engine.compact()
        try engine.close()
        result.figures[.largeWritten] = (ProcessFigures.bytesWritten - written) / 1e6
        result.figures[.largeSize] = ProcessFigures.allocatedBytes(of: directory) / 1e6
        return result
    }

    func read() throws -> RunResult {
        var result = RunResult(name)
        let before = ProcessFigures.residentBytes
        let (engine, milliseconds) = try opened(cache)
        result.figures[.largeOpen] = milliseconds
        for number in SampleData.randomNumbers(1_000, below: size, seed: 11) {
            _ = try engine.user(Dataset.userID(number))
        }
        result.figures[.largeMemory] = (ProcessFigures.residentBytes - before) / 1e6
        try readRows(engine, &result)
        try engine.endReading()
        try engine.close()
        return result
    }

    private func readRows(_ engine: any Engine, _ result: inout RunResult) throws {
        let ids = SampleData.randomNumbers(work.largeReads, below: size, seed: 12)
            .map { Dataset.userID($0) }
        var answer = Answer()
        let seconds = try WallClock.seconds { answer = try engine.users(ids) }
        result.figures[.largeReads] = Double(ids.count) / seconds
        result.answers[Figure.largeReads.rawValue] = answer.digest
        let rangeSeconds = try WallClock.seconds { answer = try engine.users(ages: 40...40) }
        result.figures[.largeRange] = Double(answer.count) / rangeSeconds
        result.answers[Figure.largeRange.rawValue] = answer.digest
    }

    func update() throws -> RunResult {
        var result = RunResult(name)
        let engine = try open()
        let updates = SampleData.randomNumbers(work.largeReads, below: size, seed: 13).enumerated()
            .map { (id: Dataset.userID($1), score: Double($0) + 0.5) }
        let seconds = try WallClock.seconds {
            for start in stride(from: 0, to: updates.count, by: 100) {
                try engine.setScores(Array(updates[start..<min(updates.count, start + 100)]))
            }
            try engine.sync()
        }
        result.figures[.largeUpdate] = Double(updates.count) / seconds
        // LMDB reuses its pages in place and has nothing to compact.
        let compacting = try WallClock.seconds { try engine.compact() }
        if name != .lmdb { result.figures[.largeCompaction] = compacting }
        try engine.close()
        return result
    }

    func backUp() throws -> RunResult {
        var result = RunResult(name)
        let engine = try open()
        let copy = directory.appending(path: "backup")
        result.figures[.largeBackup] = try WallClock.seconds { try engine.backUp(to: copy) }
        try engine.close()
        try FileManager.default.removeItem(at: copy)
        return result
    }
}
