import Testing
import Varve
import VarveEvents
import VarveInspection
import VarveReplay
import VarveTestSupport

@testable import VarveLog
@testable import VarveTables

@EntityModel("Leaf")
private struct Leaf: Equatable {
    let id: Int
    var text: String
    var size: Int
}

@EntityModel("Leaf")
private struct SlimLeaf: Equatable {
    let id: Int
    var text: String
}

@Suite("Stores whose checkpoints are images")
struct ImageStoreTests {
    private static func open(
        _ disk: SimulatedDisk, mode: Store.Mode = .readWrite, seed: UInt64 = 1,
        migrations: [Migration] = [], types: [any EntityModelProtocol.Type] = [Leaf.self]
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed),
            configuration: LogConfiguration(), mode: mode, durability: .commit,
            retention: .everything, compactsAutomatically: false, migrations: migrations,
            types: types)
    }

    private static func fill(_ store: Store, _ numbers: Range<Int>) throws {
        for number in numbers {
            try store.write { context in
                for part in 0..<30 {
                    try Leaf(id: number * 20 + part, text: "leaf \(number) \(part)", size: part)
                        .save(to: &context)
                }
                if number % 3 == 2 { try Leaf.delete(id: number * 20, from: &context) }
            }
        }
    }

    private static func leaves(_ context: Context) -> [Leaf] { Leaf.query().resolve(in: context) }

    private static func compact(_ disk: SimulatedDisk) throws {
        _ = try StoreCompaction.compact(
            disk, environment: SimulatedEnvironment(seed: 8), retaining: .everything)
    }

    @Test(
        "A store opens from an image, reads, writes, looks back, undoes, is followed and compacts")
    func life() throws {
        let disk = SimulatedDisk()
        var store = try Self.open(disk)
        try Self.fill(store, 0..<20)
        var expected = Self.leaves(store.context)
        try store.close()
        try Self.compact(disk)
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        #expect(try scanned.open(scanned.manifest.checkpoints[0]).header.isImage)

        store = try Self.open(disk, seed: 2)
        #expect(store.recovery.checkpoint == LogSequence(20))
        #expect(Self.leaves(store.context) == expected)
        #expect(Self.leaves(store.context).count { $0.size == 7 } > 5)
        let follower = try Self.open(disk, mode: .readOnly, seed: 3)
        try Self.fill(store, 20..<24)
        try store.flush()
        try follower.refresh()
        #expect(Self.leaves(follower.context) == Self.leaves(store.context))
        #expect(try Self.leaves(store.context(asOf: .transaction(20))) == expected)
        #expect(try store.context(asOf: .transaction(3)).count(Leaf.self) < expected.count)
        _ = try store.undo()
        #expect(
            try Self.leaves(store.context) == Self.leaves(store.context(asOf: .transaction(23))))
        expected = Self.leaves(store.context)
        try store.compact()
        try store.close()
        #expect(try StoreVerification.verify(disk).problems.isEmpty)
        try Self.compact(disk)
        store = try Self.open(disk, seed: 4)
        #expect(Self.leaves(store.context) == expected)
        try store.close()
    }

    @Test("No checkpoint behind a migration has rows of former definitions")
    func revised() throws {
        let disk = SimulatedDisk()
        var store = try Self.open(disk)
        try Self.fill(store, 0..<20)
        try store.compact()
        try store.close()
        store = try Self.open(
            disk, seed: 2, migrations: [Migration("slim", .remove("size", of: "Leaf"))],
            types: [SlimLeaf.self])
        for id in [1, 2] {
            try store.write { try SlimLeaf(id: id, text: "changed").save(to: &$0) }
            try store.compact()
        }
        try store.close()
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        #expect(scanned.manifest.checkpoints.count == 2)
        for reference in scanned.manifest.checkpoints {
            let file = try scanned.open(reference)
            #expect(file.header.isImage)
            let state = try file.readState()
            let type = try #require(state.catalog.definition(named: "Leaf"))
            let newest = state.catalog.revisions(of: type.number).count - 1
            var cursor = try #require(state.entries(of: type.number))
            var count = 0
            while let entry = cursor.nextEntry() {
                guard entry.presence.hasRow else { continue }
                #expect(Int(entry.revision) == newest, "\(reference)")
                count += 1
            }
            #expect(newest > 0 && count > 100)
        }
    }

    @Test("A block that lies is found when it is read, and the log leads to the same state")
    func forged() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk)
        try Self.fill(store, 0..<10)
        try store.close()
        try Self.compact(disk)
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        let file = try scanned.open(scanned.manifest.checkpoints[0])
        let pages = try file.pageContents()
        let original = try Self.open(disk, mode: .readOnly, seed: 5)
        var (refusedCount, placedCount) = (0, 0)
        for block in try file.imageRanges().blocks {
            let copy = SimulatedDisk(disk.image)
            let writer = try CheckpointWriter(file.header, in: copy)
            let middle = (block.lowerBound + block.upperBound) / 2
            let index = try #require(file.pages.lastIndex { Int($0.offset.rawValue) < middle })
            for (position, page) in pages.enumerated() {
                var bytes = page.bytes
                if position == index {
                    bytes[middle - Int(file.pages[index].offset.rawValue) - 48] ^= 1
                }
                try bytes.withUnsafeBytes {
                    try writer.append(page.key, $0, compressing: page.key.kind != 7)
                }
            }
            try writer.finish(contentDigest: file.contentDigest)
            try writer.publish()
            // Nothing behind the checkpoint needs the map of ids: then all that is read is as it was.
            let opened = try Self.open(copy, mode: .readOnly, seed: 5)
            #expect(Self.leaves(opened.context) == Self.leaves(original.context))
            let problems = opened.recovery.checkpointProblems
            guard let problem = problems.first else { continue }
            #expect(problem.file == "checkpoint-0000000001")
            if problem.offset != nil { placedCount += 1 }
            #expect(opened.health.damages.map(\.file) == [problem.file])
            refusedCount += 1
        }
        #expect(refusedCount > 1 && placedCount > 1)
    }
}
