extension LinkList {
    /// The slots of two lists from their first difference to their last.
    package struct DifferingStretch {
        /// The position of its first slot in the older list.
        package let start: Int
        /// The position of its first slot in the newer list.
        package let newStart: Int
        package let old: [UInt32]
        package let new: [UInt32]
    }

    /// Where this list differs from an older one: the slots before and behind the stretch are equal in both.
    ///
    /// O(log n + the stretch) for a list and its changed copy, which share most of their structure.
    package func stretch(differingFrom old: LinkList) -> DifferingStretch {
        stretch(at: span(differingFrom: old), of: old)
    }

    /// The stretches where this list differs from an older one, in order. The slots between them are equal in both.
    ///
    /// A slot that moved may be in two of them, removed in one and inserted in the other. The fewest moves inside of the
    /// stretches are the fewest moves of the whole lists (see ``runsToKeep(sharedWith:in:)``).
    ///
    /// For a list and its changed copy, O(log n + the stretches + the leaves between the first difference and the last).
    package func stretches(differingFrom old: LinkList) -> [DifferingStretch] {
        let whole = span(differingFrom: old)
        let isSearched = !whole.old.isEmpty && !whole.new.isEmpty
        let runs = isSearched ? runsToKeep(sharedWith: old, in: whole) : []
        return whole.parts(between: runs).map { stretch(at: $0, of: old) }
    }

    /// The shared runs that at least one shortest change leaves in place.
    ///
    /// A slot that moved over a run stays in place only if the whole run moves instead. That saves nothing where a run
    /// has as many slots as moved over any of them. Shorter runs are not kept, and become part of a stretch.
    private func runsToKeep(sharedWith old: LinkList, in whole: Span) -> [SlotList.SharedRun] {
        let runs = list.sharedRuns(with: old.list, in: whole.new, whole.old)
        guard let shortest = runs.map(\.count).min() else { return [] }
        let parts = whole.parts(between: runs)
        // At most so many moved, which needs no look at the slots.
        let removed = parts.reduce(0) { $0 + $1.old.count }
        let inserted = parts.reduce(0) { $0 + $1.new.count }
        if shortest >= min(removed, inserted) { return runs }
        let moved = slotsThatMoved(between: parts, of: old)
        return runs.filter { $0.count >= moved }
    }

    /// How many slots have left one part for another.
    private func slotsThatMoved(between parts: [Span], of old: LinkList) -> Int {
        var former: [UInt32: Int] = [:]
        for (number, part) in parts.enumerated() {
            for slot in old.list.slots(in: part.old) { former[slot] = number }
        }
        return parts.enumerated().reduce(0) { count, part in
            count
                + list.slots(in: part.element.new).count { slot in
                    former[slot].map { $0 != part.offset } ?? false
                }
        }
    }

    private func span(differingFrom old: LinkList) -> Span {
        let shorter = min(count, old.count)
        let prefix = list.sharedCount(with: old.list, from: .start, limit: shorter)
        let suffix = list.sharedCount(with: old.list, from: .end, limit: shorter - prefix)
        return Span(old: prefix..<(old.count - suffix), new: prefix..<(count - suffix))
    }

    private func stretch(at span: Span, of old: LinkList) -> DifferingStretch {
        DifferingStretch(
            start: span.old.lowerBound, newStart: span.new.lowerBound,
            old: old.list.slots(in: span.old), new: list.slots(in: span.new))
    }

    /// Positions of an older and a newer list that correspond to one another.
    private struct Span {
        var old: Range<Int>
        var new: Range<Int>

        /// What is left of the span without these runs, which are in its order. Empty parts are left out.
        func parts(between runs: [SlotList.SharedRun]) -> [Span] {
            var rest = self
            var parts: [Span] = []
            for run in runs {
                parts.append(
                    Span(
                        old: rest.old.lowerBound..<run.otherStart,
                        new: rest.new.lowerBound..<run.start))
                rest.old = (run.otherStart + run.count)..<old.upperBound
                rest.new = (run.start + run.count)..<new.upperBound
            }
            parts.append(rest)
            return parts.filter { !$0.old.isEmpty || !$0.new.isEmpty }
        }
    }
}
