import VarveEvents

/// The entries of an index that is being made: added in any order, and handed out in the order of keys.
///
/// They are sorted in runs, which are merged then, so that no step takes long. A run has memory of its own, because one
/// array of all would be copied whenever it grows.
struct IndexEntries {
    private struct Entry {
        /// The first eight bytes, the highest first: most comparisons end with them.
        let prefix: UInt64
        let offset: UInt32
        let count: UInt32
    }

    private struct Run {
        var bytes: [UInt8] = []
        var entries: [Entry] = []

        mutating func add(_ entry: UnsafeRawBufferPointer) {
            var prefix: UInt64 = 0
            for position in 0..<8 {
                prefix = prefix << 8 | UInt64(position < entry.count ? entry[position] : 0)
            }
            entries.append(
                Entry(
                    prefix: prefix, offset: UInt32(truncatingIfNeeded: bytes.count),
                    count: UInt32(truncatingIfNeeded: entry.count)))
            bytes.append(contentsOf: entry)
        }

        mutating func sort() {
            let bytes = bytes
            bytes.withUnsafeBytes { bytes in
                entries.sort { first, second in
                    first.prefix == second.prefix
                        ? Self.slice(bytes, first).precedes(Self.slice(bytes, second))
                        : first.prefix < second.prefix
                }
            }
        }

        func withBytes<Result>(
            at position: Int, _ body: (UnsafeRawBufferPointer) -> Result
        ) -> Result {
            bytes.withUnsafeBytes { body(Self.slice($0, entries[position])) }
        }

        private static func slice(
            _ bytes: UnsafeRawBufferPointer, _ entry: Entry
        ) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                rebasing: bytes[Int(entry.offset)..<Int(entry.offset &+ entry.count)])
        }
    }

    /// The next entry of a run.
    private struct Head {
        let run: Int
        var position = 0
        var prefix: UInt64
    }

    private static let runCount = 4_096

    /// All but the last are sorted, until ``beginMerge()``.
    private var runs: [Run] = []
    /// A heap of the runs that are not at their ends, the one with the least entry first.
    private var heads: [Head] = []

    mutating func add(_ entry: UnsafeRawBufferPointer) {
        if (runs.last?.entries.count ?? Self.runCount) == Self.runCount {
            if !runs.isEmpty { runs[runs.count - 1].sort() }
            runs.append(Run())
        }
        runs[runs.count - 1].add(entry)
    }

    // MARK: - In order

    /// Begins to hand the entries out, when all were added.
    mutating func beginMerge() {
        if !runs.isEmpty { runs[runs.count - 1].sort() }
        heads = runs.indices.map { Head(run: $0, prefix: runs[$0].entries[0].prefix) }
        for position in (0..<heads.count / 2).reversed() { sift(position) }
    }

    /// Hands out the next entries, at most so many. Returns false when there are no more.
    mutating func forEach(atMost countMax: Int, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        for _ in 0..<countMax {
            guard let head = heads.first else { return false }
            runs[head.run].withBytes(at: head.position, body)
            advanceFirst()
        }
        return !heads.isEmpty
    }

    private mutating func advanceFirst() {
        let (run, position) = (heads[0].run, heads[0].position + 1)
        if position < runs[run].entries.count {
            heads[0].position = position
            heads[0].prefix = runs[run].entries[position].prefix
        } else {
            heads.swapAt(0, heads.count - 1)
            heads.removeLast()
            runs[run] = Run()
        }
        sift(0)
    }

    /// Moves a head down to where it belongs.
    private mutating func sift(_ start: Int) {
        var position = start
        while true {
            var least = position
            for child in (2 * position + 1)...(2 * position + 2) where child < heads.count {
                if precedes(heads[child], heads[least]) { least = child }
            }
            if least == position { return }
            heads.swapAt(position, least)
            position = least
        }
    }

    private func precedes(_ first: Head, _ second: Head) -> Bool {
        guard first.prefix == second.prefix else { return first.prefix < second.prefix }
        return runs[first.run].withBytes(at: first.position) { first in
            runs[second.run].withBytes(at: second.position) { first.precedes($0) }
        }
    }
}
