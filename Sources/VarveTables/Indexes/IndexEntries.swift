import VarveEvents

/// The entries of an index that is being made: added in the order of slots, and handed out in the order of keys.
///
/// They are sorted in runs, which are merged then, so that no step takes long.
struct IndexEntries {
    private struct Entry {
        /// The first eight bytes, the highest first: most comparisons end with them.
        let prefix: UInt64
        let offset: Int
        let count: Int
    }

    /// The next entry of a run.
    private struct Head {
        var position: Int
        let end: Int
    }

    private static let runCount = 4_096

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The ends of the runs that are sorted.
    private var runEnds: [Int] = []
    /// A heap of the runs that are not at their ends, the one with the least key first.
    private var heads: [Head] = []

    /// Adds the entry of a row, which is written with memory of the caller's.
    mutating func add(
        _ slot: Slot, _ row: UnsafeRawBufferPointer, _ layout: RowLayout, of index: FieldIndex,
        _ writer: inout ByteWriter
    ) throws(CodecError) {
        writer.removeAll()
        try index.writeEntry(slot, row, layout, into: &writer)
        writer.withBytes { entry in
            var prefix: UInt64 = 0
            for position in 0..<8 {
                prefix = prefix << 8 | UInt64(position < entry.count ? entry[position] : 0)
            }
            entries.append(Entry(prefix: prefix, offset: bytes.count, count: entry.count))
            bytes.append(contentsOf: entry)
        }
        if entries.count - (runEnds.last ?? 0) >= Self.runCount { endRun() }
    }

    private mutating func endRun() {
        let start = runEnds.last ?? 0
        let bytes = bytes
        entries[start...].sort { Self.precedes($0, $1, bytes) }
        runEnds.append(entries.count)
    }

    private static func precedes(_ first: Entry, _ second: Entry, _ bytes: [UInt8]) -> Bool {
        guard first.prefix == second.prefix else { return first.prefix < second.prefix }
        return bytes.withUnsafeBytes {
            UnsafeRawBufferPointer(rebasing: $0[first.offset...].prefix(first.count)).precedes(
                UnsafeRawBufferPointer(rebasing: $0[second.offset...].prefix(second.count)))
        }
    }

    // MARK: - In order

    /// Begins to hand the entries out, when all were added.
    mutating func beginMerge() {
        if entries.count > runEnds.last ?? 0 { endRun() }
        var start = 0
        for end in runEnds {
            heads.append(Head(position: start, end: end))
            start = end
        }
        for position in (0..<heads.count / 2).reversed() { sift(position) }
    }

    /// Adds the next entries to an index, at most so many. Returns false when there are no more.
    mutating func move(
        _ countMax: Int, to index: inout FieldIndex, in transaction: PageTransaction
    ) -> Bool {
        for _ in 0..<countMax {
            guard let head = heads.first else { return false }
            let entry = entries[head.position]
            bytes.withUnsafeBytes {
                index.insertEntry(
                    UnsafeRawBufferPointer(rebasing: $0[entry.offset...].prefix(entry.count)),
                    in: transaction)
            }
            advanceFirst()
        }
        return !heads.isEmpty
    }

    private mutating func advanceFirst() {
        heads[0].position += 1
        if heads[0].position == heads[0].end {
            heads.swapAt(0, heads.count - 1)
            heads.removeLast()
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
        Self.precedes(entries[first.position], entries[second.position], bytes)
    }
}
