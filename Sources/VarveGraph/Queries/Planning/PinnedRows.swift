/// Pins rows of a scanned table: the addresses of rows are valid as long as their leaves are pinned here.
struct PinnedRows {
    private let table: AnyTable
    /// Pinned leaves by number; leaves of the table's own need no pin.
    private var leaves: [Int: AnyObject] = [:]

    init(_ table: AnyTable) { self.table = table }

    /// How many leaves are pinned.
    var leafCount: Int { leaves.count }

    /// The row at a slot that has one.
    mutating func row(at slot: UInt32) -> UnsafeRawPointer {
        let (number, position) = (Int(slot) / PackedLeaf.width, Int(slot) % PackedLeaf.width)
        let leaf = LeafWord(node(number))
        let values =
            leaf.isPacked
            ? PackedLeaf.unpacked(of: leaf.node, table.cellOperations.makeLeaf) : leaf.node
        return table.layout.cell(position, of: values)
    }

    private mutating func node(_ number: Int) -> UnsafeRawPointer {
        if let pinned = leaves[number] {
            return UnsafeRawPointer(Unmanaged.passUnretained(pinned).toOpaque())
        }
        if let own = table.cells.nodes.nodeInTree(holding: number * PackedLeaf.width) { return own }
        var owner: AnyObject?
        guard let node = table.cells.stored?.node(number, pinnedBy: &owner) else {
            preconditionFailure("a row that is not there")
        }
        leaves[number] = owner
        return node
    }

    /// Unpins all but the rows at some slots.
    mutating func keep(_ slots: some Sequence<UInt32>) {
        let kept = Set(slots.lazy.map { Int($0) / PackedLeaf.width })
        leaves = leaves.filter { kept.contains($0.key) }
    }

    /// Unpins all but the row at a slot.
    mutating func keepOnly(_ slot: UInt32) {
        let number = Int(slot) / PackedLeaf.width
        guard leaves.count != 1 || leaves[number] == nil else { return }
        leaves = leaves.filter { $0.key == number }
    }

    mutating func removeAll() { leaves = [:] }
}
