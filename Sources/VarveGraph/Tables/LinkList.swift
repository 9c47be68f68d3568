/// An ordered list of links, as slots, for the modules above the graph. Copying is O(1).
package struct LinkList: Sendable {
    var list: SlotList
    /// The slots in order. O(n).
    package var slots: ContiguousArray<UInt32> { list.slots }
    /// How many slots the list has. O(1).
    package var count: Int { list.count }
    /// Whether both lists share all their structure, and so are equal. O(1).
    package func isIdentical(to other: LinkList) -> Bool { list.isIdentical(to: other.list) }
    /// The slot at a position. O(log n).
    package func slot(at position: Int) -> UInt32 { list.slot(at: position) }
    /// The position of a slot, nil where the list does not have it. O(n).
    package func position(of slot: UInt32) -> Int? { list.position(of: slot) }
    /// Inserts a slot before the one at a position. O(log n).
    package mutating func insert(_ slot: UInt32, at position: Int) {
        list.insert(slot, at: position)
    }
    /// Removes the slot at a position. O(log n).
    package mutating func remove(at position: Int) { list.remove(at: position) }

    /// The last slot, where an older list has all others and nothing else; nil otherwise.
    package func slotAppended(to old: LinkList) -> UInt32? {
        let count = old.count
        guard list.count == count + 1,
            list.sharedCount(with: old.list, from: .start, limit: count) == count
        else { return nil }
        return list.slot(at: count)
    }
}
