/// A leaf of rows, and where it is stored.
package struct StoredLeaf: BitwiseCopyable, Sendable {
    /// In the order of slots.
    let position: UInt32
    let page: PageNumber
}

extension RowTree {
    /// The leaf of a slot, whose page is read into a buffer; see ``PageTable/page(_:through:)``.
    func leaf(of slot: Slot, through buffers: ScanBuffers, in pages: PageTable) -> RowLeaf {
        let number = leaves.number(at: slot.index &>> geometry.slotBits, in: pages)
        return RowLeaf(page: pages.page(number, through: buffers), geometry: geometry)
    }

    /// A leaf, whose page is read into a buffer.
    func leaf(_ stored: StoredLeaf, through buffers: ScanBuffers, in pages: PageTable) -> RowLeaf {
        RowLeaf(page: pages.page(stored.page, through: buffers), geometry: geometry)
    }

    /// How many slots the leaf at a position has.
    func slotCount(ofLeaf position: UInt32) -> Int {
        min(slotsPerLeaf, count &- Int(position) &* slotsPerLeaf)
    }

    /// The slots of the leaf at a position.
    func slots(ofLeaf position: UInt32) -> some Sequence<Slot> {
        let first = position &* UInt32(truncatingIfNeeded: slotsPerLeaf)
        return (0..<slotCount(ofLeaf: position)).lazy.map {
            Slot(first &+ UInt32(truncatingIfNeeded: $0))
        }
    }

    var leafCount: Int { (count + slotsPerLeaf - 1) / slotsPerLeaf }

    /// All leaves, in the order of slots. One that the tree does not name, as damage may make it, has no page.
    func storedLeaves(in pages: PageTable) -> [StoredLeaf] {
        storedLeaves(0..<leafCount, in: pages)
    }

    /// The leaves at some positions, in the order of slots.
    func storedLeaves(_ positions: Range<Int>, in pages: PageTable) -> [StoredLeaf] {
        var found: [StoredLeaf] = []
        found.reserveCapacity(positions.count)
        func add(_ page: PageNumber) {
            let position = positions.lowerBound + found.count
            found.append(StoredLeaf(position: UInt32(truncatingIfNeeded: position), page: page))
        }
        func addMissing(upTo position: Int) {
            while positions.lowerBound + found.count < position { add(.none) }
        }
        leaves.forEach(from: positions.lowerBound, in: pages) { position, page in
            addMissing(upTo: min(position, positions.upperBound))
            guard position < positions.upperBound else { return false }
            add(page)
            return true
        }
        addMissing(upTo: positions.upperBound)
        return found
    }

    /// The leaves of some slots, each once, ascending by where their pages are stored. O(n log n).
    func leavesAsStored(holding slots: [Slot], in pages: PageTable) -> [StoredLeaf] {
        let positions = Set(slots.lazy.map { $0.rawValue &>> UInt32(geometry.slotBits) })
        let found = positions.map { position in
            StoredLeaf(
                position: position, page: leaves.number(at: Int(position), in: pages))
        }
        return found.sorted { ($0.page.rawValue, $0.position) < ($1.page.rawValue, $1.position) }
    }

    /// All leaves, ascending by where their pages are stored: those of a block are neighbours.
    func leavesAsStored(in pages: PageTable) -> [StoredLeaf] {
        Self.asStored(storedLeaves(in: pages))
    }

    /// Leaves, ascending by where their pages are stored.
    static func asStored(_ leaves: [StoredLeaf]) -> [StoredLeaf] {
        // As a table is that was written at once.
        if ascend(leaves[...]) { return leaves }
        let places = leaves.map { Int($0.page.rawValue &>> placeBits) }
        guard let first = places.min(), let last = places.max() else { return [] }
        // Counted and dealt out, because a comparison sort of so many takes longer than to read them.
        var starts = [Int](repeating: 0, count: last - first + 2)
        for place in places { starts[place - first + 1] += 1 }
        for place in starts.indices.dropFirst() { starts[place] += starts[place - 1] }
        var (sorted, ends) = (leaves, starts)
        for (leaf, place) in zip(leaves, places) {
            sorted[ends[place - first]] = leaf
            ends[place - first] += 1
        }
        for (start, end) in zip(starts, ends) where !ascend(sorted[start..<end]) {
            sorted[start..<end].sort { $0.page.rawValue < $1.page.rawValue }
        }
        return sorted
    }

    private static func ascend(_ leaves: ArraySlice<StoredLeaf>) -> Bool {
        var last: UInt32 = 0
        for leaf in leaves {
            if leaf.page.rawValue < last { return false }
            last = leaf.page.rawValue
        }
        return true
    }

    /// Places are stretches of 32 KiB: few enough to count, and each with few leaves.
    private static let placeBits: UInt32 = 9
}
