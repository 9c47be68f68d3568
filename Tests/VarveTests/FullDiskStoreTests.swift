import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Stores on a disk without any space left")
struct FullDiskStoreTests {
    private func open(_ disk: SmallDisk, seed: UInt64) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(8_192)
        return try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), configuration: configuration,
            mode: .readWrite, durability: .commit, retention: .everything,
            compactsAutomatically: false, types: [Note.self])
    }

    /// Text that does not get smaller.
    private func text(_ random: inout SeededGenerator) -> String {
        String(
            (0..<400).map { _ in
                Character(UnicodeScalar(UInt8.random(in: 33...126, using: &random)))
            })
    }

    /// A store that was compacted twice, written until the disk was full, and whose writer was killed.
    private func full(
        blocks: Int
    ) throws -> (disk: SmallDisk, files: SimulatedDisk, count: Int) {
        let disk = SimulatedDisk()
        let small = try SmallDisk(disk, blocks: blocks)
        let store = try open(small, seed: 1)
        var random = SeededGenerator(seed: 20)
        var count = 0
        while true {
            do {
                try store.write { try Note(id: count, text: text(&random)).save(to: &$0) }
            } catch StoreError.log(let error) {
                #expect(error.isFullDisk)
                break
            }
            count += 1
            if count == 5 || count == 10 { try store.compact() }
        }
        let image = disk.image
        withExtendedLifetime(store) {}
        let files = SimulatedDisk(image)
        let again = try SmallDisk(files, blocks: 0)
        again.leave(blocks: 0)
        return (again, files, count)
    }

    @Test("What was written can be deleted and compacted away by the program that wrote it")
    func deletion() throws {
        for blocks in stride(from: 400, to: 460, by: 7) {
            let (disk, _, count) = try full(blocks: blocks)
            let store = try open(disk, seed: 2)
            #expect(store.context.count(Note.self) == count && count > 20)
            try store.write { context in
                for id in 1..<count { try Note.delete(id: id, from: &context) }
            }
            let report = try store.compact(retaining: .newestState, for: .size)
            #expect(report.bytesAfter < report.bytesBefore)
            try store.write { try Note(id: -1, text: "").save(to: &$0) }
            try store.close()
            #expect(try open(disk, seed: 3).context.count(Note.self) == 2)
        }
    }

    @Test("A second attempt at a compaction for size reports what the first one dropped and found")
    func secondAttempt() throws {
        for blocks in stride(from: 400, to: 460, by: 7) {
            let (disk, files, _) = try full(blocks: blocks)
            let names = try disk.list() ?? []
            let segments = names.filter { $0.hasPrefix("segment-") }.sorted()
            // Behind the header, in what neither opening nor the checkpoints need.
            files.corrupt(segments[0]) { $0[400] ^= 1 }
            let before = try names.filter {
                $0.hasPrefix("segment-") || $0.hasPrefix("checkpoint-")
            }.reduce(0) { try $0 + disk.open($1, .read).length().rawValue }
            let store = try open(disk, seed: 4)
            let report = try store.compact(retaining: .newestState, for: .size)
            guard case .damaged(let damage)? = report.damage.first else {
                Issue.record("\(blocks) blocks: \(report.damage)")
                continue
            }
            #expect(damage.segment == SegmentID(1) && report.damage.count == 1)
            #expect(store.statistics.compactionDamage == report.damage)
            #expect(report.bytesBefore.rawValue >= before)
            // The last one may have been empty, and is the new one then.
            #expect(report.segmentsDropped >= segments.count - 1)
        }
    }
}
