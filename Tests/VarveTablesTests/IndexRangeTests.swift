import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Indexes that are made in ranges of keys, because all keys do not fit into memory.
@Suite("Indexes made in ranges")
struct IndexRangeTests {
    @Test(
        "They are those that are made at once, of long and equal values and of nil",
        arguments: TestSize.choose(1...4, nightly: 1...40))
    func random(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let people = PeopleLog.people(40 + generator.below(60), &generator)
        func content(_ keyBytesMax: Int) throws -> StateContent {
            StateContent(
                try PeopleLog.state(of: people).changed {
                    _ = PeopleLog.build(PeopleLog.declarations, in: $0, keyBytesMax: keyBytesMax)
                })
        }
        let expected = try content(.max)
        for keyBytesMax in [1, 100, 1_000, 1 + generator.below(10_000)] {
            #expect(try content(keyBytesMax) == expected, "seed \(seed), \(keyBytesMax) bytes")
        }
        // By age, and by slot where ages are equal: nil comes first.
        let byAge = people.indices.sorted {
            (people[$0].age ?? .min, $0) < (people[$1].age ?? .min, $1)
        }
        #expect(expected.tables[0].indexed[1].map(\.index) == byAge)
    }

    @Test("The rows are read once for each range")
    func steps() throws {
        var generator = SeededGenerator(seed: 3)
        let state = try PeopleLog.state(of: PeopleLog.people(3_000, &generator))
        let byAge = [PeopleLog.declarations[1]]
        func steps(_ keyBytesMax: Int) -> Int {
            let transaction = StateTransaction(state)
            defer { transaction.rollBack() }
            return PeopleLog.build(byAge, in: transaction, keyBytesMax: keyBytesMax)
        }
        // Three of 1,024 rows and the end of them, and three of 1,024 entries: the last puts the index in place.
        let atOnce = steps(IndexBuilding.usualKeyBytesMax)
        #expect(atOnce == 7)
        #expect(atOnce == steps(.max))
        // Keys of five to seven bytes, with 16 for each.
        #expect(steps(3_000 * 23) == atOnce)
        #expect(steps(3_000 * 23 / 2) >= atOnce + 4)
        // Of one range of 16 KiB or more for each.
        #expect(steps(1 << 15) <= 5 * 6)
    }

    @Test("Of rows in an image each block is read once for each range, and none is kept")
    func storedRows() throws {
        let bytes = try UserLog.state(count: 4_000).image().bytes
        let byName = IndexDeclaration([.init(FieldNumber(1))])
        func reads(_ keyBytesMax: Int) throws -> (ranges: [Int: Int], slots: [Slot]) {
            let source = MemorySource(bytes)
            let (opened, image) = try State.open(source)
            let rows = opened.tables[0].rows
            let end = image.root.directory.totals.storedBytes
            // The nodes above the leaves are kept.
            let leaves = rows.storedLeaves(in: opened.pages)
            let before = source.ranges.count
            let built = try opened.reading {
                opened.changed { transaction in
                    _ = PeopleLog.build([byName], in: transaction, keyBytesMax: keyBytesMax)
                    for leaf in leaves {
                        #expect(transaction.transaction.pages.isUnread(leaf.page))
                    }
                }
            }
            // Not the parts of the directory, which are kept.
            let blocks = source.ranges[before...].filter { $0.lowerBound < end }
            let counts = Dictionary(grouping: blocks) { $0 }
                .map { ($0.key.lowerBound, $0.value.count) }
            let ranges = Dictionary(counts.map { (Int($0.0), $0.1) }) { $0 + $1 }
            return (ranges, StateContent(built).tables[0].indexed[0])
        }
        let atOnce = try reads(.max)
        #expect(atOnce.ranges.count > 5 && atOnce.ranges.values.allSatisfy { $0 == 1 })
        let inRanges = try reads(50_000)
        #expect(Set(inRanges.ranges.keys) == Set(atOnce.ranges.keys))
        #expect(Set(inRanges.ranges.values).count == 1)
        #expect(inRanges.ranges.values.allSatisfy { (3...8).contains($0) })
        #expect(inRanges.slots == atOnce.slots)
    }

    @Test("Rows that were changed in memory are in each range")
    func changedRows() throws {
        let bytes = try UserLog.state(count: 1_000).image().bytes
        let byAge = [IndexDeclaration([.init(FieldNumber(2)), .init(FieldNumber(1))])]
        func content(_ keyBytesMax: Int) throws -> StateContent {
            let opened = try State.open(MemorySource(bytes)).state
            var changed = try UserLog.update(100..<300, of: opened)
            changed = try UserLog.delete(700..<800, of: changed)
            changed = try UserLog.add(1_000..<1_100, to: changed)
            return StateContent(
                changed.changed {
                    _ = PeopleLog.build(byAge, in: $0, keyBytesMax: keyBytesMax)
                })
        }
        let inRanges = try content(5_000)
        #expect(inRanges == (try content(.max)))
        #expect(inRanges.tables[0].indexed[0].count == 1_000)
    }
}
