import Testing
import VarveLog
import VarveTestSupport

@Suite("A disk without any space left")
struct FullDiskTests {
    /// A log that was written until the disk was full, and whose writer was killed then.
    private struct Full {
        let disk: SimulatedDisk
        let small: SmallDisk
        let payloads: [[UInt8]]

        /// - Parameter compactedAt: the transactions behind which it was compacted.
        init(blocks: Int, compactedAt: Set<Int> = []) throws {
            disk = SimulatedDisk()
            small = try SmallDisk(disk, blocks: blocks)
            let log = try CompactionLog(small).open().log
            var payloads: [[UInt8]] = []
            var isFull = false
            while !isFull {
                let next = payload(payloads.count + 1, bytes: 40)
                do throws(LogError) {
                    try log.append(next)
                    try log.sync()
                    payloads.append(next)
                } catch {
                    #expect(error.isFullDisk && "\(error)".contains("copy the store"))
                    isFull = true
                }
                if compactedAt.contains(payloads.count) {
                    try CompactionLog.compact(log, payloads)
                }
            }
            self.payloads = payloads
            log.abandon()
            small.leave(blocks: 0)
        }
    }

    private static let room = 256

    @Test("Row 20: The log is opened for writing, written, compacted and closed all the same")
    func unclean() throws {
        for blocks in Self.room + 16..<Self.room + 60 {
            let full = try Full(blocks: blocks)
            #expect(full.payloads.count > 1)
            let test = CompactionLog(full.small)
            #expect(try test.read().payloads == full.payloads)
            let opened = try test.open()
            #expect(opened.payloads == full.payloads && opened.report.dropped == nil)
            // A deletion, which says what is left.
            try opened.log.append(payload(0))
            try opened.log.sync()
            try CompactionLog.compact(opened.log, [payload(0)], for: .size)
            try opened.log.close()
            #expect(try test.read().report.endedCleanly)
            #expect(try LogVerification.verify(full.disk).isSound)
            // What was freed is kept again.
            #expect(try full.small.open("LOCK", .read).length().rawValue == 131_072)
        }
    }

    @Test("Closing finds space for the mark of a clean end")
    func closing() throws {
        for blocks in Self.room + 16..<Self.room + 40 {
            let disk = SimulatedDisk()
            let small = try SmallDisk(disk, blocks: blocks)
            let log = try CompactionLog(small).open().log
            while true {
                do throws(LogError) { try log.append(payload(1, bytes: 40)) } catch { break }
            }
            small.leave(blocks: 0)
            try log.close()
            #expect(try CompactionLog(small).read().report.endedCleanly)
        }
    }

    @Test(
        "Row 21: A compaction for size drops what it may before it writes, where both find no space"
    )
    func compaction() throws {
        let full = try Full(blocks: Self.room + 120, compactedAt: [10, 30])
        let opened = try CompactionLog(full.small).open()
        let before = full.small.freeBlocks
        full.small.leave(blocks: 2)
        let names = { try Set(full.small.list() ?? []) }
        #expect(try names().contains("checkpoint-0000000001"))
        let compaction = try #require(try opened.log.beginCompaction(for: .size))
        let error = #expect(throws: LogError.self) {
            _ = try compaction.writeCheckpoint(time: 0) { writer throws(LogError) in
                try CompactionLog.encode(opened.payloads, into: writer)
            } verify: { _ throws(LogError) in
            }
        }
        #expect(compaction.goesOnWithoutCheckpoint(after: try #require(error)))
        let (manifest, dropped) = try compaction.plan(.newestState)
        #expect(try compaction.conclude(with: manifest, opened.log.finish) == nil)
        #expect(dropped.segments > 0 && before >= 0)
        #expect(try !names().contains("checkpoint-0000000001"))
        #expect(try names().contains("checkpoint-0000000002"))
        opened.log.abandon()
        #expect(try CompactionLog(full.small).read().payloads == full.payloads)
    }

    @Test(
        "Row 20: Of an unpromised end as much is kept as finds space, and the report says how much")
    func lostTail() throws {
        for bytes in [1_000, 40_000, 200_000] {
            let full = try Full(blocks: Self.room + 20)
            let inspection = try LogInspection(full.disk)
            let last = try #require(inspection.segments.last).id
            full.disk.corrupt(StoreFileName.segment(last).text) { content in
                content += (0..<bytes).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
            }
            // A writer's frames that were not whole: they took space, and nothing is left.
            let small = try SmallDisk(full.disk, blocks: 0)
            small.leave(blocks: 0)
            let opened = try CompactionLog(small).open()
            #expect(opened.payloads == full.payloads)
            let dropped = try #require(opened.report.dropped)
            #expect(dropped.bytes == ByteCount(UInt64(bytes)))
            let kept = full.disk.image.files[try #require(dropped.keptAs)]
            #expect(kept?.count == Int(dropped.keptBytes.rawValue))
            #expect((dropped.keptBytes == dropped.bytes) == (bytes < 120_000))
            #expect(dropped.keptBytes > ByteCount(900))
            try opened.log.append(payload(0))
            try opened.log.close()
        }
    }

    @Test("A store without the room is refused as it is, says what to do, and is read and copied")
    func withoutRoom() throws {
        let full = try Full(blocks: Self.room + 20)
        full.disk.corrupt("LOCK") { $0.removeSubrange(256...) }
        let small = try SmallDisk(full.disk, blocks: 0)
        small.leave(blocks: 0)
        let before = full.disk.image.withoutLock
        let error = #expect(throws: LogError.self) { try CompactionLog(small).open() }
        #expect(error?.isFullDisk ?? false)
        #expect(error?.description.contains("copy the store to another") ?? false)
        #expect(try CompactionLog(small).read().payloads == full.payloads)
        let copy = SimulatedDisk()
        _ = try LogBackup.run(from: small, to: copy)
        #expect(try CompactionLog(copy).read().payloads == full.payloads)
        #expect(before.files.keys.allSatisfy { full.disk.image.files[$0] != nil })
    }

    @Test("On a real disk the room is taken once, and is not read")
    func realFile() throws {
        let store = try TemporaryStore()
        let test = TestLog(POSIXFileSystem(store.path))
        for round in 1...3 {
            let log = try test.open().log
            try log.append(payload(round))
            try log.close()
            #if os(Linux)
                let length = try POSIXFileSystem(store.path).open("LOCK", .read).length()
                // Where the file system has no such space to give, there is none.
                #expect(length.rawValue == 131_072 || length.rawValue == 256)
            #endif
        }
        #expect(try test.read().content.transactions.count == 3)
    }
}
