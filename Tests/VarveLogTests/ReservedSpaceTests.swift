import Testing
import VarveLog
import VarveTestSupport

@Suite("Space that is taken beforehand")
struct ReservedSpaceTests {
    private static let segment = StoreFileName.segment(SegmentID(1)).text

    /// A log of synced transactions whose writer is gone, on a disk that gives space beforehand.
    private static func killed(_ payloads: [[UInt8]]) throws -> (TestLog, SimulatedDisk) {
        let disk = SimulatedDisk(reserving: 5_000)
        let test = TestLog(disk)
        let log = try test.open().log
        for payload in payloads {
            try log.append(payload)
            try log.sync()
        }
        log.abandon()
        return (test, disk)
    }

    @Test(
        "A real file grows in large steps while it is synced, and ends with its last frame once it is closed"
    )
    func realFile() throws {
        let store = try TemporaryStore()
        let fileSystem = POSIXFileSystem(store.path)
        let log = try TestLog(fileSystem).open().log
        func length() throws -> UInt64 {
            try fileSystem.open(Self.segment, .read).length().rawValue
        }
        var lengths: Set<UInt64> = []
        for number in 1...20 {
            try log.append(payload(number))
            try log.sync()
            if number > 2 { lengths.insert(try length()) }
        }
        let end = log.statistics.storedBytes.rawValue
        let whole = try length()
        try log.close()
        #expect(try length() < end + 200)
        #if os(Linux)
            // Where the file system has no such space to give, it grows with each frame.
            #expect(lengths.count == 1 && whole > end || lengths.count == 18)
        #endif
        let again = try TestLog(fileSystem).open()
        #expect(again.report.endedCleanly && again.report.unusedBytes == .zero)
        #expect(again.content.transactions.count == 20)
    }

    @Test("Zeros come behind what is there, also where some were written before")
    func zerosBehind() throws {
        let store = try TemporaryStore()
        let fileSystem = POSIXFileSystem(store.path)
        try fileSystem.createDirectory()
        let file = try fileSystem.open("file", .createExclusive)
        let content = (0..<10_001).map { UInt8(truncatingIfNeeded: $0 * 31 + 7) }
        try content.withUnsafeBytes { try file.writeAll($0, at: FrameOffset(0), name: "file") }
        var end: UInt64 = 10_001
        for _ in 0..<3 {
            guard let reserved = file.reserve(behind: FrameOffset(end)) else {
                // Neither other systems nor some file systems give space.
                #expect(try file.length() == ByteCount(end))
                break
            }
            #expect(reserved.rawValue > end && reserved.rawValue.isMultiple(of: 4_096))
            #expect(try file.length() == ByteCount(reserved.rawValue))
            let bytes = try file.readBytes(
                at: FrameOffset(0), count: Int(reserved.rawValue), name: "file")
            #expect(Array(bytes.prefix(10_001)) == content)
            #expect(bytes[10_001..<Int(end)].allSatisfy { $0 == 0xAB })
            #expect(bytes[Int(end)...].allSatisfy { $0 == 0 })
            // A frame inside of what was reserved, before which more is wanted.
            let frame = [UInt8](repeating: 0xAB, count: 5_003)
            try frame.withUnsafeBytes {
                try file.writeAll($0, at: FrameOffset(end), name: "file")
            }
            end += 5_003
        }
        try file.close()
    }

    @Test(
        "A real file keeps every transaction, large ones among small ones, when its writer is gone")
    func realFileOfManySizes() throws {
        let store = try TemporaryStore()
        let fileSystem = POSIXFileSystem(store.path)
        // Of noise, so that none is made smaller; each tenth is too large for space beforehand.
        var random = SeededGenerator(seed: 64)
        let payloads = (1...400).map { number in
            (0..<(number.isMultiple(of: 10) ? 20_000 : 700)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
        }
        let log = try TestLog(fileSystem).open().log
        for payload in payloads {
            try log.append(payload)
            try log.sync()
        }
        log.abandon()
        let again = try TestLog(fileSystem).open()
        #expect(again.report.dropped == nil)
        #expect(again.content.transactions == payloads)
    }

    @Test("What a killed writer did not use is told, and cut, and nothing counts as dropped")
    func killedWriter() throws {
        let (test, disk) = try Self.killed((1...3).map { payload($0) })
        let read = try test.read()
        #expect(read.content.transactions.count == 3)
        #expect(read.report.unusedBytes > ByteCount(3_000))
        #expect(read.report.dropped == nil)
        let opened = try test.open()
        #expect(opened.report.dropped == nil)
        #expect(opened.report.unusedBytes == read.report.unusedBytes)
        #expect(disk.image.files.keys.allSatisfy { !$0.hasPrefix("lost") })
        try opened.log.append(payload(4))
        try opened.log.close()
        #expect(try test.read().content.transactions == (1...4).map { payload($0) })
        #expect(try LogVerification.verify(disk).isSound)
    }

    @Test("A transaction that ends with zeros is whole in front of them")
    func zeroContent() throws {
        let zeros = [UInt8](repeating: 0, count: 1_000)
        var half = payload(1)
        half += zeros
        let (test, _) = try Self.killed([zeros, half])
        #expect(try test.read().content.transactions == [zeros, half])
        #expect(try test.open().content.transactions == [zeros, half])
    }

    @Test(
        "Of a frame cut short in front of zeros, what was to be written is dropped, and they are not"
    )
    func torn() throws {
        let (_, disk) = try Self.killed((1...2).map { payload($0) })
        let written = try TestLog(SimulatedDisk(disk.image)).read()
        var image = disk.image
        let length = try #require(image.files[Self.segment]?.count)
        #expect(length.isMultiple(of: 512))
        let end = length - Int(written.report.unusedBytes.rawValue)
        // Neither promised nor whole.
        for position in (end - 8)..<end { image.files[Self.segment]?[position] = 0 }
        let opened = try TestLog(SimulatedDisk(image)).open()
        #expect(opened.content.transactions == [payload(1)])
        let dropped = try #require(opened.report.dropped)
        #expect(dropped.offset.rawValue + dropped.bytes.rawValue == UInt64(end))
        #expect(opened.report.unusedBytes == written.report.unusedBytes)
        #expect(dropped.reason == .damagedPayload)
    }

    @Test(
        "A follower beside the writer takes them for the end, and goes on where frames come to stand"
    )
    func followed() throws {
        let disk = SimulatedDisk(reserving: 5_000)
        let test = TestLog(disk)
        let log = try test.open().log
        try log.append(payload(1))
        try log.sync()
        try log.append(payload(2))
        try log.sync()
        try log.seal()
        let scanned = try test.scan(.readOnly)
        var seen = try TestLog.replay(scanned).transactions
        let follower = try LogFollower(scanned)
        for number in 3...6 {
            try log.append(payload(number))
            try log.sync()
            try log.seal()
            _ = try follower.poll(limit: .max) { (record: LogRecord) throws(Never) in
                if case .transaction(let transaction) = record {
                    seen.append(Array(transaction.payload))
                }
            }
            #expect(seen == (1...number).map { payload($0) })
        }
    }
}
