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
    private func full(blocks: Int) throws -> (SmallDisk, count: Int) {
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
        let again = try SmallDisk(SimulatedDisk(image), blocks: 0)
        again.leave(blocks: 0)
        return (again, count)
    }

    @Test("What was written can be deleted and compacted away by the program that wrote it")
    func deletion() throws {
        for blocks in stride(from: 400, to: 460, by: 7) {
            let (disk, count) = try full(blocks: blocks)
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
}
