import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Sorting by the bytes of keys")
struct RadixSortTests {
    static let masks: [UInt64] = [
        .max, 0, 1, 0xFF, 0xFF00, 0xFF << 56, 0xFF00_0000_0000_00FF, 0x0101_0101_0101_0101,
    ]

    @Test(
        "Entries are in order of their keys, and those with one key as they were",
        arguments: masks)
    func sorting(mask: UInt64) {
        var random = SeededGenerator(seed: mask)
        // Around the number up to which insertion is used, and deep enough for several bytes.
        for count in [0, 1, 2, 23, 24, 25, 26, 300, 20_000] {
            var entries = (0..<count).map { number in
                // The least and the greatest key, too.
                let key =
                    [0, .max, random.next(), random.next()].randomElement(using: &random) ?? 0
                return IndexEntry(
                    key: key & mask, ordinal: UInt64(number), slot: UInt32(number))
            }
            let expected = entries.sorted { ($0.key, $0.ordinal) < ($1.key, $1.ordinal) }
            let spare = UnsafeMutableBufferPointer<IndexEntry>.allocate(capacity: count)
            defer { spare.deallocate() }
            entries.withUnsafeMutableBufferPointer { RadixSort.sort($0, spare) }
            #expect(entries == expected, "\(count) entries")
        }
    }

    @Test("Parts are dealt out into one bucket behind the other, in their order")
    func dealing() {
        let parts: [[UInt64]] = [[0x0201, 0x0102], [], [0x0103, 0xFF00, 0x02FF]]
        var output = [UInt64](repeating: 0, count: 5)
        var ends: [Int] = []
        output.withUnsafeMutableBufferPointer {
            RadixSort.deal(parts, by: 8, into: $0) { ends = Array($0) }
        }
        #expect(output == [0x0102, 0x0103, 0x0201, 0x02FF, 0xFF00])
        #expect(ends.count == 256 && ends[0] == 0 && ends[1] == 2 && ends[2] == 4)
        #expect(ends[254] == 4 && ends[255] == 5)
    }
}
