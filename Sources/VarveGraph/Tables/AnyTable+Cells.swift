// Where a table has its rows, for code that does not know their type, and so is compiled once. What does need the type
// is asked of `CellOperations`, leaf by leaf where that serves.

extension AnyTable {
    final var metadataOffset: Int { layout.metadataOffset }

    // MARK: - Places

    /// Where the cell of a slot is, or nil where no leaf holds it.
    @inlinable @inline(__always)
    final func place(at slot: Slot) -> ElementPlace? {
        guard let leaf = cells.nodes.word(holding: slot.index) else { return nil }
        return layout.place(at: slot.index & (PackedLeaf.width &- 1), of: leaf)
    }

    /// Where the cell of a slot is, in the values of a packed leaf where these were made already.
    @usableFromInline
    final func settledPlace(at slot: Slot) -> ElementPlace? {
        place(at: slot).map { layout.settled($0) }
    }

    /// Where the cell of a slot is that is going to be read. Decides first whether a packed row is made alone or with
    /// the rest of its leaf.
    ///
    /// - Parameter isOnce: whether all rows are read and none of them again, so that a packed leaf is to stay one.
    @usableFromInline
    final func placeForReading(at slot: Slot, isOnce: Bool = false) -> ElementPlace? {
        guard let place = place(at: slot) else { return nil }
        return isOnce ? layout.settled(place) : settledForReading(place, slot)
    }

    /// Resolves the row's location. Decides first whether the row is made alone or with the rest of its leaf.
    @inlinable @inline(__always)
    final func settledForReading(_ place: ElementPlace, _ slot: Slot) -> ElementPlace {
        place.isPacked ? settledPacked(place, slot) : place
    }

    @usableFromInline
    final func settledPacked(_ place: ElementPlace, _ slot: Slot) -> ElementPlace {
        let place = layout.settled(place)
        guard place.isPacked, PackedLeaf.isWorthUnpacking(place.node) else { return place }
        return unpacked(slot)
    }

    /// Resolves the row's location for a scan of whole leaves: decided with the first of a leaf.
    @usableFromInline
    final func settledForScan(_ place: ElementPlace, _ slot: Slot) -> ElementPlace {
        let place = layout.settled(place)
        guard place.isPacked, place.position == 0, PackedLeaf.isWorthUnpackingWhole(place.node)
        else { return place }
        return unpacked(slot)
    }

    /// Where the cell of a slot is, among the values of its leaf, which are made now unless they are there.
    @usableFromInline
    final func unpacked(_ slot: Slot) -> ElementPlace {
        guard let leaf = cells.nodes.word(holding: slot.index) else {
            preconditionFailure("a place without a leaf")
        }
        let position = slot.index & (PackedLeaf.width - 1)
        return ElementPlace(element: layout.cell(position, of: values(of: leaf, slot.index)))
    }

    /// A leaf as values. From now on the directory leads to them.
    private final func values(of leaf: LeafWord, _ index: Int) -> UnsafeRawPointer {
        guard leaf.isPacked else { return leaf.node }
        let made = PackedLeaf.unpacked(of: leaf.node, cellOperations.makeLeaf)
        if let directory = cells.nodes.directory {
            LeafDirectory.replace(
                leaf.node, by: made, at: index >> cells.leafShift, in: directory)
        }
        return made
    }

    /// Call this whenever a row was looked up and made of a packed leaf for the moment: whether to make all of its
    /// rows, to stay.
    ///
    /// In a small table at the eighth time, when that would have cost no more. Of a large table all rows, made, are more
    /// memory than the caches hold, and to wait for a row and each of its texts takes longer than to make it of its
    /// bytes: of 100,000 users that are looked up at random 4.0 million a second were found as bytes, and 2.4 as values.
    /// So there it is the leaves that are read again and again, and no more of them than a small table has.
    @usableFromInline
    final func isWorthMaking(_ node: UnsafeRawPointer) -> Bool {
        guard isLarge else { return PackedLeaf.isWorthUnpacking(node) }
        return PackedLeaf.isOftenCopied(node) && madeLeaves.takeOne()
    }

    // MARK: - Reading

    /// Whether there is a row at a place.
    @usableFromInline
    final func isLive(at place: ElementPlace) -> Bool {
        place.isPacked
            ? !PackedLeaf.bytes(at: place.position, of: place.node).isEmpty
            : cellOperations.hasRow(place.element)
    }

    /// Whether the slot holds a row.
    @usableFromInline
    package final func isLive(_ slot: Slot) -> Bool {
        guard let place = place(at: slot) else { return false }
        return isLive(at: place)
    }

    /// Stamps and order of the row or the former row at the slot.
    @usableFromInline
    package final func metadata(of slot: Slot) -> RowMetadata {
        guard let place = place(at: slot) else { return .absent }
        guard place.isPacked else { return metadata(besideRow: place.element) }
        guard isLive(at: place) else { return .absent }
        return PackedLeaf.metadata(at: place.position, of: place.node)
    }

    /// The address of the row at a slot, or nil where the slot holds none.
    ///
    /// Valid until the table is mutated or released. A packed leaf's rows are made for it, and kept; to look at one
    /// there is ``withRawRow(at:isOnce:_:)``.
    @usableFromInline
    final func rawRow(at slot: Slot) -> UnsafeRawPointer? {
        guard let leaf = cells.nodes.word(holding: slot.index) else { return nil }
        let position = slot.index & (PackedLeaf.width - 1)
        let cell = layout.cell(position, of: values(of: leaf, slot.index))
        return cellOperations.hasRow(cell) ? cell : nil
    }

