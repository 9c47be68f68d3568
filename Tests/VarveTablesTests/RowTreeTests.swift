import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("Rows by slot")
struct RowTreeTests {
    private struct Expected: Equatable {
        var id: [UInt8]
        var row: [UInt8] = []
        var metadata = RowMetadata.vacant
    }

    private static func contents(_ tree: RowTree, _ pages: PageTable) -> [Expected] {
        var contents: [Expected] = []
        var cursor = tree.cursor(in: pages)
        while let entry = cursor.nextEntry() {
            #expect(entry.slot.index == contents.count)
            contents.append(
                Expected(
                    id: Array(entry.id), row: Array(entry.row), metadata: entry.metadata))
            let found = tree.entry(entry.slot, in: pages)
            #expect(Array(found.row) == Array(entry.row) && Array(found.id) == Array(entry.id))
        }
        return contents
    }

    private static func metadata(_ value: Int) -> RowMetadata {
        RowMetadata(
            presence: value % 2 == 0 ? .live : .tombstone,
            stamps: EntityStamps(
                ordinal: UInt64(value), transaction: .max - UInt64(value),
                updatedAt: -Int64(value)), revision: UInt32(value))
    }

    /// Operations by number: 0 to 2 append an id of as many bytes; the rest set a row, of none to
    /// nine bytes, at one of two slots; the last one changes metadata alone.
    private static func apply(
        _ operation: Int, _ step: Int, to expected: inout [Expected], _ tree: inout RowTree,
        in transaction: PageTransaction
    ) {
        if operation < 3 || expected.isEmpty {
            let id = [UInt8](repeating: UInt8(step), count: operation * 3)
            expected.append(Expected(id: id))
            _ = id.withUnsafeBytes { tree.append(id: $0, in: transaction) }
            return
        }
        let position = operation % 2 == 0 ? 0 : expected.count - 1
        let slot = Slot(UInt32(position))
        expected[position].metadata = metadata(step)
        guard operation < 9 else {
            return tree.setMetadata(slot, metadata(step), in: transaction)
        }
        let row = [UInt8](repeating: UInt8(100 + step), count: [0, 3, 9][(operation - 3) / 2])
        expected[position].row = row
        _ = row.withUnsafeBytes { tree.set(slot, row: $0, metadata(step), in: transaction) }
    }

    @Test("All sequences of five operations", arguments: [0, 1], [4, 8])
    func exhaustive(slotBits: Int, inlineBytesMax: Int) {
        forEachSequence(length: 4, below: 10) { sequence in
            var versions = Versions(
                RowTree(slotBits: slotBits, childBits: 1, inlineBytesMax: inlineBytesMax))
            var expected: [Expected] = []
            var held: (PageSnapshot, RowTree, [Expected])?
            // Five operations, the first of which is one: a tree without slots takes nothing else.
            for (step, operation) in ([1] + sequence).enumerated() {
                let before = expected
                if step % 3 == 1 {
                    versions.changeInVain {
                        Self.apply(operation, step, to: &expected, &$0, in: $1)
                    }
                    expected = before
                }
                versions.change {
                    Self.apply(operation, step, to: &expected, &$0, in: $1)
                    // Twice: the second time on pages that the transaction owns.
                    if operation >= 3 {
                        Self.apply(operation, step + 50, to: &expected, &$0, in: $1)
                    }
                }
                if step == 1, let newest = versions.newest {
                    held = (newest, versions.structure, expected)
                }
            }
            if Self.contents(versions.structure, versions.pages) != expected {
                Issue.record("\(sequence)")
            }
            if let held, Self.contents(held.1, held.0.pages) != held.2 {
                Issue.record("\(sequence), the version that was held")
            }
            held = nil
            let large = expected.filter { $0.id.count + $0.row.count > inlineBytesMax }.count
            let leaves = (expected.count + 1 << slotBits - 1) >> slotBits
            if versions.livePageCount() != large + leaves + Self.nodeCount(leaves) {
                Issue.record("\(sequence): \(versions.livePageCount()) pages")
            }
        }
    }

    /// The nodes of two children above some leaves.
    private static func nodeCount(_ leaves: Int) -> Int {
        var (count, level) = (0, leaves)
        repeat {
            level = (level + 1) / 2
            count += level
        } while level > 1
        return count
    }

    @Test(
        "Random rows of all sizes, with versions held",
        arguments: TestSize.choose(1...10, nightly: 1...20))
    func random(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var versions = Versions(RowTree(slotBits: generator.below(6), childBits: 2))
        var expected: [Expected] = []
        var held: [(PageSnapshot, RowTree, [Expected])] = []
        for step in 0..<150 {
            versions.change { tree, transaction in
                for _ in 0...generator.below(8) {
                    if expected.isEmpty || generator.chance(3) {
                        let id = generator.bytes(generator.below(20))
                        expected.append(Expected(id: id))
                        _ = id.withUnsafeBytes { tree.append(id: $0, in: transaction) }
                    } else {
                        let position = generator.below(expected.count)
                        let size = generator.chance(10) ? 20_000 : 1 + generator.below(1_200)
                        expected[position].row = generator.bytes(generator.below(size) + 1)
                        expected[position].metadata = Self.metadata(step)
                        _ = expected[position].row.withUnsafeBytes {
                            tree.set(
                                Slot(UInt32(position)), row: $0, Self.metadata(step),
                                in: transaction)
                        }
                    }
                }
            }
            if generator.chance(20), let newest = versions.newest {
                held.append((newest, versions.structure, expected))
            }
        }
        #expect(
            Self.contents(versions.structure, versions.pages) == expected, "seed \(seed)")
        for version in held {
            #expect(Self.contents(version.1, version.0.pages) == version.2, "seed \(seed)")
        }
    }
}
