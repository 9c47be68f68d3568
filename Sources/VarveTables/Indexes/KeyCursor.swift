/// Passes over the keys of a ``KeyTree`` in ascending or descending order. Valid as long as what it reads.
package struct KeyCursor {
    private let pages: PageTable
    private let height: Int
    private let isReversed: Bool
    /// The nodes above the leaf, and in each the position of the child that comes next.
    private var path: [(node: KeyPage, position: Int)] = []
    /// Nil behind the last key.
    private var leaf: KeyPage?
    /// Of the key that comes next.
    private var position = 0

    /// Begins with the first key that is not below `key`, and ascends.
    init(_ tree: KeyTree, from key: UnsafeRawBufferPointer, in pages: PageTable) {
        self.init(tree, in: pages, isReversed: false) { $0.childPosition(of: key) }
        position = leaf?.position(of: key) ?? 0
    }

    /// Begins with the last key below `end`, or of all where that is nil, and descends.
    init(_ tree: KeyTree, before end: UnsafeRawBufferPointer?, in pages: PageTable) {
        self.init(tree, in: pages, isReversed: true) { node in
            end.map { node.childPosition(of: $0) } ?? node.count - 1
        }
        guard let leaf else { return }
        position = (end.map { leaf.position(of: $0) } ?? leaf.count) - 1
    }

    private init(
        _ tree: KeyTree, in pages: PageTable, isReversed: Bool, childPosition: (KeyPage) -> Int
    ) {
        self.pages = pages
        self.isReversed = isReversed
        height = tree.height
        guard tree.root != .none else { return }
        path.reserveCapacity(height)
        var number = tree.root
        for _ in 0..<height {
            let node = KeyPage(page: pages[number], isNode: true)
            // A node of a page that cannot be read has no child.
            let position = max(0, childPosition(node))
            path.append((node, position + step))
            number = node.child(position)
        }
        leaf = KeyPage(page: pages[number], isNode: false)
    }

    private var step: Int { isReversed ? -1 : 1 }

    /// The next key in the cursor's direction; nil behind the last.
    package mutating func nextKey() -> UnsafeRawBufferPointer? {
        while let leaf {
            if position >= 0, position < leaf.count {
                defer { position &+= step }
                return leaf.key(position)
            }
            beginNextLeaf()
        }
        return nil
    }

    private mutating func beginNextLeaf() {
        leaf = nil
        while let (node, position) = path.popLast() {
            guard position >= 0, position < node.count else { continue }
            path.append((node, position + step))
            return descend(to: node.child(position))
        }
    }

    /// Goes to the leaf below the last node of the path that comes first in the cursor's direction.
    private mutating func descend(to number: PageNumber) {
        var number = number
        while path.count < height {
            let node = KeyPage(page: pages[number], isNode: true)
            let position = isReversed ? max(0, node.count - 1) : 0
            path.append((node, position + step))
            number = node.child(position)
        }
        let leaf = KeyPage(page: pages[number], isNode: false)
        position = isReversed ? leaf.count - 1 : 0
        self.leaf = leaf
    }
}
