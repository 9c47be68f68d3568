import Foundation
import Testing
import VarveLog
import VarveTestSupport

@Suite("Files that are as long as no disk", .timeLimit(.minutes(5)))
struct SparseFileTests {
    fileprivate static let enormous: UInt64 = 1 << 40

    /// A store of several segments on a real disk, and how much of its files is read.
    private struct Grown {
        let store: TemporaryStore
        let fileSystem: HookedFileSystem
        let test: CompactionLog
        let bytesRead = Lock<UInt64>(0)

        /// - Parameters:
        ///   - isClosed: whether its last writer closed it.
        ///   - isCompacted: whether there is a checkpoint.
        init(isClosed: Bool, isCompacted: Bool) throws {
            store = try TemporaryStore()
            fileSystem = HookedFileSystem(POSIXFileSystem(store.path))
            test = CompactionLog(fileSystem)
            let log = try test.open().log
            for number in 1...20 {
                try log.append(payload(number))
                if isCompacted, number == 10 {
                    try CompactionLog.compact(
                        log, (1...10).map { payload($0) }, retaining: .everything)
                }
            }
            try log.sync()
            if isClosed { try log.close() } else { log.abandon() }
        }

        /// Grows a file by a hole, with a byte at its end where that is asked for.
        func grow(_ name: String, endingWith last: UInt8? = nil) throws {
            let file = try POSIXFileSystem(store.path).open(name, .readWrite)
            try file.truncate(to: ByteCount(SparseFileTests.enormous))
            if let last {
                try [last].withUnsafeBytesTyped { bytes throws(FileSystemError) in
                    try file.writeAll(
                        bytes, at: FrameOffset(SparseFileTests.enormous - 1), name: name)
                }
            }
            try file.close()
            let bytesRead = bytesRead
            fileSystem.setHook { operation, _, bytes throws(FileSystemError) in
                if operation == .read { bytesRead.withLock { $0 += UInt64(bytes.count) } }
            }
        }

        func expectLittleWasRead() {
            // Blocks of a mebibyte, and at most 64 of them for the copy of what is dropped.
            #expect(bytesRead.withLock { $0 } < 256 << 20)
            bytesRead.withLock { $0 = 0 }
        }

        /// The last segment with frames.
        func lastSegment() throws -> String {
            let inspection = try LogInspection(POSIXFileSystem(store.path))
            return StoreFileName.segment(try #require(inspection.segments.last).id).text
        }
    }

    private static let payloads = (1...20).map { payload($0) }

    @Test(
        "Row 2: A hole behind the last frame is reported as damage without being read, and cut",
        arguments: [(true, nil), (false, nil), (true, 1), (false, 1)] as [(Bool, UInt8?)])
    func activeSegment(isClosed: Bool, last: UInt8?) throws {
        let grown = try Grown(isClosed: isClosed, isCompacted: false)
        let name = try grown.lastSegment()
        try grown.grow(name, endingWith: last)
        let read = try grown.test.read()
        #expect(read.payloads == Self.payloads)
        let dropped = try #require(read.report.dropped)
        #expect(dropped.bytes.rawValue > Self.enormous - 10_000)
        #expect(dropped.reason == (last == nil ? .zeros : .damagedHeader))
        #expect(read.report.unused == nil && !read.report.endedCleanly)
        grown.expectLittleWasRead()

        let verification = try LogVerification.verify(grown.fileSystem)
        #expect(verification.isSound && verification.unpromisedTail?.bytes == dropped.bytes)
        let follower = try LogFollower(try grown.test.test.scan(.readOnly))
        _ = try follower.poll { (_: LogRecord) throws(Never) in }
        grown.expectLittleWasRead()

        let opened = try grown.test.open()
        #expect(opened.payloads == Self.payloads)
        #expect(opened.report.dropped?.bytes == dropped.bytes)
        // What is kept is long and takes little.
        let kept = try #require(opened.report.dropped?.keptAs)
        let values = try URL(filePath: grown.store.path + "/" + kept)
            .resourceValues(forKeys: [.fileSizeKey, .fileAllocatedSizeKey])
        #expect(values.fileSize == Int(grown.test.test.configuration.lostBytesMax.rawValue))
        try opened.log.append(payload(21))
        try opened.log.close()
        #expect(try grown.test.read().payloads == Self.payloads + [payload(21)])
        #expect(try grown.test.read().report.endedCleanly)
        grown.expectLittleWasRead()
    }

    @Test(
        "A sealed segment that grew is refused without being read", arguments: [nil, 1] as [UInt8?])
    func sealedSegment(last: UInt8?) throws {
        let grown = try Grown(isClosed: true, isCompacted: false)
        try grown.grow(StoreFileName.segment(SegmentID(2)).text, endingWith: last)
        for mode in [LogMode.readOnly, .readWrite] {
            let error = #expect(throws: LogError.self) { try grown.test.test.scan(mode) }
            guard case .damaged(let damage) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(damage.segment == SegmentID(2))
        }
        #expect(try !LogVerification.verify(grown.fileSystem).isSound)
        grown.expectLittleWasRead()
    }

    @Test(
        "No other file of a store is read to a forged end",
        arguments: [
            "manifest-0000000002", "checkpoint-0000000001", "LOCK", "checkpoint-0000000009",
        ])
    func otherFiles(name: String) throws {
        let grown = try Grown(isClosed: true, isCompacted: true)
        if name == "checkpoint-0000000009" {
            try POSIXFileSystem(grown.store.path).open(name, .createExclusive).close()
        }
        try grown.grow(name)
        if name.hasPrefix("manifest") {
            #expect(throws: LogError.self) { try grown.test.read() }
            #expect(throws: LogError.self) { try grown.test.open() }
        } else {
            #expect(try grown.test.read().payloads == Self.payloads)
            let opened = try grown.test.open()
            #expect(opened.payloads == Self.payloads)
            #expect(
                opened.report.checkpointProblems.map(\.file)
                    == (name == "checkpoint-0000000001" ? [name] : []))
            try opened.log.close()
        }
        _ = try LogVerification.verify(grown.fileSystem)
        grown.expectLittleWasRead()
    }

    @Test("More zeros than a writer takes beforehand count as dropped, fewer as unused")
    func limit() throws {
        for (extra, isUnused) in [(64 << 10, true), ((64 << 10) + 1_024, false)] {
            let disk = SimulatedDisk()
            let log = try TestLog(disk).open().log
            try log.append(payload(1))
            try log.sync()
            log.abandon()
            let name = StoreFileName.segment(SegmentID(1)).text
            disk.corrupt(name) { bytes in
                // To a multiple of 512 behind the limit, or right before it.
                let end = (bytes.count + extra) / 512 * 512
                bytes += Array(repeating: 0, count: end - bytes.count)
            }
            let report = try TestLog(disk).read().report
            #expect((report.unused != nil) == isUnused && (report.dropped == nil) == isUnused)
        }
    }
}
