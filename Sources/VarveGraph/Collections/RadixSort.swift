/// What is sorted by an integer.
protocol RadixSorted: BitwiseCopyable {
    var radixKey: UInt64 { get }
}

extension UInt64: RadixSorted {
    var radixKey: UInt64 { self }
}

/// Sorts by the highest byte of the keys that differs, then each bucket by its own. Hashes and prefixes of texts are
/// apart after two or three of their eight bytes.
enum RadixSort {
    /// Up to this many are sorted faster by insertion.
    private static var insertionMax: Int { 24 }

    /// Sorts by key, stably. O(n) by the keys' bytes, at most eight calls deep: each leaves a byte less that differs.
    ///
    /// - Parameter spare: memory for as many, which need not be initialised.
    static func sort<Element: RadixSorted>(
        _ entries: UnsafeMutableBufferPointer<Element>,
        _ spare: UnsafeMutableBufferPointer<Element>
    ) {
        guard entries.count > insertionMax else { return sortByInsertion(entries) }
        var differing: UInt64 = 0
        let first = entries[0].radixKey
        for entry in entries { differing |= entry.radixKey ^ first }
        guard differing != 0 else { return }
        let shift = UInt64((63 - differing.leadingZeroBitCount) & ~7)
        deal(CollectionOfOne(UnsafeBufferPointer(entries)), by: shift, into: spare) { ends in
            _ = entries.update(fromContentsOf: spare[..<entries.count])
            guard shift > 0 else { return }
            sortBuckets(of: entries, endingAt: ends, spare)
        }
    }

    /// Copies entries to where the byte of their keys at `shift` puts them, in one bucket behind the other, and
    /// tells `body` where each of the 256 ends.
    static func deal<Parts: Collection, Element: RadixSorted>(
        _ parts: Parts, by shift: UInt64, into output: UnsafeMutableBufferPointer<Element>,
        _ body: (UnsafeBufferPointer<Int>) -> Void
    ) where Parts.Element: Collection<Element> {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 257) { ends in
            ends.initialize(repeating: 0)
            for part in parts {
                for entry in part { ends[Int(entry.radixKey &>> shift & 0xFF) + 1] += 1 }
            }
            for digit in 0..<256 { ends[digit + 1] += ends[digit] }
            // Each start moves to its bucket's end while the bucket is filled.
            for part in parts {
                for entry in part {
                    let digit = Int(entry.radixKey &>> shift & 0xFF)
                    output.initializeElement(at: ends[digit], to: entry)
                    ends[digit] += 1
                }
            }
            body(UnsafeBufferPointer(rebasing: ends[..<256]))
        }
    }

    /// - Parameter spare: memory for as many entries as the largest bucket has.
    static func sortBuckets<Element: RadixSorted>(
        of entries: UnsafeMutableBufferPointer<Element>, endingAt ends: UnsafeBufferPointer<Int>,
        _ spare: UnsafeMutableBufferPointer<Element>
    ) {
        var start = 0
        for end in ends {
            if end - start > 1 {
                sort(UnsafeMutableBufferPointer(rebasing: entries[start..<end]), spare)
            }
            start = end
        }
    }

    private static func sortByInsertion<Element: RadixSorted>(
        _ entries: UnsafeMutableBufferPointer<Element>
    ) {
        for index in entries.indices.dropFirst() {
            let entry = entries[index]
            var position = index
            while position > 0, entries[position - 1].radixKey > entry.radixKey {
                entries[position] = entries[position - 1]
                position -= 1
            }
            entries[position] = entry
        }
    }
}
