/// The content of an index: a persistent B+tree of ``IndexEntry`` values, ordered by key, then by value,
/// then by ordinal.
///
/// Copying it is O(1). It is mutated in place where it is the only copy; otherwise the path to the
/// change is copied. It holds plain integers: values are compared in the rows, by a closure that
/// is called only where a key does not decide. Each inner node counts the entries below it, so
/// that the number of entries in a range is found in O(log n).
@usableFromInline
struct PostingTree {
    var root: AnyObject
    /// Inner levels above the leaves; with 0 the root is a leaf.
    var height = 0
    @usableFromInline var count = 0

    @usableFromInline
    init() { root = PostingLeaf.empty }

    init(root: AnyObject, height: Int, count: Int) {
        self.root = root
        self.height = height
        self.count = count
    }

    /// Adds an entry. O(log n).
    ///
    /// - Parameters:
    ///   - isExact: whether equal keys mean equal values; then `order` is not called.
    ///   - order: compares the value of the entry with that of the row at a slot.
    @usableFromInline
    mutating func insert(_ posting: IndexEntry, isExact: Bool, order: (UInt32) -> Int) {
        let right = PostingTree.insert(posting, isExact, order, at: &root, level: height)
        count += 1
        guard let right else { return }
        let node = PostingInner.make()
        node.parts.insert(root, at: 0, level: height)
        node.parts.insert(right, at: 1, level: height)
        root = node
        height += 1
    }

    private static func insert(
        _ posting: IndexEntry, _ isExact: Bool, _ order: (UInt32) -> Int,
        at reference: UnsafeMutablePointer<AnyObject>, level: Int
    ) -> AnyObject? {
        if level == 0 { return PostingLeaf.insert(posting, isExact, order, at: reference) }
        let parts = PostingInner.unique(at: reference)
        var position = parts.position(of: posting, isExact, order)
        if position < 0 {
            position = 0
            parts.setFirst(posting, at: 0)
        }
        let right = insert(
            posting, isExact, order, at: parts.children + position, level: level - 1)
        guard let right else {
            parts.counts[position] += 1
            return nil
        }
        parts.refresh(position, level: level - 1)
        return PostingInner.insert(
            right, at: position + 1, childLevel: level - 1, into: reference)
    }

    /// Takes an entry away; false where there is none. O(log n).
    ///
    /// An entry that the order does not lead to, because a type's `<` is no order, is looked for
    /// everywhere: O(n), but nothing stays behind.
    @discardableResult
    @usableFromInline
    mutating func remove(_ posting: IndexEntry, isExact: Bool, order: (UInt32) -> Int) -> Bool {
        guard let rank = rank(of: posting, isExact, order) ?? searchedRank(of: posting) else {
            return false
        }
        remove(at: rank)
        return true
    }

    private mutating func remove(at rank: Int) {
        PostingTree.remove(at: rank, from: &root, level: height)
        count -= 1
        while height > 0 {
            let parts = PostingInner.parts(of: PostingLeaf.address(of: &root))
            guard parts.count == 1 else { return }
            root = parts.children[0]
            height -= 1
        }
    }

    private static func remove(
        at rank: Int, from reference: UnsafeMutablePointer<AnyObject>, level: Int
    ) {
        if level == 0 {
            let count = PostingLeaf.columns(of: PostingLeaf.address(of: reference)).count
            PostingLeaf.unique(at: reference, roomFor: count).remove(at: rank)
            return
        }
        let parts = PostingInner.unique(at: reference)
        var rank = rank
        let position = parts.position(ofRank: &rank)
        if parts.counts[position] == 1 {
            parts.remove(at: position)
            return
        }
        remove(at: rank, from: parts.children + position, level: level - 1)
        parts.counts[position] -= 1
        if rank == 0 { parts.refresh(position, level: level - 1) }
        mergeNeighbours(of: position, in: parts, level: level - 1)
    }

    /// Merges a child that became small with a small neighbour. Two neighbours always hold more
    /// than half a node between them.
    private static func mergeNeighbours(
        of position: Int, in parts: PostingInner.Parts, level: Int
    ) {
        if level > 0 {
            let count = PostingInner.parts(of: parts.child(position)).count
            guard count <= PostingInner.mergeLimit else { return }
        }
        if position + 1 < parts.count && merge(position, in: parts, level: level) { return }
        if position > 0 { _ = merge(position - 1, in: parts, level: level) }
    }

    /// Merges the child at the position and the next, where they fit.
    private static func merge(_ position: Int, in parts: PostingInner.Parts, level: Int) -> Bool {
        let (left, right) = (parts.child(position), parts.child(position + 1))
        if level == 0 {
            // Asked of the parent: the neighbour's memory is cold.
            let (count, added) = (Int(parts.counts[position]), Int(parts.counts[position + 1]))
            let total = count + added
            guard total <= PostingLeaf.mergeLimit else { return false }
            let second = PostingLeaf.columns(of: right)
            let first = PostingLeaf.unique(at: parts.children + position, roomFor: total)
            first.copy(0..<added, of: second, to: count)
            first.header.pointee = .init(count: total, capacity: first.header.pointee.capacity)
        } else {
            let second = PostingInner.parts(of: right)
            let total = PostingInner.parts(of: left).count + second.count
            guard total <= PostingInner.mergeLimit else { return false }
            PostingInner.unique(at: parts.children + position)
                .append(0..<second.count, of: second)
        }
        parts.counts[position] += parts.counts[position + 1]
        parts.remove(at: position + 1)
        return true
    }

    /// The first entry of a node and the number of entries below it.
    static func summary(of node: UnsafeRawPointer, level: Int) -> (first: IndexEntry, count: Int) {
        if level == 0 {
            let columns = PostingLeaf.columns(of: node)
            return (columns[0], columns.count)
        }
        let parts = PostingInner.parts(of: node)
        return (parts.first(0), parts.total)
    }
}

// Nodes are mutated only while `isKnownUniquelyReferenced` says that one tree owns them, and a
// tree is owned by one thread at a time, so shared nodes are immutable.
extension PostingTree: @unchecked Sendable {}
