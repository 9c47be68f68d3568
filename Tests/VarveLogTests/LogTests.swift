import Testing
import VarveLog
import VarveTestSupport

@Suite("Writing and reading a log")
struct LogTests {
    @Test("What was appended is replayed after a clean close, in order")
    func appendCloseReopen() throws {
        let test = TestLog(SimulatedDisk())
        let first = try test.open()
        for number in 1...10 { try first.log.append(payload(number)) }
        try first.log.close()
        let second = try test.open()
        #expect(second.content.transactions == (1...10).map { payload($0) })
        #expect(second.content.times == (1...10).map { $0 * 10 })
        #expect(second.content.catalogs == [TestLog.prologue])
        #expect(second.report.endedCleanly)
        #expect(second.report.dropped == nil)
        #expect(second.log.lastSequence == LogSequence(10))
        #expect(second.log.durableSequence == LogSequence(10))
    }

    @Test("Segments roll at their size and each starts with the definitions")
    func rolling() throws {
        let test = TestLog(SimulatedDisk(), segmentBytesMax: 1_000)
        let first = try test.open()
        for number in 1...50 { try first.log.append(payload(number)) }
        let segments = first.log.statistics.segments
        #expect(segments > 4)
        try first.log.close()
        let second = try test.open()
        #expect(second.content.transactions == (1...50).map { payload($0) })
        #expect(second.content.catalogs.count == segments)
        #expect(second.log.statistics == first.log.statistics)
        #expect(second.log.statistics.transactions == 50)
    }

    @Test("A killed writer loses nothing that reached the page cache, and a new segment follows")
    func killedWriter() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk)
        let first = try test.open()
        for number in 1...5 { try first.log.append(payload(number)) }
        first.log.abandon()
        let second = try test.open()
        #expect(second.content.transactions.count == 5)
        #expect(!second.report.endedCleanly)
        #expect(second.report.promisedSequence == LogSequence.none)
        #expect(second.log.durableSequence == LogSequence(5))
        #expect(second.log.statistics.segments == 2)
        try second.log.append(payload(6))
        try second.log.close()
        #expect(try test.read().content.transactions.count == 6)
    }
}
