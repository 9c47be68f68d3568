import VarveEvents

/// Entries of an index in one piece of memory: in the order in which they were added, or sorted.
struct EntryRun {
    struct Entry: BitwiseCopyable {
        /// The first eight bytes, the highest first: most comparisons end with them.
        let prefix: UInt64
        let offset: UInt32
        let count: UInt32
    }

    private var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []

    /// How much memory the entries take.
    var byteCount: Int { bytes.count + entries.count * MemoryLayout<Entry>.stride }

    /// How much memory an entry takes.
    static func byteCount(of entry: UnsafeRawBufferPointer) -> Int {
        entry.count + MemoryLayout<Entry>.stride
    }

    static func prefix(of entry: UnsafeRawBufferPointer) -> UInt64 {
        if entry.count >= 8 {
            return UInt64(bigEndian: entry.loadUnaligned(as: UInt64.self))
        }
        return (0..<8).reduce(0) { $0 << 8 | UInt64($1 < entry.count ? entry[$1] : 0) }
    }

    mutating func add(_ entry: UnsafeRawBufferPointer, _ prefix: UInt64) {
        entries.append(
            Entry(
                prefix: prefix, offset: UInt32(truncatingIfNeeded: bytes.count),
                count: UInt32(truncatingIfNeeded: entry.count)))
        bytes.append(contentsOf: entry)
    }

    /// Removes all entries, and keeps the memory for others.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
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

    // MARK: - Sorted

    /// The entries in order, in memory of exactly their size.
    func sorted() -> EntryRun {
        var entries = entries
        bytes.withUnsafeBytes { bytes in
            entries.sort { first, second in
                first.prefix == second.prefix
                    ? Self.slice(bytes, first).precedes(Self.slice(bytes, second))
                    : first.prefix < second.prefix
            }
        }
        var run = EntryRun()
        run.bytes.reserveCapacity(bytes.count)
        run.entries.reserveCapacity(entries.count)
        bytes.withUnsafeBytes { bytes in
            for entry in entries { run.add(Self.slice(bytes, entry), entry.prefix) }
        }
        return run
    }

    /// Removes the entries of a sorted run from a bound on.
    mutating func removeAll(from bound: EntryBound) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if isEntry(at: middle, below: bound) { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count else { return }
        bytes = Array(bytes.prefix(Int(entries[low].offset)))
        entries = Array(entries.prefix(low))
    }

    func isEntry(at position: Int, below bound: EntryBound) -> Bool {
        withBytes(at: position) { bound.isAbove($0, entries[position].prefix) }
    }
}

/// An entry that bounds a range of others.
struct EntryBound {
    private let prefix: UInt64
    private let bytes: [UInt8]

    init(_ entry: UnsafeRawBufferPointer) {
        prefix = EntryRun.prefix(of: entry)
        bytes = Array(entry)
    }

    func isAbove(_ entry: UnsafeRawBufferPointer, _ prefix: UInt64) -> Bool {
        guard prefix == self.prefix else { return prefix < self.prefix }
        return bytes.withUnsafeBytes { entry.precedes($0) }
    }
}
