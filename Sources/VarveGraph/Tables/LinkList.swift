/// A link list that a module outside the graph may look at.
package struct LinkList: Sendable {
    var list: SlotList
    package var slots: ContiguousArray<UInt32> { list.slots }
    package var count: Int { list.count }
    package func isIdentical(to other: LinkList) -> Bool { list.isIdentical(to: other.list) }
    package func slot(at position: Int) -> UInt32 { list.slot(at: position) }
    package func position(of slot: UInt32) -> Int? { list.position(of: slot) }
    package mutating func insert(_ slot: UInt32, at position: Int) {
        list.insert(slot, at: position)
    }
    package mutating func remove(at position: Int) { list.remove(at: position) }

    /// The slot that stands behind all others, if there was none in an older list and that is all that differs.
    package func slotAppended(to old: LinkList) -> UInt32? {
        let count = old.count
        guard list.count == count + 1,
            list.sharedCount(with: old.list, from: .start, limit: count) == count
        else { return nil }
        return list.slot(at: count)
    }

    /// Where this list differs from an older one: what stands before and behind is the same in both.
    /// O(log n + what differs) where the two share their structure, as a list and its copy that was
    /// changed do.
    package func stretch(differingFrom old: LinkList) -> DifferingStretch {
        let shorter = min(count, old.count)
        let prefix = list.sharedCount(with: old.list, from: .start, limit: shorter)
        let suffix = list.sharedCount(with: old.list, from: .end, limit: shorter - prefix)
        return DifferingStretch(
            start: prefix, old: old.list.slots(in: prefix..<(old.count - suffix)),
            new: list.slots(in: prefix..<(count - suffix)))
    }

    /// What two lists have where they differ.
    package struct DifferingStretch {
        /// Its position in both lists.
        package let start: Int
        package let old: [UInt32]
        package let new: [UInt32]
    }
}
