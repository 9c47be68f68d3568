/// What a link event changes in a list.
package struct SlotListChanges {
    /// A slot and its position.
    package struct Change: Hashable, Sendable {
        package let position: Int
        package let slot: Slot

        package init(position: Int, slot: Slot) {
            self.position = position
            self.slot = slot
        }
    }

    /// Positions in the old list, ascending.
    package var removals: [Change]
    /// Positions in the new list, ascending.
    package var insertions: [Change]

    package init(removals: [Change] = [], insertions: [Change] = []) {
        self.removals = removals
        self.insertions = insertions
    }

    mutating func removeAll() {
        if !removals.isEmpty { removals.removeAll(keepingCapacity: true) }
        if !insertions.isEmpty { insertions.removeAll(keepingCapacity: true) }
    }

    /// The only change, where that is an insertion.
    var loneInsertion: Change? {
        removals.isEmpty && insertions.count == 1 ? insertions[0] : nil
    }

    /// Applies the changes to a list. Positions lie in it.
    package func apply(to list: inout [Slot]) {
        for removal in removals.reversed() { list.remove(at: removal.position) }
        for insertion in insertions { list.insert(insertion.slot, at: insertion.position) }
    }
}