    /// Calls `body` with the row at a place, if there is one. The address is good for the call alone.
    final func withRow(at place: ElementPlace, _ body: (UnsafeRawPointer) -> Bool) -> Bool? {
        guard isLive(at: place) else { return nil }
        return place.isPacked
            ? cellOperations.withPackedRow(place, body) : body(place.element)
    }

    // MARK: - Visiting

    /// Live slots in insertion order.
    @usableFromInline
    package final func liveSlots() -> ContiguousArray<UInt32> {
        guard isFilled else { return StoredScan(self).slots() }
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(liveCount)
        guard let slotsByOrdinal = order.slotsByOrdinal else {
            cells.forEachNode { first, node in
                forEachLive(in: node) {
                    slots.append(UInt32(truncatingIfNeeded: first + $0))
                    return true
                }
            }
            return slots
        }
        slotsByOrdinal.forEachLeaf { _, ordered in
            for slot in ordered where slot != 0 && isLive(Slot(slot - 1)) {
                slots.append(slot - 1)
            }
            return true
        }
        return slots
    }

    /// Calls `body` with the position of each cell of a leaf that has a row, until it returns false.
    @inline(__always)
    final func forEachLive(in node: UnsafeRawPointer, _ body: (Int) -> Bool) -> Bool {
        guard !PackedLeaf.isPacked(node) else {
            // Elements are at the beginning.
            for position in 0..<PackedLeaf.elementCount(of: node) {
                guard body(position) else { return false }
            }
            return true
        }
        let live = cellOperations.liveCells(node + layout.cellsOffset)
        // A branch for each, which is predicted: positions made of the bits would wait for every row of the leaf, and
        // scans took twice as long.
        for position in 0..<PackedLeaf.width where live &>> UInt8(position) & 1 != 0 {
            guard body(position) else { return false }
        }
        return true
    }

    /// Calls `body` with each row in insertion order until it returns false. Addresses are good as those of
    /// ``rawRow(at:)`` are. Where they are to be kept, rows of a stored table come in the order of their slots.
    ///
    /// - Parameter isTransient: whether the addresses are not kept beyond the calls.
    @usableFromInline
    final func visitRows(isTransient: Bool, _ body: RowVisit) {
        guard let slotsByOrdinal = order.slotsByOrdinal else {
            if !isFilled, isTransient { return StoredScan(self).forEach(body) }
            return cells.forEachNode { visit($1, $0, isTransient: isTransient, body) }
        }
        slotsByOrdinal.forEachLeaf { _, slots in
            for slot in slots where slot != 0 {
                guard let row = rawRow(at: Slot(slot - 1)) else { continue }
                guard body(slot - 1, row) else { return false }
            }
            return true
        }
    }

    /// Calls `body` with each row of a leaf, given the index of its first element.
    final func visit(
        _ node: UnsafeRawPointer, _ first: Int, isTransient: Bool, _ body: RowVisit
    ) -> Bool {
        if isTransient, PackedLeaf.isPacked(node), PackedLeaf.unpacked(of: node) == nil,
            !PackedLeaf.isWorthUnpackingWhole(node)
        {
            return forEachLive(in: node) { position in
                let slot = UInt32(truncatingIfNeeded: first + position)
                return cellOperations.withPackedRow(
                    ElementPlace(packedIn: node, at: position)
                ) { body(slot, $0) }
            }
        }
        let leaf = values(of: LeafWord(node), first)
        return forEachLive(in: leaf) { position in
            body(
                UInt32(truncatingIfNeeded: first + position), layout.cell(position, of: leaf))
        }
    }

    // MARK: - Changing

    /// The cell of a slot for writing. The path to it is unique then, and absent pages are made.
    @usableFromInline
    final func mutableCell(at slot: Slot) -> UnsafeMutableRawPointer {
        let leaf = cells.uniqueLeaf(holding: slot.index, cellOperations.makeLeaf)
        let position = slot.index & (PackedLeaf.width - 1)
        return UnsafeMutableRawPointer(mutating: layout.cell(position, of: leaf))
    }

    /// Makes the rows beside one that is going to be changed, so that this is not done, and what it may run of the
    /// application's, where others wait for the table.
    final func prepareToChange(_ slot: Slot) {
        guard let place = place(at: slot), place.isPacked else { return }
        _ = unpacked(slot)
    }

    /// A slot without a row has an id of its own no more.
    @usableFromInline
    final func clearVacantID(of slot: Slot) {
        guard vacantIDs.nodes.word(holding: slot.index) != nil else { return }
        if descriptor.operations.clearVacantID(self, slot) {
            vacantIDs.dropLeaf(holding: slot.index)
        }
    }

    /// Puts packed leaves in the place of others with the same rows, which are returned: their rows are to go when
    /// the table can be had again.
    final func replace(_ packed: inout PackedLeaves) {
        for index in packed.leaves.indices {
            cells.replaceLeaf(at: packed.leaves[index].first, by: &packed.leaves[index].leaf)
        }
    }

    /// Drops packed leaves whose places have other rows by now than an earlier table, which kept its pages.
    final func dropOutdated(_ packed: inout PackedLeaves, since other: AnyTable) {
        packed.leaves.removeAll { place in
            cells.nodes.nodeInTree(holding: place.first)
                != other.cells.nodes.nodeInTree(holding: place.first)
        }
    }
}
