/// A node of the persistent tree behind a long ``SlotList``: a B-tree ordered by position, whose
/// inner nodes know how many slots stand below them.
@usableFromInline
final class SlotNode {
    static let leafMax = 128
    static let innerMax = 32

    /// An object's header: its type and its count of references.
    static let headerSize = 2 * MemoryLayout<Int>.stride
    /// The header and the three words behind it.
    static let size = 5 * MemoryLayout<Int>.stride

    /// Slots of a leaf; empty in an inner node.
    var slots: ContiguousArray<UInt32>
    /// Children of an inner node; empty in a leaf.
    var children: ContiguousArray<SlotNode>
    /// Slots in the whole subtree.
    var total: Int

    init(slots: ContiguousArray<UInt32>) {
        self.slots = slots
        self.children = []
        self.total = slots.count
    }

    init(children: ContiguousArray<SlotNode>) {
        self.slots = []
        self.children = children
        self.total = children.reduce(0) { $0 + $1.total }
    }

    private init(copying other: SlotNode) {
        slots = other.slots
        children = other.children
        total = other.total
    }

    var isLeaf: Bool { children.isEmpty }

    // MARK: - Building and reading

    /// A tree of full nodes. O(n).
    static func build(_ slots: ContiguousArray<UInt32>) -> SlotNode {
        if slots.count <= leafMax { return SlotNode(slots: slots) }
        var level = split(slots, most: leafMax).map { SlotNode(slots: $0) }
        while level.count > 1 {
            level = split(ContiguousArray(level), most: innerMax).map { SlotNode(children: $0) }
        }
        return level[0]
    }

    /// Even parts of at most `most` elements, so that no part is below half.
    private static func split<Element>(
        _ elements: ContiguousArray<Element>, most: Int
    ) -> [ContiguousArray<Element>] {
        let parts = max(1, (elements.count + most - 1) / most)
        return (0..<parts).map { part in
            ContiguousArray(
                elements[elements.count * part / parts..<elements.count * (part + 1) / parts])
        }
    }

    func slot(at position: Int) -> UInt32 {
        var node = self
        var position = position
        while !node.isLeaf { node = node.children[node.child(holding: &position)] }
        return node.slots[position]
    }

    func position(of slot: UInt32) -> Int? {
        var base = 0
        var found: Int?
        _ = visitLeaves { leaf in
            if let offset = leaf.offset(of: slot) {
                found = base + offset
                return false
            }
            base += leaf.slots.count
            return true
        }
        return found
    }

    private func offset(of slot: UInt32) -> Int? {
        slots.withUnsafeBufferPointer { slots in
            let wanted = SIMD8<UInt32>(repeating: slot)
            var position = 0
            while position + 8 <= slots.count {
                let block = UnsafeRawPointer(slots.baseAddress! + position)
                    .loadUnaligned(as: SIMD8<UInt32>.self)
                if any(block .== wanted) { break }
                position += 8
            }
            while position < slots.count {
                if slots[position] == slot { return position }
                position += 1
            }
            return nil
        }
    }

    func forEachLeaf(_ body: (SlotNode) -> Void) {
        _ = visitLeaves { leaf in
            body(leaf)
            return true
        }
    }

    /// Visits leaves in order until one returns false. Returns whether none did.
    func visitLeaves(_ body: (SlotNode) -> Bool) -> Bool {
        if isLeaf { return body(self) }
        for child in children {
            guard child.visitLeaves(body) else { return false }
        }
        return true
    }

    /// The child that holds `position`, which becomes the position inside it. A position at the
    /// very end belongs to the last child.
    private func child(holding position: inout Int) -> Int {
        var index = 0
        while index < children.count - 1 && position >= children[index].total {
            position -= children[index].total
            index += 1
        }
        return index
    }

    // MARK: - Changing

    static func insert(_ slot: UInt32, at position: Int, root: inout SlotNode) {
        precondition(position <= root.total, "an insertion behind the end of a list")
        makeUnique(&root)
        if let sibling = root.insert(slot, at: position) {
            root = SlotNode(children: [root, sibling])
        }
    }

