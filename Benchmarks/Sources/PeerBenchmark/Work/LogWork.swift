import BenchmarkSupport
import Foundation
import Varve

/// What is asked of Varve alone: opening from a log that has no checkpoint, and commits while a
/// compaction runs.
struct LogWork: Work {
    let child: Child

    /// One of a thousand lies above a 99.9th percentile.
    private static let enough = 1_000

    /// Writes the log, and closes it.
    func write() throws -> RunResult {
        var result = RunResult(.varve)
        let written = ProcessFigures.bytesWritten
        let engine = try open()
        try Dataset.batches(work.size) { try engine.load(users: $0, posts: $1) }
        try engine.sync()
        result.figures[.writtenRatio] =
            (ProcessFigures.bytesWritten - written)
            / Double(engine.store.statistics.log.storedBytes.rawValue)
        try engine.close()
        return result
    }

    /// Opens it in a process that was just started, as apps do, and goes on.
    func replay() throws -> RunResult {
        var result = RunResult(.varve)
        var opened: VarveEngine?
        let seconds = try WallClock.seconds {
            let engine = try open()
            engine.beginReading()
            guard try engine.user(Dataset.userID(work.size / 2)) != nil else {
                throw EngineError(.varve, "a loaded user is not there")
            }
            opened = engine
        }
        // A save of a post is two events: its row, and its link.
        result.figures[.replay] = Double(3 * work.size) / seconds
        result.figures[.openLog] = seconds * 1e3
        guard let opened else { return result }
        opened.endReading()
        try commitWhileCompacting(opened, &result)
        return result
    }

    private func open() throws -> VarveEngine {
        VarveEngine(
            try Store(
                at: directory.appending(path: "whole.varve"), durability: .none,
                compactsAutomatically: false, StoredUser.self))
    }

    private func commitWhileCompacting(_ engine: VarveEngine, _ result: inout RunResult) throws {
        var next = 7_000_000
        let alone = try quietLatencies(engine, &next)
        let compaction = RunningCompaction(of: engine.store)
        compaction.start()
        let beside = try latencies(engine, &next) { $0 == 0 || !compaction.isDone }
        let taken = try compaction.result()
        result.figures[.busyCompaction] = taken.seconds
        result.figures[.compactionMemory] = taken.bytes / 1e6
        try engine.close()
        let quiet = percentile(of: alone, "without a compaction", &result)
        let busy = percentile(of: beside, "while a compaction ran", &result)
        result.figures[.quietP999] = quiet.map { $0 * 1e6 }
        result.figures[.compactingP999] = busy.map { $0 * 1e6 }
        if let quiet, let busy { result.figures[.compactingRatio] = busy / quiet }
    }

    /// The 99.9th; nil, and a remark, of too few.
    private func percentile(
        of latencies: [Double], _ when: String, _ result: inout RunResult
    ) -> Double? {
        guard latencies.count >= Self.enough else {
            result.remarks.append(
                "Varve: no 99.9th percentile of synced commits \(when), because there were only "
                    + "\(latencies.count)")
            return nil
        }
        return latencies.percentile(0.999)
    }

    private func quietLatencies(_ engine: VarveEngine, _ next: inout Int) throws -> [Double] {
        let start = ContinuousClock.now
        return try latencies(engine, &next) { count in
            count < work.quietCommits && WallClock.seconds(since: start) < 2 * work.seconds
        }
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
}

/// A compaction on a thread of its own.
private final class RunningCompaction: @unchecked Sendable {
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
