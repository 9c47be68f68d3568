package import VarveLog

/// A log whose "state" is the list of all transactions' payloads, so that a checkpoint holds
/// exactly what it replaces.
package struct CompactionLog {
    package let test: TestLog

    /// - Parameter process: the number of the process that its lock names.
    package init(_ fileSystem: any FileSystem, seed: UInt64 = 1, process: Int32 = 4711) {
        var test = TestLog(fileSystem, segmentBytesMax: 700)
        test.environment = SimulatedEnvironment(seed: seed, process: process)
        test.configuration.frameBytesMax = ByteCount(200)
        self.test = test
    }

    package struct Opened {
        package let log: Log
        package let payloads: [[UInt8]]
        package let report: RecoveryReport
    }

    package func open() throws(LogError) -> Opened {
        try test.create()
        let scanned = try test.scan(.readWrite)
        let (payloads, start) = try Self.load(scanned)
        let (log, report) = try scanned.recover(start: start) { TestLog.prologue }
        return Opened(log: log, payloads: payloads, report: report)
    }

    package func read() throws(LogError) -> (payloads: [[UInt8]], report: RecoveryReport) {
        let scanned = try test.scan(.readOnly)
        let (payloads, start) = try Self.load(scanned)
        return (payloads, scanned.report(startingFrom: start))
    }

    private static func load(
        _ scanned: ScannedLog
    ) throws(LogError) -> (payloads: [[UInt8]], start: LogStart) {
        let (state, start) = try scanned.loadNewestCheckpoint { file throws(LogError) in
            try decode(file)
        }
        var payloads = state ?? []
        do {
            try scanned.replay(after: start.sequence) { (record: LogRecord) throws(Never) in
                if case .transaction(let transaction) = record {
                    payloads.append(Array(transaction.payload))
                }
            }
        } catch {
            if case .log(let error) = error { throw error }
        }
        return (payloads, start)
    }

    /// One page for each payload.
    package static func decode(_ file: CheckpointFile) throws(LogError) -> [[UInt8]] {
        let reader = try file.makeReader()
        var payloads: [[UInt8]] = []
        for page in file.pages {
            let bytes = try reader.read(page)
            payloads.append(Array(bytes))
            bytes.deallocate()
        }
        return payloads
    }

    /// Answers the digest of the content: how much there is.
    package static func encode(
        _ payloads: [[UInt8]], into writer: CheckpointWriter
    ) throws(LogError) -> UInt64 {
        for (number, payload) in payloads.enumerated() {
            let key = CheckpointPageKey(
                kind: 1, subject: 0, part: 0, first: UInt32(number), count: 1)
            try payload.withUnsafeBytesTyped { bytes throws(LogError) in
                try writer.append(key, bytes)
            }
        }
        return UInt64(payloads.count)
    }

    /// All steps of a compaction, as a store takes them.
    package static func compact(
        _ log: Log, _ payloads: [[UInt8]], retaining retention: Retention = .newestState,
        for goal: CompactionGoal = .safety, forgetting forgotten: LogSequence = .none
    ) throws(LogError) {
        guard let compaction = try log.beginCompaction(for: goal) else { return }
        do throws(LogError) {
            _ = try compaction.writeCheckpoint(time: 0) { writer throws(LogError) in
                try encode(payloads, into: writer)
            } verify: { file throws(LogError) in
                guard try decode(file) == payloads, file.contentDigest == UInt64(payloads.count)
                else {
                    throw .checkpointDamaged(file: "checkpoint", reason: "read back differently")
                }
            }
            let (manifest, _) = try compaction.plan(retention, forgetting: forgotten)
            try compaction.removeLostTails(forgetting: forgotten)
            guard compaction.isChange(manifest) else { return }
            let leftover = try compaction.conclude(with: manifest, log.finish)
            if let leftover { throw leftover }
        } catch {
            compaction.abandon()
            throw error
        }
    }
}

extension CompactionGoal {
    /// One of them.
    package static func random(using generator: inout SeededGenerator) -> CompactionGoal {
        Bool.random(using: &generator) ? .safety : .size
    }
}
