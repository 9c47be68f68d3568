import Testing
import VarveLog
import VarveTestSupport

@Suite("When the system runs out")
struct ResourceTests {
    @Test("Row 23: reads and writes that move nothing end in an error, not in a loop")
    func nothingMoves() throws {
        let stuck = FaultyFileSystem(SimulatedDisk(), transferBytesMax: 0)
        let writing = #expect(throws: LogError.self) { try TestLog(stuck).create() }
        guard case .fileSystem(let problem) = writing, problem.reason == .nothingWritten else {
            Issue.record("\(String(describing: writing))")
            return
        }
        let disk = SimulatedDisk()
        try TestLog(disk).open().log.close()
        let reading = #expect(throws: LogError.self) {
            try TestLog(FaultyFileSystem(disk, transferBytesMax: 0)).scan(.readOnly)
        }
        guard case .fileSystem(let problem) = reading, problem.reason == .unexpectedEnd else {
            Issue.record("\(String(describing: reading))")
            return
        }
    }

    @Test(
        "Row 24: without descriptors every operation ends in an error or is not touched; nothing acknowledged is lost",
        arguments: [24, 23] as [Int32])
    func noDescriptors(code: Int32) throws {
        let total = try FaultRun(fault: nil).operations
        for operation in 0..<total {
            let run = try FaultRun(fault: .init(operation: operation, count: 3, code: code))
            let kept = try TestLog(run.disk).open().content.transactions
            #expect(run.isPossible(kept), "operation \(operation)")
        }
    }

    @Test("Row 25: readers and followers perform no changing operation")
    func readersChangeNothing() throws {
        let disk = SimulatedDisk()
        let log = try TestLog(disk, segmentBytesMax: 300).open().log
        for number in 1...5 { try log.append(payload(number)) }
        log.abandon()
        let before = disk.operations
        let follower = try LogFollower(try TestLog(disk).scan(.readOnly))
        #expect(try TestLog(disk).read().content.transactions.count == 5)
        _ = try follower.poll { (_: LogRecord) throws(Never) in }
        #expect(disk.operations == before)
    }
}
