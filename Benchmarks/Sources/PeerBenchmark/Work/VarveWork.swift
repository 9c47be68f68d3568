import Foundation
import Varve

/// What is asked of Varve alone: the replay of a whole log, and commits while a compaction runs.
struct VarveWork {
    let size: Int
    let directory: URL

    init(size: Int, directory: URL) {
        self.size = size
        self.directory = directory
    }

    func run() throws -> RunResult {
        var result = RunResult(engine: .varve)
        let url = directory.appending(path: "whole.varve")
        let store = try open(url)
        for start in stride(from: 0, to: size, by: 500) {
            let numbers = start..<min(size, start + 500)
            try store.write { context in
                for number in numbers {
                    try StoredUser(Dataset.user(number)).save(to: &context)
                    try StoredPost(Dataset.post(number, of: numbers.upperBound)).save(to: &context)
                }
            }
        }
        try store.close()
        let seconds = try WallClock.seconds { try open(url).close() }
        // A save of a post is two events: its row, and its link.
        result.figures[.replay] = Double(3 * size) / seconds
        try commitWhileCompacting(try open(url), &result)
        return result
    }

    private func open(_ url: URL) throws -> Store {
        try Store(at: url, durability: .none, compactsAutomatically: false, StoredUser.self)
    }

    private func commitWhileCompacting(_ store: Store, _ result: inout RunResult) throws {
        let engine = VarveEngine(store)
        var next = 7_000_000
        let alone = try latencies(engine, &next) { $0 < 5_000 }
        let compaction = Compaction(of: store)
        compaction.start()
        let beside = try latencies(engine, &next) { $0 < 1_000 || !compaction.isDone }
        let taken = try compaction.result()
        result.figures[.quietP999] = percentile(alone, 0.999) * 1e6
        result.figures[.compactingP999] = percentile(beside, 0.999) * 1e6
        result.figures[.compactingRatio] = percentile(beside, 0.999) / percentile(alone, 0.999)
        result.figures[.busyCompaction] = taken.seconds
        result.figures[.compactionMemory] = taken.bytes / 1e6
        try store.close()
    }

    private func latencies(
        _ engine: VarveEngine, _ next: inout Int, while goesOn: (Int) -> Bool
    ) throws -> [Double] {
        var latencies: [Double] = []
        while goesOn(latencies.count) {
            let user = Dataset.user(next)
            next += 1
            latencies.append(try WallClock.seconds { try engine.insert(user, synced: true) })
        }
        return latencies
    }

    private func percentile(_ values: [Double], _ part: Double) -> Double {
        values.sorted()[Int(Double(values.count - 1) * part)]
    }
}

/// A compaction on a thread of its own.
private final class Compaction: @unchecked Sendable {
    // The lock guards what the thread leaves behind.
    private let lock = NSLock()
    private let store: Store
    private let done = DispatchGroup()
    private var outcome: Result<(seconds: Double, bytes: Double), any Error>?
    private var peak = 0.0

    init(of store: Store) { self.store = store }

    var isDone: Bool { lock.withLock { outcome != nil } }

    func start() {
        let before = ProcessFigures.residentBytes
        done.enter()
        Thread.detachNewThread { [self] in
            defer { done.leave() }
            let outcome = Result { () throws -> (seconds: Double, bytes: Double) in
                let seconds = try WallClock.seconds {
                    try store.compact { _ in
                        peak = max(peak, ProcessFigures.residentBytes - before)
                    }
                }
                return (seconds, peak)
            }
            lock.withLock { self.outcome = outcome }
        }
    }

    func result() throws -> (seconds: Double, bytes: Double) {
        done.wait()
        guard let outcome = lock.withLock({ outcome }) else {
            preconditionFailure("the thread ended without an outcome")
        }
        return try outcome.get()
    }
}
