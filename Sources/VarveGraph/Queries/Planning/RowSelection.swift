/// Sorts rows, or finds the first few of them without sorting the rest.
///
/// Each row's first key is extracted once, as an integer; properties themselves are compared only
/// where the integers cannot tell. With a number of rows to keep, at most twice that many are held:
/// whenever so many have come together, they are sorted and the greater half goes, and
/// from then on a row that comes behind the last one kept is turned away at once.
struct RowSelection {
    struct Entry {
        let key: UInt64
        let row: UnsafeRawPointer
        let slot: UInt32
        /// When the row came: what decides among equal ones.
        let position: UInt32

        init(key: UInt64, row: UnsafeRawPointer, slot: UInt32, position: UInt32) {
            self.key = key
            self.row = row
            self.slot = slot
            self.position = position
        }
    }

    let comparator: RowComparator
    let firstKey: @Sendable (UnsafeRawPointer) -> (key: UInt64, isExact: Bool)
    let kept: Int
    var entries: ContiguousArray<Entry> = []
    var last: Entry?
    var position: UInt32 = 0
    /// Whether every key so far tells equal from unequal.
    var isExact = true

    init(_ comparator: RowComparator, keeping kept: Int, expecting count: Int) {
        self.comparator = comparator
        self.kept = kept
        firstKey = comparator.parts[0].key
        entries.reserveCapacity(kept < count / 2 ? 2 * kept : count)
    }

    mutating func add(_ slot: UInt32, _ row: UnsafeRawPointer) {
        let (key, isExact) = firstKey(row)
        if !isExact { self.isExact = false }
        let entry = Entry(key: key, row: row, slot: slot, position: position)
        position += 1
        if let last {
            if key > last.key { return }
            if key == last.key, !precedes(entry, last) { return }
        }
        entries.append(entry)
        if kept < .max / 2, entries.count >= 2 * kept { truncate() }
    }

    /// Adds a row whose address is valid for the call alone.
    ///
    /// - Parameter pin: returns an address of the row at a slot that is valid as long as the entry is kept.
    mutating func add(
        _ slot: UInt32, transient row: UnsafeRawPointer, _ pin: (UInt32) -> UnsafeRawPointer
    ) {
        if let last {
            let (key, isExact) = firstKey(row)
            if !isExact { self.isExact = false }
            let entry = Entry(key: key, row: row, slot: slot, position: position)
            guard key < last.key || key == last.key && precedes(entry, last) else {
                position += 1
                return
            }
        }
        add(slot, pin(slot))
    }

    /// The slots of the rows kept so far.
    var keptSlots: ContiguousArray<UInt32> {
        var slots = ContiguousArray(entries.map(\.slot))
        if let last { slots.append(last.slot) }
        return slots
    }

    /// The slots of the kept rows in order.
    mutating func finish() -> ContiguousArray<UInt32> {
        sort()
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(min(kept, entries.count))
        for entry in entries.prefix(kept) { slots.append(entry.slot) }
        return slots
    }

    mutating func truncate() {
        sort()
        entries.removeLast(entries.count - kept)
        last = entries.last
    }

    mutating func sort() {
        let comparator = comparator
        let firstPart = isExact ? 1 : 0
        if firstPart == comparator.parts.count {
            entries.sort {
                $0.key != $1.key ? $0.key < $1.key : $0.position < $1.position
            }
        } else {
            entries.sort { first, second in
                if first.key != second.key { return first.key < second.key }
                let order = comparator.compare(first.row, second.row, from: firstPart)
                return order != 0 ? order < 0 : first.position < second.position
            }
        }
    }

    func precedes(_ first: Entry, _ second: Entry) -> Bool {
        if first.key != second.key { return first.key < second.key }
        let order = comparator.compare(first.row, second.row, from: isExact ? 1 : 0)
        return order != 0 ? order < 0 : first.position < second.position
    }
}
