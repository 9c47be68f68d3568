import Testing
import VarveLog
import VarveTestSupport

@Suite("When the file system fails")
struct FaultTests {
    static let inputOutputError: Int32 = 5
    static let noSpace: Int32 = 28

    @Test(
        "Rows 16 and 20: an error at any operation, once or from then on, loses nothing that was acknowledged",
        arguments: [inputOutputError, noSpace], [1, Int.max])
    func everyOperation(code: Int32, count: Int) throws {
        let total = try FaultRun(fault: nil).operations
        for operation in 0..<total {
            for isHalfDone in [false, true] {
                let fault = FaultyFileSystem.Fault(
                    operation: operation, count: count, code: code, isHalfDone: isHalfDone)
                let run = try FaultRun(fault: fault)
                let after = try TestLog(run.disk).open()
                let kept = after.content.transactions
                #expect(
                    run.isPossible(kept), "\(fault): \(kept.count) of \(run.appended.count)")
                #expect(try LogVerification.verify(run.disk).isSound, "\(fault)")
            }
        }
        #expect(total > 150)
    }

    @Test("Row 20: short reads and writes of any length change nothing", arguments: [1, 7, 64])
    func shortTransfers(length: Int) throws {
        let disk = SimulatedDisk()
        let test = TestLog(FaultyFileSystem(disk, transferBytesMax: length), segmentBytesMax: 700)
        let log = try test.open().log
        for number in 1...12 { try log.append(payload(number)) }
        try log.close()
        #expect(try test.read().content.transactions == (1...12).map { payload($0) })
        #expect(try TestLog(disk).read().report.endedCleanly)
    }

    @Test("Row 20: a failed append leaves no trace and the next one takes its number")
    func failedAppend() throws {
        let disk = SimulatedDisk()
        let before = try Self.operationsBeforeSecondAppend()
        let fault = FaultyFileSystem.Fault(
            operation: before, code: Self.noSpace, isHalfDone: true)
        let test = TestLog(FaultyFileSystem(disk, fault: fault))
        let log = try test.open().log
        try log.append(text: "one")
        // Incompressible, so that the half that is written reaches behind the next frame's end.
        var generator = SeededGenerator(seed: 7)
        let refused = generator.bytes(3_000)
        #expect(throws: LogError.self) { try log.append(refused) }
        #expect(!log.isPoisoned)
        #expect(log.lastSequence == LogSequence(1))
        try log.append(text: "two")
        try log.close()
        let read = try TestLog(disk).read()
        #expect(read.content.transactions == [Array("one".utf8), Array("two".utf8)])
        #expect(read.report.endedCleanly)
    }

    @Test("Row 3: Frames of a failed append never come back behind those that took their place")
    func failedRun() throws {
        let disk = SimulatedDisk()
        let before = try Self.operationsBeforeSecondAppend()
        // The first two frames of the run are whole in the file when the third fails.
        let fault = FaultyFileSystem.Fault(operation: before + 2, code: Self.noSpace)
        var test = TestLog(FaultyFileSystem(disk, fault: fault))
        test.configuration.frameBytesMax = ByteCount(200)
        let log = try test.open().log
        try log.append(text: "one")
        var generator = SeededGenerator(seed: 8)
        let refused = generator.bytes(600)
        #expect(throws: LogError.self) { try log.append(refused) }
        // As long as the first frame of the run, so that the second would follow on it.
        try log.append(Array(refused.prefix(200)))
        let point = disk.crashPoint(at: disk.operations.count)
        for fates in disk.survivals(at: point, using: &generator) {
            let opened = try TestLog(SimulatedDisk(disk.image(at: point, fates))).open()
            #expect(opened.content.transactions.count <= 2, "\(fates)")
        }
    }

    @Test(
        "Row 19: a failed sync poisons the log: nothing is written any more, and it is not tried again"
    )
    func failedSync() throws {
        let disk = SimulatedDisk()
        let before = try Self.operationsBeforeSecondAppend()
        let fault = FaultyFileSystem.Fault(
            operation: before + 1, count: 1, code: Self.inputOutputError)
        let test = TestLog(FaultyFileSystem(disk, fault: fault))
        let log = try test.open().log
        try log.append(text: "one")
        try log.append(text: "two")
        let failure = #expect(throws: LogError.self) { try log.sync() }
        guard case .synchronizationFailed(_, let lastDurable) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(lastDurable == .none)
        #expect(log.isPoisoned)
        let changes = disk.operations.count
        for call in [{ try log.append(text: "three") }, { try log.sync() }, { try log.seal() }] {
            let error = #expect(throws: LogError.self) { try call() }
            guard case .poisoned = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        try log.close()
        #expect(disk.operations.count == changes)
        #expect(try TestLog(disk).open().content.transactions.count == 2)
    }

    /// How many operations happen before the second append's write.
    private static func operationsBeforeSecondAppend() throws -> Int {
        let counting = FaultyFileSystem(SimulatedDisk())
        let log = try TestLog(counting).open().log
        try log.append(text: "one")
        return counting.operations
    }
}

/// One workload on a disk that fails somewhere: what was appended, and what must be there after.
struct FaultRun {
    let disk = SimulatedDisk()
    private(set) var operations = 0
    /// The transactions that the log took, in order.
    private(set) var appended: [[UInt8]] = []
    /// How many of them were acknowledged as durable.
    private(set) var durable = 0
    /// A transaction that was refused in a way that leaves open whether it is there.
    private(set) var uncertain: [UInt8]?
    private var attempt = 0

    init(fault: FaultyFileSystem.Fault?) throws {
        let faulty = FaultyFileSystem(disk, fault: fault)
        let test = TestLog(faulty, segmentBytesMax: 700)
        for _ in 0..<3 {
            do throws(LogError) {
                let log = try test.open().log
                run(log)
                try log.close()
                durable = appended.count
            } catch {
                continue
            }
        }
        operations = faulty.operations
    }

    private mutating func run(_ log: Log) {
        for _ in 0..<8 where uncertain == nil {
            attempt += 1
            let bytes = payload(attempt, bytes: 60 + attempt % 3 * 100)
            do throws(LogError) {
                try log.append(bytes)
                appended.append(bytes)
                if attempt % 3 == 0 { try log.sync() }
                durable = Int(log.durableSequence.rawValue)
            } catch {
                if log.isPoisoned, appended.last != bytes { uncertain = bytes }
            }
        }
    }

    /// Everything acknowledged and no more than what was taken.
    func isPossible(_ kept: [[UInt8]]) -> Bool {
        let all = appended + (uncertain.map { [$0] } ?? [])
        return kept.count >= durable && kept.count <= all.count
            && kept == Array(all.prefix(kept.count))
    }
}
