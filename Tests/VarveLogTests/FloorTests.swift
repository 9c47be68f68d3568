import Testing
import VarveLog
import VarveTestSupport

@Suite("The floor of a log")
struct FloorTests {
    @Test("Below the floor nothing is delivered, even where its segment is still there")
    func readers() throws {
        let disk = SimulatedDisk()
        let log = try CompactionLog(disk).open().log
        var payloads: [[UInt8]] = []
        for number in 1...40 {
            payloads.append(
                payload(number, bytes: number % 5 == 0 ? 450 : 40 + number % 7 * 30))
            try log.append(payloads[number - 1])
            if number == 30 {
                try CompactionLog.compact(log, payloads, retaining: .transactions(5))
            }
        }
        try CompactionLog.compact(log, payloads, retaining: .transactions(12))
        #expect(log.manifest.floor == LogSequence(29))
        // The segment that holds transaction 29 begins before it.
        #expect(log.manifest.firstSequence < LogSequence(29))
        let reader = TransactionReader(log.snapshot)
        var newestFirst: [UInt64] = []
        try reader.forEachNewestFirst { (transaction) throws(Never) in
            newestFirst.append(transaction.sequence.rawValue)
            return true
        }
        #expect(newestFirst == (29...40).reversed())
        var oldestFirst: [UInt64] = []
        try reader.forEachOldestFirst(from: LogSequence(1)) { (transaction) throws(Never) in
            oldestFirst.append(transaction.sequence.rawValue)
            return true
        }
        #expect(oldestFirst == Array(29...40))
        do {
            try reader.withTransaction(LogSequence(28)) { (_) throws(Never) in }
            Issue.record("delivered")
        } catch .log(.belowFloor(let sequence, let floor)) {
            #expect(sequence == LogSequence(28) && floor == LogSequence(29))
        }
        try log.close()
        let read = try CompactionLog(disk).read()
        #expect(read.payloads == payloads)
    }
}
