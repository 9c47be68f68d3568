import VarveEvents

/// Collects the entries of an index that is being made, and hands them out in the order of keys, one range after another.
///
/// Entries are added in any order. The lowest ones are kept that fit into a bound of memory, but at least one. Where others
/// were dropped, the caller adds all entries once more for the next range.
///
///     all entries    [ earlier ranges | this range          | dropped ]
///                                     first                 end
///
/// Entries are sorted in runs, which are merged then, so that no step takes long. A run has memory of its own, because one
/// array of all would be copied whenever it grows.
struct IndexEntries {
    /// An entry of a run: when they are merged, the next one.
    private struct Head {
        let run: Int
        var position = 0
        var prefix: UInt64
    }

    private static let entriesPerRun = 4_096

    private let byteCountMax: Int
    /// What the entries take: more than the bound by one entry at most.
    private(set) var byteCount = 0
    /// Sorted runs. Their entries from ``end`` on are dropped when the memory is needed.
    private(set) var runs: [EntryRun] = []
    /// How many of the runs have no entries from ``end`` on.
    private var trimmedCount = 0
    /// The newest entries, not sorted.
    private(set) var newest = EntryRun()
    /// The first entry of this range; nil for the first range.
    private var first: EntryBound?
    /// The lowest entry that was dropped; nil for none.
    private var end: EntryBound?
    /// A heap of the runs that are not at their ends, the one with the least entry first.
    private var heads: [Head] = []

    /// - Parameter byteCountMax: how many bytes of keys may be held, with 16 for each.
    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Adds an entry where it belongs to the range. No entry is equal to another one.
    mutating func add(_ entry: UnsafeRawBufferPointer) {
        let prefix = EntryRun.prefix(of: entry)
        if let first, first.isAbove(entry, prefix) { return }
        if let end, !end.isAbove(entry, prefix) { return }
        newest.add(entry, prefix)
        byteCount += EntryRun.byteCount(of: entry)
        if byteCount > byteCountMax { trim() }
        if newest.entries.count >= Self.entriesPerRun { sortNewest() }
    }

    private mutating func sortNewest() {
        if newest.entries.isEmpty { return }
        runs.append(newest.sorted())
        newest.removeAll()
    }

    // MARK: - Dropping

    /// Drops the highest entries until the others fit, or one is left.
    ///
    /// One run after another is trimmed, each when its memory is needed: no step takes long.
    private mutating func trim() {
        while byteCount > byteCountMax {
            if let end, trimmedCount < runs.count {
                trimNext(to: end)
                continue
            }
            sortNewest()
            guard let lower = upperEntry() else { return }
            end = lower
            trimmedCount = 0
        }
    }

    private mutating func trimNext(to end: EntryBound) {
        byteCount -= runs[trimmedCount].byteCount
        runs[trimmedCount].removeAll(from: end)
        byteCount += runs[trimmedCount].byteCount
        if runs[trimmedCount].entries.isEmpty {
            runs.swapAt(trimmedCount, runs.count - 1)
            runs.removeLast()
        } else {
            trimmedCount += 1
        }
    }

    /// An entry with about three quarters of the others below it, and at least one; nil where there is one entry alone.
    ///
    /// It is an estimate: of each run its own such entry, and among these the one that has three quarters of all entries in
    /// the runs before.
    private func upperEntry() -> EntryBound? {
        let count = runs.reduce(0) { $0 + $1.entries.count }
        guard count > 1 else { return nil }
        let upper = runs.indices
            .map { head(ofRun: $0, at: runs[$0].entries.count * 3 / 4) }.sorted(by: precedes)
        var countBefore = 0
        for head in upper {
            countBefore += runs[head.run].entries.count
            if countBefore > count * 3 / 4 {
                return runs[head.run].withBytes(at: head.position) { EntryBound($0) }
            }
        }
        return nil
    }

    // MARK: - In order

    /// Begins to hand the entries of the range out, when all were added.
    mutating func beginMerge() {
        sortNewest()
        newest = EntryRun()
        heads = runs.indices.map { head(ofRun: $0, at: 0) }
        for position in (0..<heads.count / 2).reversed() { sift(position) }
    }

    /// Reads the next entries, at most so many. Returns false when the range has no more.
    mutating func forEach(atMost countMax: Int, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        for _ in 0..<countMax {
            guard let head = heads.first, isWithin(head) else { return false }
            runs[head.run].withBytes(at: head.position, body)
            advanceFirst()
        }
        return !heads.isEmpty
    }

    /// Begins with the next range, when all entries of this one were read. Returns false where there is none.
    mutating func beginNextRange() -> Bool {
        guard let end else { return false }
        self = IndexEntries(byteCountMax: byteCountMax)
        first = end
        return true
    }

    /// False for an entry that is yet to be dropped.
    private func isWithin(_ head: Head) -> Bool {
        guard let end else { return true }
        return runs[head.run].isEntry(at: head.position, below: end)
    }

    private mutating func advanceFirst() {
        let (run, position) = (heads[0].run, heads[0].position + 1)
        if position < runs[run].entries.count {
            heads[0] = head(ofRun: run, at: position)
        } else {
            heads.swapAt(0, heads.count - 1)
            heads.removeLast()
            byteCount -= runs[run].byteCount
            runs[run] = EntryRun()
        }
        sift(0)
    }

    private func head(ofRun run: Int, at position: Int) -> Head {
        Head(run: run, position: position, prefix: runs[run].entries[position].prefix)
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
