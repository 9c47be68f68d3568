/// Passes over the keys of a ``KeyTree`` in ascending order. Valid as long as what it reads.
package struct KeyCursor {
    private let pages: PageTable
    private let height: Int
    /// The nodes above the leaf, and in each the position of the child that comes next.
    private var path: [(node: KeyPage, position: Int)] = []
    /// Nil behind the last key.
    private var leaf: KeyPage?
    private var position = 0

    init(_ tree: KeyTree, from key: UnsafeRawBufferPointer, in pages: PageTable) {
        self.pages = pages
        height = tree.height
        guard tree.root != .none else { return }
        path.reserveCapacity(height)
        var number = tree.root
        for _ in 0..<height {
            let node = KeyPage(page: pages[number], isNode: true)
            let position = node.childPosition(of: key)
            path.append((node, position + 1))
            number = node.child(position)
        }
        let first = KeyPage(page: pages[number], isNode: false)
        position = first.position(of: key)
        leaf = first
    }

    /// The next key; nil behind the last.
    package mutating func nextKey() -> UnsafeRawBufferPointer? {
        while let leaf {
            if position < leaf.count {
                position &+= 1
                return leaf.key(position &- 1)
            }
            beginNextLeaf()
        }
        return nil
    }

    private mutating func beginNextLeaf() {
        leaf = nil
        position = 0
        while let (node, position) = path.popLast() {
            guard position < node.count else { continue }
            path.append((node, position + 1))
            return descend(to: node.child(position))
        }
    }

    /// Goes to the first leaf below the last node of the path.
    private mutating func descend(to number: PageNumber) {
        var number = number
        while path.count < height {
            let node = KeyPage(page: pages[number], isNode: true)
            path.append((node, 1))
            number = node.child(0)
        }
        leaf = KeyPage(page: pages[number], isNode: false)
    }
}
