extension SlotList {
    /// How many slots two lists have in common at one end, up to `limit`. Subtrees that both hold are
    /// passed over.
    func sharedCount(with other: SlotList, from end: SlotCursor.End, limit: Int) -> Int {
        guard limit > 0 else { return 0 }
        if isIdentical(to: other) { return limit }
        guard case .many(let node) = self, case .many(let otherNode) = other else {
            return sharedCountBySlots(with: other, from: end, limit: limit)
        }
        if node.isLeaf, otherNode.isLeaf, case .start = end {
            return SlotList.sharedCount(node.slots, otherNode.slots, limit: limit)
        }
        var cursor = SlotCursor(node, from: end)
        var otherCursor = SlotCursor(otherNode, from: end)
        var shared = 0
        while shared < limit, let subtree = cursor.subtree, let otherSubtree = otherCursor.subtree {
            if subtree === otherSubtree, cursor.isAtStart, otherCursor.isAtStart {
                shared += subtree.total
                cursor.skip()
                otherCursor.skip()
            } else if cursor.height > 0, cursor.height >= otherCursor.height {
                // Both, where they are equally high: their children may be the same.
                if otherCursor.height == cursor.height { otherCursor.descend() }
                cursor.descend()
            } else if otherCursor.height > 0 {
                otherCursor.descend()
            } else if cursor.slot == otherCursor.slot {
                shared += 1
                cursor.advance()
                otherCursor.advance()
            } else {
                break
            }
        }
        return min(shared, limit)
    }

    private static func sharedCount(
        _ slots: ContiguousArray<UInt32>, _ others: ContiguousArray<UInt32>, limit: Int
    ) -> Int {
        let limit = min(limit, slots.count, others.count)
        return (0..<limit).first { slots[$0] != others[$0] } ?? limit
    }

    /// As above where one of them has no tree: then one is short.
    private func sharedCountBySlots(
        with other: SlotList, from end: SlotCursor.End, limit: Int
    ) -> Int {
        var shared = 0
        while shared < limit {
            let isSame =
                switch end {
                case .start: slot(at: shared) == other.slot(at: shared)
                case .end: slot(at: count - 1 - shared) == other.slot(at: other.count - 1 - shared)
                }
            guard isSame else { break }
            shared += 1
        }
        return shared
    }

    /// The slots at some positions. O(log n + their number).
    func slots(in range: Range<Int>) -> [UInt32] {
        switch self {
        case .empty: return []
        case .one(let slot): return range.isEmpty ? [] : [slot]
        case .many(let node):
            var result: [UInt32] = []
            result.reserveCapacity(range.count)
            node.appendSlots(in: range, to: &result)
            return result
        }
    }
}

extension SlotNode {
    fileprivate func appendSlots(in range: Range<Int>, to result: inout [UInt32]) {
        guard !range.isEmpty else { return }
        guard !isLeaf else { return result.append(contentsOf: slots[range]) }
        var start = 0
        for child in children {
            let part = range.clamped(to: start..<(start + child.total))
            if !part.isEmpty {
                child.appendSlots(
                    in: (part.lowerBound - start)..<(part.upperBound - start), to: &result)
            }
            start += child.total
            if start >= range.upperBound { return }
        }
    }
}

/// Goes through the subtrees of a list's tree from one end to the other, as deep as `descend` goes.
struct SlotCursor {
    enum End {
        case start
        case end
    }

    private let end: End
    /// The inner nodes above the subtree, each with the number of the child, counted from the end
    /// that the cursor comes from.
    private var path: [(node: SlotNode, child: Int)] = []
    /// What comes next; nil behind the last slot.
    private(set) var subtree: SlotNode?
    /// Levels below the subtree; a leaf has none.
    private(set) var height: Int
    /// How many slots of a leaf were passed.
    private var offset = 0

    init(_ root: SlotNode, from end: End) {
        self.end = end
        subtree = root
        var height = 0
        var node = root
        while !node.isLeaf {
            node = node.children[0]
            height += 1
        }
        self.height = height
    }

    /// Whether nothing of the subtree was passed yet.
    var isAtStart: Bool { offset == 0 }

    /// The next slot, in a leaf.
    var slot: UInt32? {
        guard let slots = subtree?.slots else { return nil }
        return slots[end == .start ? offset : slots.count - 1 - offset]
    }

    /// Passes over the next slot of a leaf.
    mutating func advance() {
        offset += 1
        if offset == subtree?.slots.count { skip() }
    }

    /// Goes on with the first child of the subtree.
    mutating func descend() {
        guard let node = subtree else { return }
        path.append((node, 0))
        height -= 1
        subtree = child(0, of: node)
    }

    /// Passes over the subtree.
    mutating func skip() {
        offset = 0
        while let (node, number) = path.popLast() {
            if number + 1 < node.children.count {
                path.append((node, number + 1))
                subtree = child(number + 1, of: node)
                return
            }
            height += 1
        }
        subtree = nil
    }

    private func child(_ number: Int, of node: SlotNode) -> SlotNode {
        node.children[end == .start ? number : node.children.count - 1 - number]
    }
}
