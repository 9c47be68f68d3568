import VarveLog
import VarveTestSupport

/// A log whose "state" is the list of all transactions' payloads, so that a checkpoint holds
/// exactly what it replaces.
struct CompactionLog {
    let test: TestLog

    init(_ fileSystem: any FileSystem) {
        var test = TestLog(fileSystem, segmentBytesMax: 700)
        test.configuration.frameBytesMax = ByteCount(200)
        self.test = test
    }

    struct Opened {
        let log: Log
        let payloads: [[UInt8]]
        let report: RecoveryReport
    }

    func open() throws(LogError) -> Opened {
        try test.create()
        let scanned = try test.scan(.readWrite)
        let (payloads, start) = try Self.load(scanned)
        let (log, report) = try scanned.recover(start: start) { TestLog.prologue }
        return Opened(log: log, payloads: payloads, report: report)
    }

    func read() throws(LogError) -> (payloads: [[UInt8]], report: RecoveryReport) {
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
    static func decode(_ file: CheckpointFile) throws(LogError) -> [[UInt8]] {
        let reader = try file.makeReader()
        var payloads: [[UInt8]] = []
        for page in file.pages {
            let bytes = try reader.read(page)
            payloads.append(Array(bytes))
            bytes.deallocate()
        }
        return payloads
    }

    /// All steps of a compaction, as a store takes them.
    static func compact(
        _ log: Log, _ payloads: [[UInt8]], retaining retention: Retention = .none
    ) throws(LogError) {
        guard let compaction = try log.beginCompaction() else { return }
        do throws(LogError) {
            _ = try compaction.writeCheckpoint(time: 0) { writer throws(LogError) in
                for (number, payload) in payloads.enumerated() {
                    let key = CheckpointPageKey(
                        kind: 1, subject: 0, part: 0, first: UInt32(number), count: 1)
                    try payload.withUnsafeBytesTyped { bytes throws(LogError) in
                        try writer.append(key, bytes)
                    }
                }
                return UInt64(payloads.count)
            } verify: { file throws(LogError) in
                guard try decode(file) == payloads, file.contentDigest == UInt64(payloads.count)
                else {
                    throw .checkpointDamaged(file: "checkpoint", reason: "read back differently")
                }
            }
            let (manifest, _) = try compaction.plan(retention)
            guard compaction.isChange(manifest) else { return }
            do throws(LogError) {
                try compaction.install(manifest)
            } catch {
                if compaction.isInForce { log.finish(manifest) }
                throw error
            }
            log.finish(manifest)
            try compaction.removeSuperseded(by: manifest)
        } catch {
            compaction.abandon()
            throw error
        }
    }
}

/// A workload with compactions, run once on a disk whose power never failed.
struct CompactionWorkload {
    enum Step: String, Sendable {
        case commit, append, roll, compact, compactKeeping, reopen, kill
    }

    let disk = SimulatedDisk()
    private(set) var acknowledged: [(operations: Int, sequence: LogSequence)] = []
    private(set) var payloads: [[UInt8]] = []

    init(_ steps: [Step]) throws {
        let test = CompactionLog(disk)
        var log = try test.open().log
        for step in steps {
            switch step {
            case .commit:
                try append(log)
                try log.sync()
            case .append: try append(log)
            case .roll: for _ in 0..<8 { try append(log) }
            case .compact: try CompactionLog.compact(log, payloads)
            case .compactKeeping:
                try CompactionLog.compact(log, payloads, retaining: .transactions(3))
            case .reopen:
                try log.close()
                log = try test.open().log
            case .kill:
                log.abandon()
                log = try test.open().log
            }
            acknowledged.append((disk.operations.count, log.durableSequence))
        }
        log.abandon()
    }

    private mutating func append(_ log: Log) throws {
        payloads.append(CrashWorkload.payload(payloads.count + 1))
        try log.append(payloads[payloads.count - 1])
    }

    func acknowledged(after operations: Int) -> Int {
        Int(acknowledged.last { $0.operations <= operations }?.sequence.rawValue ?? 0)
    }
}
