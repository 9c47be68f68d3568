import Testing
import VarveLog
import VarveTestSupport

@Suite("Reading beside and after a writer")
struct ReaderTests {
    /// Several segments, some transactions of several frames, more than one index entry a segment.
    static func makeLog(_ disk: SimulatedDisk) throws -> (TestLog, Log) {
        var test = TestLog(disk, segmentBytesMax: 60_000)
        test.configuration.frameBytesMax = ByteCount(500)
        let log = try test.open().log
        for number in 1...1_500 { try log.append(text(number)) }
        return (test, log)
    }

    static func text(_ number: Int) -> [UInt8] {
        payload(number, bytes: number % 100 == 0 ? 2_000 : 20 + number % 40)
    }

    @Test("Any transaction is found by its number, and none outside of the range")
    func randomAccess() throws {
        let (_, log) = try Self.makeLog(SimulatedDisk())
        let reader = TransactionReader(log.snapshot)
        #expect(reader.snapshot.segments.count > 2)
        for number in [1, 2, 100, 255, 256, 257, 600, 1_000, 1_499, 1_500] {
            let sequence = LogSequence(UInt64(number))
            let found = try reader.withTransaction(sequence) { transaction in
                (transaction.sequence, transaction.time, Array(transaction.payload))
            }
            #expect(found.0 == sequence)
            #expect(found.1 == Int64(number) * 10)
            #expect(found.2 == Self.text(number))
        }
        for outside in [0, 1_501, .max] as [UInt64] {
            let error = #expect(throws: ReplayFailure<Never>.self) {
                try reader.withTransaction(LogSequence(outside)) { (_) throws(Never) in }
            }
            guard case .log(.noSuchTransaction(LogSequence(outside))) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("Transactions come newest first, from the end or from a number, until told to stop")
    func newestFirst() throws {
        let (test, log) = try Self.makeLog(SimulatedDisk())
        try log.close()
        let reader = try test.scan(.readOnly).makeReader()
        var seen: [Int] = []
        try reader.forEachNewestFirst { transaction in
            let number = Int(transaction.sequence.rawValue)
            #expect(Array(transaction.payload) == Self.text(number))
            seen.append(number)
            return true
        }
        #expect(seen == (1...1_500).reversed())
        seen = []
        try reader.forEachNewestFirst(from: LogSequence(700)) { transaction in
            seen.append(Int(transaction.sequence.rawValue))
            return seen.count < 400
        }
        #expect(seen == (301...700).reversed())
    }

    @Test("Transactions come oldest first from a number on, across segments")
    func oldestFirst() throws {
        let (_, log) = try Self.makeLog(SimulatedDisk())
        var seen: [Int] = []
        try TransactionReader(log.snapshot).forEachOldestFirst(from: LogSequence(450)) {
            transaction in
            seen.append(Int(transaction.sequence.rawValue))
            return true
        }
        #expect(seen == Array(450...1_500))
    }

    @Test("A snapshot stays as it is while the writer goes on")
    func snapshot() throws {
        let (_, log) = try Self.makeLog(SimulatedDisk())
        let snapshot = log.snapshot
        for number in 1_501...1_600 { try log.append(Self.text(number)) }
        #expect(snapshot.lastSequence == LogSequence(1_500))
        var count = 0
        try snapshot.replay(after: .none) { (record: LogRecord) throws(Never) in
            if case .transaction = record { count += 1 }
        }
        #expect(count == 1_500)
        #expect(log.snapshot.lastSequence == LogSequence(1_600))
    }

    @Test("Beside a live writer a reader sees promised transactions only")
    func besideWriter() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk)
        let log = try test.open().log
        try log.append(payload(1))
        try log.append(payload(2))
        #expect(try test.read().content.transactions.isEmpty)
        try log.sync()
        #expect(try test.read().content.transactions.isEmpty)
        try log.append(payload(3))
        let seen = try test.scan(.readOnly)
        #expect(seen.hasLiveWriter)
        #expect(seen.lastSequence == LogSequence(2))
        try log.sync()
        try log.seal()
        #expect(try test.read().content.transactions.count == 3)
        try log.append(payload(4))
        log.abandon()
        // Nobody writes any more: what is whole is shown, and told apart from what is promised.
        let after = try test.read()
        #expect(after.content.transactions.count == 4)
        #expect(after.report.promisedSequence == LogSequence(3))
        #expect(after.report.lastSequence == LogSequence(4))
    }

    @Test("A seal is written once for each sync, and only when a promise is owed")
    func seals() throws {
        let disk = SimulatedDisk()
        let log = try TestLog(disk).open().log
        try log.append(payload(1))
        let before = log.statistics.storedBytes
        try log.seal()
        #expect(log.statistics.storedBytes == before)
        try log.sync()
        try log.seal()
        try log.seal()
        #expect(
            log.statistics.storedBytes.rawValue
                == before.rawValue + UInt64(FrameHeader.byteCount))
    }

    @Test("Opening and closing without writing leaves the files as they are")
    func idle() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk)
        let log = try test.open().log
        try log.append(payload(1))
        try log.close()
        let image = disk.image
        try test.open().log.close()
        #expect(disk.image == image)
    }

    @Test("The consumer's error ends a replay and comes out as it is")
    func consumerError() throws {
        struct Enough: Error {}
        let (_, log) = try Self.makeLog(SimulatedDisk())
        var count = 0
        let failure = #expect(throws: ReplayFailure<Enough>.self) {
            try log.snapshot.replay(after: .none) { (_: LogRecord) throws(Enough) in
                count += 1
                if count == 10 { throw Enough() }
            }
        }
        guard case .consumer = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(count == 10)
    }

    @Test("Inspection lists headers, footers and frames as they lie in the files")
    func inspection() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk, segmentBytesMax: 500)
        let log = try test.open().log
        for number in 1...9 { try log.append(payload(number)) }
        try log.close()
        let inspection = try LogInspection(disk)
        #expect(inspection.segments.count == log.statistics.segments)
        let first = inspection.segments[0]
        var frames: [FrameSummary] = []
        let problem = try inspection.forEachFrame(in: first) { frame in
            frames.append(frame)
            return true
        }
        #expect(problem == nil)
        #expect(frames.first?.header.type == .catalog)
        #expect(frames.last?.header.type == .footer)
        #expect(frames.last?.location.offset == first.footer?.dataEnd)
        #expect(first.footer?.frames == UInt64(frames.count - 1))
        #expect(first.footer?.sealedLength == first.fileLength)
        let transactions = frames.filter { $0.header.type == .transaction }
        #expect(first.footer?.transactions == UInt64(transactions.count))
        #expect(first.footer?.earliestTime == 10)
        #expect(first.footer?.index.first?.offset == transactions.first?.location.offset)
    }
}
