import VarveEvents

/// A walk over the keys of a ``KeyTree`` in ascending order, which keeps no leaf in memory and finds keys that a search would
/// miss.
///
/// A block of an image whose leaves lie apart in the order of keys is read twice, and kept then.
struct StoredKeyWalk {
    private let pages: PageTable
    private let height: Int
    private let buffers = ScanBuffers()
    /// The nodes above the leaf, and in each the position of the child that the walk is in.
    private var path: [(node: KeyPage, position: Int)] = []
    /// Nil behind the last key.
    private var leaf: KeyPage?
    private var position = 0
    /// The position in the leaf of a key that a search misses; nil for none.
    private var misplaced: Int?

    /// Begins with the first key.
    init(_ tree: KeyTree, in pages: PageTable) {
        self.pages = pages
        height = tree.height
        path.reserveCapacity(height)
        if tree.root != .none { descend(to: tree.root) }
    }

    /// The key that the walk is at, valid until it advances; nil behind the last.
    var key: UnsafeRawBufferPointer? {
        guard let leaf, position < leaf.count else { return nil }
        return leaf.key(position)
    }

    /// Whether a search for the key goes to another leaf.
    var isMisplaced: Bool { misplaced == position }

    mutating func advance() {
        guard let leaf else { return }
        position += 1
        if position < leaf.count { return }
        self.leaf = nil
        while let (node, position) = path.popLast() {
            guard position + 1 < node.count else { continue }
            path.append((node, position + 1))
            return descend(to: node.child(position + 1))
        }
    }

    /// Goes to the first key below the last node of the path.
    private mutating func descend(to number: PageNumber) {
        var number = number
        while path.count < height {
            let node = KeyPage(page: pages[number], isNode: true)
            path.append((node, 0))
            number = node.child(0)
        }
        let leaf = KeyPage(page: pages.page(number, through: buffers), isNode: false)
        position = 0
        misplaced = leaf.count > 0 ? misplacedPosition(in: leaf) : nil
        self.leaf = leaf
    }

    /// Keys ascend, so the first and the last say it of all.
    private func misplacedPosition(in leaf: KeyPage) -> Int? {
        let (first, last) = (leaf.key(0), leaf.key(leaf.count - 1))
        for (node, position) in path {
            if position > 0, first.precedes(node.key(position)) { return 0 }
            if position + 1 < node.count, !last.precedes(node.key(position + 1)) {
                return leaf.count - 1
            }
        }
        return nil
    }
}
