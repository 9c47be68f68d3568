/// Passes over the entries of a ``RowTree`` in order of slots. Valid as long as what it reads.
package struct RowCursor: BitwiseCopyable {
    private let tree: RowTree
    private let pages: PageTable
    private var next: Int
    private let end: Int
    private var leaf: RowLeaf?

    init(_ tree: RowTree, from first: Slot, in pages: PageTable) {
        self.tree = tree
        self.pages = pages
        next = first.index
        end = tree.count
    }

    /// The next entry, vacant or not; nil behind the last.
    package mutating func nextEntry() -> StoredRow? {
        guard next < end else { return nil }
        let slot = Slot(UInt32(truncatingIfNeeded: next))
        let current: RowLeaf
        if let leaf, next & (tree.slotsPerLeaf &- 1) != 0 {
            current = leaf
        } else {
            current = tree.leaf(of: slot, in: pages)
            leaf = current
        }
        next &+= 1
        return StoredRow(slot, current, pages)
    }
}
