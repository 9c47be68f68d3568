/// Passes over the keys of a ``KeyTree`` in ascending order. Valid as long as what it reads.
package struct KeyCursor {
    private let pages: PageTable
    private let height: Int
    /// The pages from the root to the leaf, and in each the position of what comes next.
    private var path: [(page: KeyPage, position: Int)] = []

    init(_ tree: KeyTree, from key: UnsafeRawBufferPointer, in pages: PageTable) {
        self.pages = pages
        height = tree.height
        guard tree.root != .none else { return }
        path.reserveCapacity(tree.height + 1)
        var number = tree.root
        for level in (0...tree.height).reversed() {
            let page = KeyPage(page: pages[number], isNode: level > 0)
            guard page.isNode else {
                path.append((page, page.position(of: key)))
                break
            }
            let position = page.childPosition(of: key)
            path.append((page, position + 1))
            number = page.child(position)
        }
    }

    /// The next key; nil behind the last.
    package mutating func nextKey() -> UnsafeRawBufferPointer? {
        while let last = path.last {
            guard last.position < last.page.count else {
                path.removeLast()
                continue
            }
            path[path.count - 1].position += 1
            guard last.page.isNode else { return last.page.key(last.position) }
            // The path leads from the root: it is as long as the child is deep.
            let child = pages[last.page.child(last.position)]
            path.append((KeyPage(page: child, isNode: path.count < height), 0))
        }
        return nil
    }
}
