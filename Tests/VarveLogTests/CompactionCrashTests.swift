import Testing
import VarveLog
import VarveTestSupport

@Suite("A compaction that is interrupted")
struct CompactionCrashTests {
    static let workloads: [[LogStep]] = [
        [.commit, .compact, .commit],
        // Space was taken beforehand, and is given back in front of a footer, with nothing to sync.
        [.commit, .commit, .compact],
        [.commit, .commit, .failedClose, .compact],
        [.roll, .compact, .append, .compact, .commit],
        [.roll, .roll, .compactKeeping, .roll, .compactKeeping, .commit],
        [.roll, .compact, .kill, .append, .compact, .reopen, .compact],
        [.roll, .compact, .append, .compactForSize, .commit, .compact],
        [.roll, .compactForSize, .compactForSize, .commit],
    ]

    @Test(
        "Rows 13, 14, 36: a power cut at any moment leaves everything acknowledged, as a prefix, and no orphans",
        arguments: workloads)
    func everyCrash(_ steps: [LogStep]) throws {
        let memo = ImageMemo()
        let nested = ImageMemo()
        var enumeration = CrashEnumeration(try LogWorkload(steps), memo: memo, nested: nested)
        try enumeration.run()
        #expect(memo.count > 300 && nested.count > 60, "\(memo.count), \(nested.count) nested")
    }

    @Test(
        "Rows 15, 16, 21: an error at any operation of a compaction leaves the old state or the new one",
        arguments: [FaultTests.inputOutputError, FaultTests.noSpace], [1, Int.max])
    func everyError(code: Int32, count: Int) throws {
        let (first, last) = try operationsOfSecondCompaction()
        for operation in first..<last {
            for isHalfDone in [false, true] {
                let fault = FaultyFileSystem.Fault(
                    operation: operation, count: count, code: code, isHalfDone: isHalfDone)
                try check(fault)
            }
        }
        #expect(last - first > 30, "\(last - first) operations")
    }

    @Test("A checkpoint stays usable where the segment behind it was ended without a transaction")
    func emptySegment() throws {
        let disk = SimulatedDisk()
        let store = CompactionLog(disk)
        let first = try store.open().log
        for number in 1...3 { try first.append(LogPayload.of(number)) }
        try CompactionLog.compact(first, LogPayload.first(3))
        try first.seal()
        first.abandon()
        let second = try store.open().log
        for number in 4...6 { try second.append(LogPayload.of(number)) }
        try CompactionLog.compact(second, LogPayload.first(6))
        try second.close()
        let verification = try LogVerification.verify(disk)
        #expect(verification.isSound, "\(verification.problems)")
    }

    private func operationsOfSecondCompaction() throws -> (Int, Int) {
        let counting = FaultyFileSystem(SimulatedDisk())
        let log = try CompactionLog(counting).open().log
        let payloads = try prepare(log)
        let first = counting.operations
        try CompactionLog.compact(log, payloads)
        return (first, counting.operations)
    }

    /// A log with one checkpoint, and some more behind it.
    private func prepare(_ log: Log) throws -> [[UInt8]] {
        var payloads = (1...12).map { LogPayload.of($0) }
        for payload in payloads { try log.append(payload) }
        try CompactionLog.compact(log, payloads)
        for number in 13...20 {
            payloads.append(LogPayload.of(number))
            try log.append(payloads[number - 1])
        }
        try log.sync()
        return payloads
    }

    private func check(_ fault: FaultyFileSystem.Fault) throws {
        let disk = SimulatedDisk()
        let faulty = FaultyFileSystem(disk)
        let log = try CompactionLog(faulty).open().log
        var payloads = try prepare(log)
        faulty.setFault(fault)
        let failure: LogError? = {
            do throws(LogError) {
                try CompactionLog.compact(log, payloads)
                return nil
            } catch {
                return error
            }
        }()
        faulty.setFault(nil)
        // Every state of the disk opens.
        let power = SimulatedDisk(disk.image)
        #expect(try CompactionLog(power).open().payloads == payloads, "\(fault)")
        #expect(try LogVerification.verify(power).isSound, "\(fault)")
        if !log.isPoisoned {
            // Writing and the next compaction go on.
            payloads.append(LogPayload.of(21))
            try log.append(payloads[20])
            try CompactionLog.compact(log, payloads)
            try log.close()
            let again = try CompactionLog(disk).open()
            #expect(again.payloads == payloads, "\(fault) \(String(describing: failure))")
            #expect(again.report.checkpoint == LogSequence(21), "\(fault)")
        }
    }

    @Test("Row 21: a full disk leaves no output of the compaction behind")
    func noOutput() throws {
        let disk = SimulatedDisk()
        let faulty = FaultyFileSystem(disk)
        let log = try CompactionLog(faulty).open().log
        let payloads = try prepare(log)
        let before = Set(disk.image.files.keys)
        // Enough operations for the roll, then none for the checkpoint's pages.
        faulty.setFault(
            .init(operation: faulty.operations + 16, count: 1, code: FaultTests.noSpace))
        #expect(throws: LogError.self) { try CompactionLog.compact(log, payloads) }
        let added = Set(disk.image.files.keys).subtracting(before)
        #expect(added.allSatisfy { $0.hasPrefix("segment") }, "\(added)")
        #expect(!log.isPoisoned)
    }
}
