import Testing
import Varve
import VarveInspection
import VarveLog
import VarveTestSupport

@EntityModel("Page")
private struct Page {
    let id: Int
    var text: String
}

@Suite("Compactions on a disk without any space left")
struct FullDiskCompactionTests {
    @Test("A store whose writer was killed on a full disk is compacted for size all the same")
    func compaction() throws {
        let disk = SimulatedDisk()
        let small = try SmallDisk(disk, blocks: 600)
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(8_192)
        let store = try Store(
            in: small, environment: SimulatedEnvironment(seed: 1), configuration: configuration,
            mode: .readWrite, durability: .commit, retention: .everything,
            compactsAutomatically: false, types: [Page.self])
        var random = SeededGenerator(seed: 20)
        var count = 0
        while true {
            let text = (0..<400).map { _ in
                Character(UnicodeScalar(UInt8.random(in: 33...126, using: &random)))
            }
            do {
                try store.write { try Page(id: count % 50, text: String(text)).save(to: &$0) }
            } catch StoreError.log(let error) {
                #expect(error.isFullDisk)
                break
            }
            count += 1
            if count == 20 || count == 60 { try store.compact() }
        }
        #expect(count > 100)
        let files = SimulatedDisk(disk.image)
        // Behind the header, in what neither opening nor the checkpoints need.
        files.corrupt("segment-0000000001") { $0[400] ^= 1 }
        // A newest segment without a transaction is not dropped: the log goes on in it.
        let segments = try (files.list() ?? []).filter { $0.hasPrefix("segment-") }.count {
            try files.open($0, .read).length() > ByteCount(UInt64(SegmentHeader.byteCount))
        }
        let full = try SmallDisk(files, blocks: 0)
        full.leave(blocks: 0)
        // Nothing of the room that was kept is left when the checkpoint is begun.
        let isTaken = Lock(false)
        let hooked = HookedFileSystem(full) { operation, name, _ in
            guard operation == .write, name.contains("checkpoint") else { return }
            if !isTaken.withLock({ taken in
                defer { taken = true }; return taken
            }) {
                full.leave(blocks: 2)
            }
        }
        let compaction = try StoreCompaction.compact(
            hooked, environment: SimulatedEnvironment(seed: 4), retaining: .newestState, for: .size)
        // Also of the first attempt, which found no space for its checkpoint.
        guard case .damaged(let damage)? = compaction.damage.first else {
            Issue.record("\(compaction.damage)")
            return
        }
        #expect(damage.segment == SegmentID(1) && compaction.damage.count == 1)
        #expect(compaction.segmentsDropped >= segments)
        #expect(compaction.bytesAfter.rawValue * 2 < compaction.bytesBefore.rawValue)
        let again = try Store(
            in: full, environment: SimulatedEnvironment(seed: 5), mode: .readOnly,
            durability: .none, types: [Page.self])
        #expect(again.context.count(Page.self) == 50)
        withExtendedLifetime(store) {}
    }
}
