import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Entries come in order, in ranges that fit into a bound of memory.
@Suite("Entries of an index that is made")
struct IndexEntriesTests {
    private struct Ranges {
        var ranges: [[[UInt8]]] = []
        /// The most that was held behind an entry.
        var byteCountMax = 0
        var isWithinBound = true

        var all: [[UInt8]] { ranges.flatMap(\.self) }
    }

    /// What an entry takes.
    private static func byteCount(_ entry: [UInt8]) -> Int { entry.count + 16 }

    /// The ranges of entries, which are added in this order for each.
    private static func ranges(
        _ entries: [[UInt8]], byteCountMax: Int, atMost countMax: Int = 10
    ) -> Ranges {
        var collection = IndexEntries(byteCountMax: byteCountMax)
        var result = Ranges()
        repeat {
            for entry in entries {
                entry.withUnsafeBytes { collection.add($0) }
                let held = collection.runs + [collection.newest]
                // Counted here, not by the collection.
                let bytes = held.reduce(0) { $0 + $1.byteCount }
                let count = held.reduce(0) { $0 + $1.entries.count }
                result.byteCountMax = max(result.byteCountMax, bytes)
                if bytes != collection.byteCount || bytes > byteCountMax && count > 1 {
                    result.isWithinBound = false
                }
            }
            collection.beginMerge()
            var range: [[UInt8]] = []
            while collection.forEach(atMost: countMax, { range.append([UInt8]($0)) }) {}
            result.ranges.append(range)
        } while collection.beginNextRange() && result.ranges.count <= entries.count
        return result
    }

    /// Different entries, many of which have the same beginning, and some of which are the beginning of others.
    private static func entries(
        _ count: Int, _ generator: inout SeededGenerator
    ) -> [[UInt8]] {
        var entries: Set<[UInt8]> = []
        let shared = generator.bytes(12, alphabet: 1)
        while entries.count < count {
            let start = shared.prefix(generator.below(13))
            entries.insert(start + generator.bytes(generator.below(30), alphabet: 3))
        }
        return entries.sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test(
        "They are those of a sorted array, whatever the bound and the order in which they are added",
        arguments: TestSize.choose(1...24, nightly: 1...400))
    func random(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let sorted = Self.entries(generator.below(120), &generator)
        let added =
            switch seed % 3 {
            case 0: sorted.shuffled(using: &generator)
            case 1: sorted
            default: Array(sorted.reversed())
            }
        let total = sorted.reduce(0) { $0 + Self.byteCount($1) }
        for byteCountMax in [0, 1, 30, 100, 1_000, 1 + generator.below(5_000), total - 1, total] {
            let found = Self.ranges(
                added, byteCountMax: byteCountMax, atMost: 1 + generator.below(20))
            #expect(found.all == sorted, "seed \(seed), \(byteCountMax) bytes")
            #expect(found.isWithinBound, "seed \(seed), \(byteCountMax) bytes")
            #expect(
                (found.ranges.count == 1) == (total <= byteCountMax || sorted.count < 2),
                "seed \(seed), \(byteCountMax) bytes")
            #expect(
                sorted.isEmpty || found.ranges.allSatisfy { !$0.isEmpty },
                "seed \(seed), \(byteCountMax) bytes")
        }
    }

    @Test("Of one byte there is a range for each entry, also where they are long")
    func single() {
        let entries = (0..<20).map { [UInt8](repeating: UInt8($0), count: 1 + $0 * 50) }
        for entries in [entries, entries.reversed()] {
            let found = Self.ranges(entries, byteCountMax: 1)
            #expect(found.ranges.map(\.count) == Array(repeating: 1, count: 20))
            #expect(found.byteCountMax == 951 + 16)
        }
    }

    /// In many runs.
    @Test("A range takes at least half of the bound", arguments: [0, 1, 2])
    func manyEntries(order: Int) {
        var generator = SeededGenerator(seed: 7)
        let sorted = (0..<40_000).map { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } + [1, 2, 3, 4]
        }
        let added = [sorted, sorted.reversed(), sorted.shuffled(using: &generator)][order]
        let byteCountMax = 300_000
        let found = Self.ranges(added, byteCountMax: byteCountMax, atMost: 1_024)
        #expect(found.all == sorted)
        #expect(found.isWithinBound && found.byteCountMax > byteCountMax * 9 / 10)
        #expect(
            found.ranges.dropLast().allSatisfy { $0.count * 24 >= byteCountMax / 2 },
            "\(found.ranges.map(\.count))")
    }
}
