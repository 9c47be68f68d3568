/// Sorts the rows of a scanned table, or selects the first ones, as ``RowSelection`` does with rows in memory.
///
/// An external merge sort: each run of rows is sorted while its leaves are pinned, then only slots and keys stay, and at the
/// end the runs are merged. So a sort takes the memory of some thousand rows, and twelve bytes for each row found. A few
/// rows need one run alone: a top-N selection.
struct ExternalSort {
    /// How many rows make a run at most.
    static var runCount: Int { 1 << 14 }

    private let table: AnyTable
    private let comparator: RowComparator
    private let kept: Int
    /// How many rows make a run; nil for a top-N selection.
    private let runCount: Int?
    private var selection: RowSelection
    private var pinned: PinnedRows
    private var runs: [SortedRun] = []
    /// Whether keys alone decide the order.
    private var isExact: Bool
    private var addedCount = 0

    init(
        _ table: AnyTable, _ comparator: RowComparator, keeping kept: Int,
        runCount: Int = ExternalSort.runCount
    ) {
        self.table = table
        self.comparator = comparator
        self.kept = kept
        self.runCount = kept <= runCount / 16 ? nil : runCount
        selection = RowSelection(comparator, keeping: kept, expecting: 0)
        pinned = PinnedRows(table)
        isExact = comparator.parts.count == 1
    }

    /// Adds a row. It comes behind equal ones. Its address need only be valid for the call.
    mutating func add(_ slot: UInt32, _ row: UnsafeRawPointer) {
        selection.add(slot, transient: row) { pinned.row(at: $0) }
        addedCount += 1
        if let runCount {
            // A pin keeps a whole leaf, and matching rows may be far from one another.
            if addedCount == runCount || pinned.leafCount > runCount / 4 { endRun() }
        } else if pinned.leafCount > 4 * kept + 64 {
            pinned.keep(selection.keptSlots)
        }
    }

    private mutating func endRun() {
        guard addedCount > 0 else { return }
        runs.append(SortedRun(&selection))
        isExact = isExact && selection.isExact
        selection = RowSelection(comparator, keeping: kept, expecting: 0)
        pinned.removeAll()
        addedCount = 0
    }

    /// The slots of the kept rows in order.
    mutating func finish() -> ContiguousArray<UInt32> {
        endRun()
        guard runs.count > 1 else { return runs.first?.slots ?? [] }
        var merged = MergedRuns(runs, table, isExact ? nil : comparator)
        var slots = ContiguousArray<UInt32>()
        while slots.count < kept, let slot = merged.next() { slots.append(slot) }
        return slots
    }
}

/// Rows in order, with the keys of the first property.
private struct SortedRun {
    let slots: ContiguousArray<UInt32>
    let keys: ContiguousArray<UInt64>

    init(_ selection: inout RowSelection) {
        slots = selection.finish()
        keys = ContiguousArray(selection.entries.prefix(slots.count).map(\.key))
    }
}

/// Sorted runs of rows as one: a heap of the first row of each.
private struct MergedRuns {
    private struct Head {
        /// The number of the run: of equal rows, those of earlier ones come first.
        let run: Int
        var position = 0
        var key: UInt64
        var pinned: PinnedRows
    }

    private let runs: [SortedRun]
    /// Nil where keys decide.
    private let comparator: RowComparator?
    private var heads: [Head] = []

    init(_ runs: [SortedRun], _ table: AnyTable, _ comparator: RowComparator?) {
        self.runs = runs
        self.comparator = comparator
        for (number, run) in runs.enumerated() {
            guard let key = run.keys.first else { continue }
            heads.append(Head(run: number, key: key, pinned: PinnedRows(table)))
        }
        for index in stride(from: heads.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    mutating func next() -> UInt32? {
        guard let first = heads.first else { return nil }
        let run = runs[first.run]
        let next = first.position + 1
        if next < run.slots.count {
            heads[0].position = next
            heads[0].key = run.keys[next]
            heads[0].pinned.keepOnly(run.slots[next])
        } else {
            heads.swapAt(0, heads.count - 1)
            heads.removeLast()
        }
        sink(0)
        return run.slots[first.position]
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heads.count && precedes(child, least) {
                least = child
            }
            guard least != index else { return }
            heads.swapAt(index, least)
            index = least
        }
    }

    private mutating func precedes(_ first: Int, _ second: Int) -> Bool {
        if heads[first].key != heads[second].key { return heads[first].key < heads[second].key }
        if let comparator {
            let order = comparator.compare(row(of: first), row(of: second))
            if order != 0 { return order < 0 }
        }
        return heads[first].run < heads[second].run
    }

    /// Decoded where keys do not decide.
    private mutating func row(of head: Int) -> UnsafeRawPointer {
        heads[head].pinned.row(at: runs[heads[head].run].slots[heads[head].position])
    }
}
