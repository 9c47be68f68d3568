import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("A walk over the leaves of a table")
struct StoredLeafWalkTests {
    private static let leafCount = 1_000

    /// A table with a slot for each leaf, some of which lie behind the others, because they were made again.
    private static func table() -> Versions<RowTree> {
        var versions = Versions(RowTree(slotBits: 0))
        versions.change { rows, transaction in
            for number in 0..<leafCount {
                _ = UserLog.id(number).withUnsafeBytes { rows.append(id: $0, in: transaction) }
            }
        }
        versions.change { rows, transaction in
            for number in stride(from: 0, to: leafCount, by: 7) {
                _ = UserLog.name(number).withUnsafeBytes {
                    rows.set(
                        Slot(UInt32(number)), row: $0, RowMetadata.vacant, in: transaction)
                }
            }
        }
        return versions
    }

    private static func values(_ leaves: some Sequence<StoredLeaf>) -> [[UInt32]] {
        leaves.map { [$0.position, $0.page.rawValue] }
    }

    @Test("It comes to each leaf, window by window, and in each as they are stored")
    func windows() {
        let versions = Self.table()
        let (rows, pages) = (versions.structure, versions.pages)
        let all = rows.storedLeaves(in: pages)
        #expect(all.count == Self.leafCount)
        for windowCount in [1, 60, 999, 1_000, 1_200] {
            var walk = StoredLeafWalk(rows, windowCount: windowCount, listedPerStep: 50)
            for _ in 0..<2 {
                var found: [StoredLeaf] = []
                while let leaves = walk.next(atMost: 30, in: pages) {
                    #expect(leaves.count <= 30)
                    found += leaves
                }
                let expected = stride(from: 0, to: all.count, by: windowCount).flatMap { start in
                    all[start..<min(start + windowCount, all.count)]
                        .sorted { $0.page.rawValue < $1.page.rawValue }
                }
                #expect(Self.values(found) == Self.values(expected), "\(windowCount)")
                walk.restart()
            }
        }
    }

    @Test("No step lists many leaves, and none is listed before the window before is done")
    func steps() {
        let versions = Self.table()
        var walk = StoredLeafWalk(versions.structure, windowCount: 300, listedPerStep: 50)
        #expect(walk.listedCount == 0)
        var (listed, walked) = (0, 0)
        while let leaves = walk.next(atMost: 20, in: versions.pages) {
            walked += leaves.count
            #expect(walk.listedCount - listed <= 50)
            listed = walk.listedCount
            #expect(listed <= walked + 300)
        }
        #expect(walked == Self.leafCount)
        // A small table is walked over at once.
        var usual = StoredLeafWalk(versions.structure)
        #expect(usual.next(atMost: 128, in: versions.pages)?.count == 128)
        #expect(StoredLeafWalk.windowCount >= 8 * StoredLeafWalk.listedPerStep)
    }

    @Test("Blocks of a window are not kept for the next one")
    func blocks() {
        let versions = Self.table()
        var walk = StoredLeafWalk(versions.structure, windowCount: 200, listedPerStep: 100)
        var blocks: [ObjectIdentifier] = []
        var kept: [ScanBuffers] = []
        while let leaves = walk.next(atMost: 50, in: versions.pages) {
            guard !leaves.isEmpty else { continue }
            kept.append(walk.buffers)
            blocks.append(ObjectIdentifier(walk.buffers))
        }
        #expect(blocks.count == 20 && Set(blocks).count == 5)
        #expect(kept.count == 20)
    }

    @Test("A table without rows has no leaf")
    func empty() {
        let versions = Versions(RowTree())
        var walk = StoredLeafWalk(versions.structure)
        #expect(walk.next(atMost: 1, in: versions.pages) == nil)
    }
}