    static func remove(at position: Int, root: inout SlotNode) {
        precondition(position < root.total, "a removal behind the end of a list")
        makeUnique(&root)
        root.remove(at: position)
        while root.children.count == 1 { root = root.children[0] }
    }

    private static func makeUnique(_ node: inout SlotNode) {
        if !isKnownUniquelyReferenced(&node) { node = SlotNode(copying: node) }
    }

    /// Inserts into this unique node; returns the new right sibling where it had to split.
    private func insert(_ slot: UInt32, at position: Int) -> SlotNode? {
        total += 1
        if isLeaf {
            slots.insert(slot, at: position)
            guard slots.count > SlotNode.leafMax else { return nil }
            // An append leaves a full node behind: lists mostly grow at their end.
            let middle = position == slots.count - 1 ? slots.count - 1 : slots.count / 2
            return splitLeaf(at: max(middle, SlotNode.leafMax / 2))
        }
        var inner = position
        let index = child(holding: &inner)
        SlotNode.makeUnique(&children[index])
        if let sibling = children[index].insert(slot, at: inner) {
            children.insert(sibling, at: index + 1)
        }
        guard children.count > SlotNode.innerMax else { return nil }
        let right = SlotNode(children: ContiguousArray(children[(children.count / 2)...]))
        children.removeSubrange((children.count / 2)...)
        total -= right.total
        return right
    }

    private func splitLeaf(at middle: Int) -> SlotNode {
        let right = SlotNode(slots: ContiguousArray(slots[middle...]))
        slots.removeSubrange(middle...)
        total = slots.count
        return right
    }

    private func remove(at position: Int) {
        total -= 1
        if isLeaf {
            slots.remove(at: position)
            return
        }
        var inner = position
        let index = child(holding: &inner)
        SlotNode.makeUnique(&children[index])
        children[index].remove(at: inner)
        mendChild(at: index)
    }

    /// Merges a child that became small with a neighbour where both fit into one node, and drops
    /// an empty one. Nodes may so be smaller than half, but two neighbours never fit together
    /// right after a removal touched them, which keeps the height logarithmic.
    private func mendChild(at index: Int) {
        if children[index].total == 0 {
            children.remove(at: index)
            return
        }
        guard children[index].isSmall, children.count > 1 else { return }
        let left = index > 0 ? index - 1 : index
        let first = children[left]
        let second = children[left + 1]
        if first.isLeaf {
            guard first.slots.count + second.slots.count <= SlotNode.leafMax else { return }
            children[left] = SlotNode(slots: first.slots + second.slots)
        } else {
            guard first.children.count + second.children.count <= SlotNode.innerMax else { return }
            children[left] = SlotNode(children: first.children + second.children)
        }
        children.remove(at: left + 1)
    }

    private var isSmall: Bool {
        isLeaf ? slots.count < SlotNode.leafMax / 2 : children.count < SlotNode.innerMax / 2
    }

    // MARK: - Invariants

    /// The depth below, after checking counts, widths and that all leaves are equally deep.
    func checkedDepth(isRoot: Bool) -> Int {
        if isLeaf {
            precondition(total == slots.count, "a leaf's total differs from its slots")
            precondition(slots.count <= SlotNode.leafMax && !slots.isEmpty, "a leaf's size")
            return 0
        }
        precondition(slots.isEmpty, "an inner node with slots of its own")
        precondition(children.count <= SlotNode.innerMax, "an inner node's width")
        precondition(!isRoot || children.count > 1, "a root with one child")
        precondition(
            total == children.reduce(0) { $0 + $1.total }, "an inner node's total is wrong")
        let depths = children.map { $0.checkedDepth(isRoot: false) }
        precondition(depths.allSatisfy { $0 == depths[0] }, "leaves of unequal depth")
        return depths[0] + 1
    }
}
