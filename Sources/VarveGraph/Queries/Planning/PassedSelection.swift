/// Sorts the rows of a table that passes over them, or finds the first few, as ``RowSelection`` does with rows that stay.
///
/// Rows are held in runs. Each run is sorted for itself, and of those behind it only the slots stay; at the end the runs are
/// merged, of each of which one row is held. So what a sort takes is some thousand rows, and eight bytes for each row found.
struct PassedSelection {
    /// How many rows are held at once.
    static var runCount: Int { 1 << 14 }

    private let table: AnyTable
    private let comparator: RowComparator
    private let kept: Int
    /// How many rows make a run; nil where so few are kept that one does.
    private let runCount: Int?
    private var selection: RowSelection
    private var held: HeldRows
    private var runs: [ContiguousArray<UInt32>] = []
    private var addedCount = 0

    init(
        _ table: AnyTable, _ comparator: RowComparator, keeping kept: Int,
        runCount: Int = PassedSelection.runCount
    ) {
        self.table = table
        self.comparator = comparator
        self.kept = kept
        self.runCount = kept <= runCount / 16 ? nil : runCount
        selection = RowSelection(comparator, keeping: kept, expecting: 0)
        held = HeldRows(table)
    }

    /// Adds a row, which comes behind the others that are equal to it. Its address is good for the call alone.
    mutating func add(_ slot: UInt32, _ row: UnsafeRawPointer) {
        selection.add(slot, passing: row) { held.row(at: $0) }
        addedCount += 1
        if let runCount {
            // A leaf is held as a whole, and rows that are found may be far from one another.
            if addedCount == runCount || held.leafCount > runCount / 4 { endRun() }
        } else if held.leafCount > 4 * kept + 64 {
            held.keep(selection.keptSlots)
        }
    }

    private mutating func endRun() {
        guard addedCount > 0 else { return }
        runs.append(selection.finish())
        selection = RowSelection(comparator, keeping: kept, expecting: 0)
        held.removeAll()
        addedCount = 0
    }

    /// The slots of the kept rows in order.
    mutating func finish() -> ContiguousArray<UInt32> {
        endRun()
        guard runs.count > 1 else { return runs.first ?? [] }
        var heads = MergedRuns(runs, table, comparator)
        var slots = ContiguousArray<UInt32>()
        while slots.count < kept, let slot = heads.next() { slots.append(slot) }
        return slots
    }
}

/// Sorted runs of rows as one: a heap of the first row of each.
private struct MergedRuns {
    private struct Head {
        /// The number of the run: of equal rows, those of earlier ones come first.
        let run: Int
        var position = 0
        var held: HeldRows
        var row: UnsafeRawPointer
        var key: UInt64
    }

    private let runs: [ContiguousArray<UInt32>]
    private let comparator: RowComparator
    private var heads: [Head] = []

    init(
        _ runs: [ContiguousArray<UInt32>], _ table: AnyTable, _ comparator: RowComparator
    ) {
        self.runs = runs
        self.comparator = comparator
        for (number, run) in runs.enumerated() where !run.isEmpty {
            var held = HeldRows(table)
            let row = held.row(at: run[0])
            heads.append(
                Head(run: number, held: held, row: row, key: comparator.parts[0].key(row).key))
        }
        for index in stride(from: heads.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    mutating func next() -> UInt32? {
        guard let first = heads.first else { return nil }
        let run = runs[first.run]
        let slot = run[first.position]
        let position = first.position + 1
        if position < run.count {
            heads[0].held.keep(CollectionOfOne(run[position]))
            let row = heads[0].held.row(at: run[position])
            heads[0].position = position
            heads[0].row = row
            heads[0].key = comparator.parts[0].key(row).key
        } else {
            heads.swapAt(0, heads.count - 1)
            heads.removeLast()
        }
        sink(0)
        return slot
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heads.count && precedes(heads[child], heads[least]) {
                least = child
            }
            guard least != index else { return }
            heads.swapAt(index, least)
            index = least
        }
    }

    private func precedes(_ first: Head, _ second: Head) -> Bool {
        if first.key != second.key { return first.key < second.key }
        let order = comparator.compare(first.row, second.row)
        return order != 0 ? order < 0 : first.run < second.run
    }
}
