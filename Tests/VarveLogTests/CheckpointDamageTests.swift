import Testing
import VarveLog
import VarveTestSupport

@Suite("Damaged and missing checkpoints")
struct CheckpointDamageTests {
    /// A store with two checkpoints and a log behind them.
    static func disk(_ retention: Retention = .newestState) throws -> (SimulatedDisk, [[UInt8]]) {
        let disk = SimulatedDisk()
        let log = try CompactionLog(disk).open().log
        var payloads: [[UInt8]] = []
        for round in 0..<3 {
            for number in 1...6 {
                payloads.append(LogPayload.of(round * 6 + number))
                try log.append(payloads[payloads.count - 1])
            }
            if round < 2 { try CompactionLog.compact(log, payloads, retaining: retention) }
        }
        try log.close()
        return (disk, payloads)
    }

    @Test(
        "Row 57: damage to any byte of the newest checkpoint falls back to the one before and is reported"
    )
    func everyByte() throws {
        let (disk, payloads) = try Self.disk()
        let name = "checkpoint-0000000002"
        let length = try #require(disk.image.files[name]).count
        for position in 0..<length {
            let copy = SimulatedDisk(disk.image)
            copy.corrupt(name) { $0[position] ^= UInt8(1 << (position % 8)) }
            let read = try CompactionLog(copy).read()
            #expect(read.payloads == payloads, "byte \(position)")
            #expect(read.report.checkpoint == LogSequence(6), "byte \(position)")
            #expect(read.report.checkpointProblems.map(\.file) == [name], "byte \(position)")
            #expect(!(try LogVerification.verify(copy).isSound), "byte \(position)")
        }
    }

    @Test("Row 57: a checkpoint that is cut, empty or missing is fallen back from likewise")
    func cut() throws {
        let (disk, payloads) = try Self.disk()
        let name = "checkpoint-0000000002"
        let length = try #require(disk.image.files[name]).count
        for count in Array(stride(from: 0, to: length, by: 13)) + [length - 1] {
            let copy = SimulatedDisk(disk.image)
            copy.corrupt(name) { $0.removeLast(length - count) }
            let read = try CompactionLog(copy).read()
            #expect(read.payloads == payloads && read.report.checkpointProblems.count == 1)
        }
        let copy = SimulatedDisk(disk.image)
        try copy.remove(name)
        let opened = try CompactionLog(copy).open()
        #expect(opened.payloads == payloads)
        // The next compaction keeps the one that is good and replaces the other.
        try CompactionLog.compact(opened.log, payloads)
        try opened.log.close()
        let again = try CompactionLog(copy).open()
        #expect(again.payloads == payloads && again.report.checkpointProblems.isEmpty)
        #expect(again.log.manifest.previousCheckpoint == 1)
    }

    @Test(
        "Row 57: when no checkpoint can be used and the log does not reach back, nothing is served")
    func none() throws {
        let (disk, payloads) = try Self.disk()
        let log = try CompactionLog(disk).open()
        try CompactionLog.compact(log.log, payloads)
        try log.log.close()
        for number in 2...3 {
            disk.corrupt("checkpoint-000000000\(number)") { $0[60] ^= 1 }
        }
        let before = disk.image
        let error = #expect(throws: LogError.self) { try CompactionLog(disk).open() }
        guard case .noUsableCheckpoint(let problems) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.count == 2)
        #expect(
            disk.image.files.filter { $0.key != "LOCK" } == before.files.filter { $0.key != "LOCK" }
        )
    }

    @Test("A log that reaches back to its beginning needs no checkpoint")
    func wholeLog() throws {
        let (disk, payloads) = try Self.disk(.everything)
        for number in 1...2 { disk.corrupt("checkpoint-000000000\(number)") { $0[60] ^= 1 } }
        let read = try CompactionLog(disk).read()
        #expect(read.payloads == payloads && read.report.checkpoint == .none)
        #expect(read.report.checkpointProblems.count == 2)
    }

    @Test("Row 58: a log that ends before the checkpoint is refused and left alone")
    func shortLog() throws {
        let (disk, _) = try Self.disk(.everything)
        let names = disk.image.files.keys.filter { $0.hasPrefix("segment") }.sorted()
        // Cut behind the first segment as if it were the active one.
        for name in names.dropFirst() { try disk.remove(name) }
        disk.corrupt(names[0]) { $0.removeLast($0.count - 300) }
        let error = #expect(throws: LogError.self) { try CompactionLog(disk).open() }
        switch error {
        case .logEndsBeforeCheckpoint, .damaged: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test("Row 17: a segment that a checkpoint needs and that is gone is refused by number")
    func missingSegment() throws {
        let (disk, _) = try Self.disk()
        let names = disk.image.files.keys.filter { $0.hasPrefix("segment") }.sorted()
        for name in names {
            let copy = SimulatedDisk(disk.image)
            try copy.remove(name)
            #expect(throws: LogError.self, "\(name)") { try CompactionLog(copy).open() }
        }
    }

    @Test("A checkpoint of another store or of another course of the log is not taken")
    func foreign() throws {
        let (disk, payloads) = try Self.disk()
        let other = SimulatedDisk()
        var test = CompactionLog(other).test
        test.environment = SimulatedEnvironment(seed: 99)
        try test.create()
        let log = try CompactionLog(other).open().log
        for payload in payloads.prefix(12) { try log.append(payload) }
        try CompactionLog.compact(log, Array(payloads.prefix(6)))
        try log.append(payloads[12])
        try CompactionLog.compact(log, Array(payloads.prefix(12)))
        let bytes = try #require(other.image.files["checkpoint-0000000002"])
        disk.corrupt("checkpoint-0000000002") { $0 = bytes }
        let read = try CompactionLog(disk).read()
        #expect(read.payloads == payloads && read.report.checkpointProblems.count == 1)
    }

    @Test(
        "Row 39: ages count from the newest transaction where the clock runs ahead, and the newest hundred stay"
    )
    func clocks() throws {
        let disk = SimulatedDisk()
        let log = try CompactionLog(disk).open().log
        var payloads: [[UInt8]] = []
        for number in 1...300 {
            payloads.append(LogPayload.of(number))
            // One second apart, long before the clock of the simulation; one runs ahead.
            let time = Int64(number == 150 ? 1 << 40 : number) * 1_000_000
            try payloads[number - 1].withUnsafeBytesTyped { bytes throws(LogError) in
                try log.append(sequence: LogSequence(UInt64(number)), time: time, payload: bytes)
            }
        }
        try CompactionLog.compact(log, payloads, retaining: .age(seconds: 1_000_000))
        // The transaction that ran ahead is within any age; all before it are too old by the clock
        // of the simulation.
        #expect(log.manifest.floor <= LogSequence(150))
        try log.append(LogPayload.of(301))
        try CompactionLog.compact(
            log, payloads + [LogPayload.of(301)], retaining: .age(seconds: 0))
        #expect(log.manifest.floor <= LogSequence(202))
        #expect(log.manifest.retention == .age(seconds: 0))
    }
}
