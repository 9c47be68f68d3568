import Testing
import VarveLog
import VarveTestSupport

@Suite("A compaction that is interrupted")
struct CompactionCrashTests {
    static let workloads: [[CompactionWorkload.Step]] = [
        [.commit, .compact, .commit],
        [.roll, .compact, .append, .compact, .commit],
        [.roll, .roll, .compactKeeping, .roll, .compactKeeping, .commit],
        [.roll, .compact, .kill, .append, .compact, .reopen, .compact],
    ]

    @Test(
        "Rows 13, 14, 36: a power cut at any moment leaves everything acknowledged, as a prefix, and no orphans",
        arguments: workloads)
    func everyCrash(_ steps: [CompactionWorkload.Step]) throws {
        let workload = try CompactionWorkload(steps)
        var generator = SeededGenerator(seed: 1)
        var images: Set<DiskImage> = []
        var nested = 0
        for position in 0...workload.disk.operations.count {
            let point = workload.disk.crashPoint(at: position)
            for survivals in workload.disk.survivals(at: point, using: &generator) {
                let image = workload.disk.image(at: point, survivals)
                guard images.insert(image).inserted else { continue }
                let acknowledged = workload.acknowledged(after: position)
                let disk = try check(image, workload, acknowledged, "at \(position)")
                // Some recoveries are interrupted themselves.
                guard images.count % 64 == 0, let disk else { continue }
                for inner in 0...disk.operations.count {
                    let point = disk.crashPoint(at: inner)
                    let survivals = disk.survivals(at: point, using: &generator)
                    for survival in survivals.shuffled(using: &generator).prefix(4) {
                        let image = disk.image(at: point, survival)
                        _ = try check(image, workload, acknowledged, "at \(position), \(inner)")
                        nested += 1
                    }
                }
            }
        }
        #expect(images.count > 300 && nested > 100, "\(images.count) images, \(nested) nested")
    }

    /// Opens an image twice, and reads it; answers the disk of the first opening.
    private func check(
        _ image: DiskImage, _ workload: CompactionWorkload, _ acknowledged: Int, _ place: String
    ) throws -> SimulatedDisk? {
        let disk = SimulatedDisk(image)
        do throws(LogError) {
            let opened = try CompactionLog(disk).open()
            opened.log.abandon()
            let count = opened.payloads.count
            #expect(count >= acknowledged, "\(place)")
            #expect(opened.payloads == Array(workload.payloads.prefix(count)), "\(place)")
            #expect(opened.report.checkpointProblems.isEmpty, "\(place)")
            let again = try CompactionLog(SimulatedDisk(disk.image)).open()
            #expect(again.payloads == opened.payloads, "\(place)")
            #expect(again.report.orphans.isEmpty && again.report.temporaryFiles.isEmpty)
            let read = try CompactionLog(SimulatedDisk(image)).read()
            #expect(read.payloads == opened.payloads, "\(place)")
            return disk
        } catch {
            // A creation that did not finish is no store for a reader.
            if case .missing = error { return nil }
            Issue.record("\(place): \(error)")
            return nil
        }
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
        var payloads = (1...12).map { CrashWorkload.payload($0) }
        for payload in payloads { try log.append(payload) }
        try CompactionLog.compact(log, payloads)
        for number in 13...20 {
            payloads.append(CrashWorkload.payload(number))
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
            payloads.append(CrashWorkload.payload(21))
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
