extension SlotList {
    /// Slots that follow one another in two lists, and their positions in each.
    struct SharedRun {
        let start: Int
        let otherStart: Int
        var count: Int
    }

    /// The slots that two lists have in the same leaves, in an order that both have, as runs inside of these ranges.
    ///
    /// A change copies the leaves that it touches, so a list and its changed copy share all other leaves. Leaves that
    /// follow one another in both lists are one run.
    func sharedRuns(
        with other: SlotList, in range: Range<Int>, _ otherRange: Range<Int>
    ) -> [SharedRun] {
        guard case .many(let node) = self, case .many(let otherNode) = other else { return [] }
        var starts: [ObjectIdentifier: Int] = [:]
        otherNode.visitLeaves(in: otherRange) { leaf, start in
            starts[ObjectIdentifier(leaf)] = start
        }
        var runs: [SharedRun] = []
        var end = 0
        var otherEnd = otherRange.lowerBound
        node.visitLeaves(in: range) { leaf, start in
            guard let otherStart = starts[ObjectIdentifier(leaf)], otherStart >= otherEnd else {
                return
            }
            if !runs.isEmpty, start == end, otherStart == otherEnd {
                runs[runs.count - 1].count += leaf.total
            } else {
                runs.append(
                    SharedRun(start: start, otherStart: otherStart, count: leaf.total))
            }
            end = start + leaf.total
            otherEnd = otherStart + leaf.total
        }
        return runs
    }
}

extension SlotNode {
    /// The leaves that are whole inside of a range of positions, with their positions.
    fileprivate func visitLeaves(
        in range: Range<Int>, from start: Int = 0, _ body: (SlotNode, Int) -> Void
    ) {
        guard !isLeaf else {
            if start >= range.lowerBound, start + total <= range.upperBound { body(self, start) }
            return
        }
        var start = start
        for child in children where start < range.upperBound {
            if start + child.total > range.lowerBound {
                child.visitLeaves(in: range, from: start, body)
            }
            start += child.total
        }
    }
}
