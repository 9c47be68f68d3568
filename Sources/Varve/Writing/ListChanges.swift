internal import VarveEvents

/// What turns one link list into another, as slots.
///
/// Nearly all changes add to one end, remove one, or fill an empty list: those are found by
/// comparing from both ends. Only what remains between them is searched for the fewest moves.
struct ListChanges {
    private(set) var removals: [(position: Int, slot: UInt32)] = []
    private(set) var insertions: [(position: Int, slot: UInt32)] = []

    var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }

    init(from old: ContiguousArray<UInt32>, to new: ContiguousArray<UInt32>) {
        let shorter = min(old.count, new.count)
        var prefix = 0
        while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix,
            old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        let oldMiddle = prefix..<(old.count - suffix)
        let newMiddle = prefix..<(new.count - suffix)
        if oldMiddle.isEmpty || newMiddle.isEmpty {
            removals.reserveCapacity(oldMiddle.count)
            for position in oldMiddle { removals.append((position, old[position])) }
            insertions.reserveCapacity(newMiddle.count)
            for position in newMiddle { insertions.append((position, new[position])) }
            return
        }
        let difference = ListDifference(from: Array(old[oldMiddle]), to: Array(new[newMiddle]))
        removals = difference.removals.map { ($0.position + prefix, $0.element) }
        insertions = difference.insertions.map { ($0.position + prefix, $0.element) }
    }
}
