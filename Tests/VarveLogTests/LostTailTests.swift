import Testing
import VarveLog
import VarveTestSupport

@Suite("Tails that recovery keeps")
struct LostTailTests {
    private let disk = SimulatedDisk()
    private var lost: any FileSystem { disk.subdirectory("lost") }

    /// A log that ended in the middle of a frame, opened again: recovery has kept what it cut.
    private func openCut(_ log: Log?, _ payloads: inout [[UInt8]]) throws -> Log {
        let log = try log ?? CompactionLog(disk).open().log
        for _ in 0..<2 {
            payloads.append(LogPayload.of(payloads.count + 1))
            try log.append(payloads[payloads.count - 1])
            try log.sync()
        }
        try log.append(LogPayload.of(payloads.count + 1))
        log.abandon()
        let segment = try #require(disk.image.files.keys.filter { $0.hasPrefix("segment") }.max())
        disk.corrupt(segment) { $0.removeLast(8) }
        let opened = try CompactionLog(disk, seed: UInt64(payloads.count)).open()
        #expect(opened.payloads == payloads && opened.report.dropped?.keptAs != nil)
        return opened.log
    }

    @Test("Forgetting removes those from before it, once; later ones and foreign files stay")
    func forgetting() throws {
        var payloads: [[UInt8]] = []
        var log = try openCut(nil, &payloads)
        _ = try lost.open("notes", .createExclusive)
        _ = try lost.open("segment-1-epoch-1-offset-128", .createExclusive)
        let foreign = ["notes", "segment-1-epoch-1-offset-128"]
        #expect(try #require(try lost.list()).count == 3)
        let forgotten = log.lastSequence
        for _ in 0..<2 {
            try CompactionLog.compact(log, payloads, forgetting: forgotten)
            #expect(try lost.list()?.sorted() == foreign)
        }
        log = try openCut(log, &payloads)
        for _ in 0..<4 {
            try CompactionLog.compact(log, payloads, forgetting: forgotten)
            #expect(try #require(try lost.list()).count == 3, "a power cut after it lost nothing")
            payloads.append(LogPayload.of(payloads.count + 1))
            try log.append(payloads[payloads.count - 1])
        }
        try log.close()
    }

    @Test("Their names are read as they are written, and no others")
    func names() {
        let name = StoreFileName.lostTail(SegmentID(12), epoch: 3, offset: FrameOffset(456))
        #expect(StoreFileName.segment(ofLostTail: name) == SegmentID(12))
        for name in ["", "notes", "segment-0000000012", name + "-1", "x" + name] {
            #expect(StoreFileName.segment(ofLostTail: name) == nil, "\(name)")
        }
    }
}
