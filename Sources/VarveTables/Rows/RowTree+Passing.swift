extension RowTree {
    /// The leaf of a slot, whose page is passed over; see ``PageTable/page(_:passing:)``.
    func leaf(of slot: Slot, passing blocks: PassedBlocks, in pages: PageTable) -> RowLeaf {
        let number = leaves.number(at: slot.index &>> geometry.slotBits, in: pages)
        return RowLeaf(page: pages.page(number, passing: blocks), geometry: geometry)
    }

    /// The slots of a leaf by its position.
    func slots(ofLeaf index: Int) -> Range<Int> {
        min(count, index &* slotsPerLeaf)..<min(count, (index &+ 1) &* slotsPerLeaf)
    }

    /// The positions of all leaves.
    var leafPositions: [UInt32] {
        Array(0..<UInt32(truncatingIfNeeded: (count + slotsPerLeaf - 1) / slotsPerLeaf))
    }

    /// The positions of all leaves, ascending by where their pages are stored: those of a block are neighbours.
    func leafPositionsAsStored(in pages: PageTable) -> [UInt32] {
        let positions = leafPositions
        let places = positions.map {
            Int(leaves.number(at: Int($0), in: pages).rawValue &>> Self.placeBits)
        }
        guard let first = places.min(), let last = places.max() else { return [] }
        // Counted and dealt out, because a comparison sort of so many takes longer than to read them.
        var starts = [Int](repeating: 0, count: last - first + 2)
        for place in places { starts[place - first + 1] += 1 }
        for place in starts.indices.dropFirst() { starts[place] += starts[place - 1] }
        var sorted = positions
        for (position, place) in zip(positions, places) {
            sorted[starts[place - first]] = position
            starts[place - first] += 1
        }
        return sorted
    }

    /// Leaves are grouped by runs of 32 KiB: an image reads a run as one block.
    private static let placeBits: UInt32 = 9
}
