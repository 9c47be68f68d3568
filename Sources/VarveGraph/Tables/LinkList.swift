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
        return stretch(prefix..<(old.count - suffix), prefix..<(count - suffix), of: old)
    }

    /// The stretches where this list differs from an older one, in order. What is between them is the same in both.
    ///
    /// A slot that moved is in two of them. O(log n + what differs), and between what differs a look at each leaf.
    package func stretches(differingFrom old: LinkList) -> [DifferingStretch] {
        let whole = stretch(differingFrom: old)
        guard !whole.old.isEmpty, !whole.new.isEmpty else { return [whole] }
        var before = whole.start..<(whole.start + whole.old.count)
        var now = whole.newStart..<(whole.newStart + whole.new.count)
        var stretches: [DifferingStretch] = []
        for leaf in list.sharedLeaves(with: old.list, in: now, before) {
            stretches.append(
                stretch(before.lowerBound..<leaf.otherStart, now.lowerBound..<leaf.start, of: old))
            before = (leaf.otherStart + leaf.count)..<before.upperBound
            now = (leaf.start + leaf.count)..<now.upperBound
        }
        guard !stretches.isEmpty else { return [whole] }
        stretches.append(stretch(before, now, of: old))
        return stretches.filter { !$0.old.isEmpty || !$0.new.isEmpty }
    }

    private func stretch(
        _ before: Range<Int>, _ now: Range<Int>, of old: LinkList
    ) -> DifferingStretch {
        DifferingStretch(
            start: before.lowerBound, newStart: now.lowerBound, old: old.list.slots(in: before),
            new: list.slots(in: now))
    }

    /// What two lists have where they differ.
    package struct DifferingStretch {
        /// Its position in the older list.
        package let start: Int
        /// Its position in the newer list.
        package let newStart: Int
        package let old: [UInt32]
        package let new: [UInt32]
    }
}
