package import VarveEvents

/// The entries of a table by slot: leaves of some slots each, found through a ``PageArray``.
///
///     slot 0b...1101_011, eight slots a leaf
///
///     PageArray [0b...1101] -> leaf | ends | flags | stamps | revisions | id row id row id row ...
///                                                                        entry 0b011 ^
///
/// A value: a copy is the tree of another version. Slots are dense and never removed.
package struct RowTree: BitwiseCopyable, Sendable {
    let geometry: RowLeaf.Geometry
    var leaves: PageArray
    /// How many slots there are.
    package internal(set) var count = 0

    /// - Parameters:
    ///   - slotBits: a leaf holds 2 to the power of this many slots.
    ///   - childBits: a node above the leaves has 2 to the power of this many children.
    ///   - inlineBytesMax: id and row that are longer together are stored in a page of their own.
    package init(slotBits: Int = 3, childBits: Int = 6, inlineBytesMax: Int = 1_024) {
        geometry = RowLeaf.Geometry(slotBits: slotBits, inlineBytesMax: inlineBytesMax)
        leaves = PageArray(.rowNode, childBits: childBits)
    }

    /// The tree of an image, whose pages have the sizes that are the defaults.
    init(_ leaves: PageArray.Root, count: Int) {
        self.init()
        self.leaves = PageArray(.rowNode, leaves)
        self.count = count
    }

    var root: PageArray.Root { leaves.position }

    /// The leaves that a table of an image has for as many slots.
    static func leafCount(of slotCount: Int) -> Int {
        (slotCount + RowLeaf.Geometry.standard.slotCount - 1) / RowLeaf.Geometry.standard.slotCount
    }

    // MARK: Reading

    /// The entry of a slot below ``count``. An image may name others: their entry is vacant, and noted as damage.
    @inline(__always)
    package func entry(_ slot: Slot, in pages: PageTable) -> StoredRow {
        guard slot.index < count else { return noEntry(slot, pages) }
        let number = leaves.number(at: slot.index &>> geometry.slotBits, in: pages)
        return StoredRow(slot, RowLeaf(page: pages[number], geometry: geometry), pages)
    }

    @inline(never)
    private func noEntry(_ slot: Slot, _ pages: PageTable) -> StoredRow {
        pages.noteContradiction()
        return StoredRow(slot, RowLeaf(page: .empty, geometry: geometry), pages)
    }

    /// Passes over the entries from a slot on, each leaf looked up once.
    package func cursor(from first: Slot = Slot(0), in pages: PageTable) -> RowCursor {
        RowCursor(self, from: first, in: pages)
    }

    func leaf(of slot: Slot, in pages: PageTable) -> RowLeaf {
        let number = leaves.number(at: slot.index &>> geometry.slotBits, in: pages)
        return RowLeaf(page: pages[number], geometry: geometry)
    }

    var slotsPerLeaf: Int { geometry.slotCount }

    // MARK: Changing

    /// Gives an id the next slot: vacant, or with a row.
    package mutating func append(
        id: UnsafeRawBufferPointer,
        row: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        _ metadata: RowMetadata = .vacant, in transaction: PageTransaction
    ) -> Slot {
        precondition(count < Slot.limit, "The caller checks that a slot is left")
        let slot = Slot(UInt32(truncatingIfNeeded: count))
        // Not what the leaf's page says: one of an image may say anything.
        let index = count & (geometry.slotCount - 1)
        let byteCount = id.count + row.count
        let entry = leaves.mutableEntry(at: count >> geometry.slotBits, in: transaction)
        let leaf = leafForNext(
            index, geometry.inlineCount(byteCount), &entry.pointee, in: transaction)
        leaf.append(
            at: index, id: id, row: row, metadata,
            large: geometry.isLarge(byteCount)
                ? LargeContent.make(id: id, row: row, in: transaction) : nil)
        count += 1
        return slot
    }

    /// The leaf of the slot behind the last, in which `used` slots are in use: of the transaction, and with room for
    /// `byteCount` bytes of content.
    @inline(__always)
    private func leafForNext(
        _ used: Int, _ byteCount: Int, _ number: inout PageNumber, in transaction: PageTransaction
    ) -> RowLeaf {
        if number != .none {
            let leaf = RowLeaf(page: transaction.pages[number], geometry: geometry)
            if transaction.owns(leaf.page), leaf.page.count == used,
                geometry.body + leaf.start(used) + byteCount <= leaf.page.byteCount
            {
                return leaf
            }
        }
        return makeLeafForNext(used, byteCount, &number, in: transaction)
    }

    /// A new leaf, with what the first `used` slots of the one before it hold.
    @inline(never)
    private func makeLeafForNext(
        _ used: Int, _ byteCount: Int, _ number: inout PageNumber, in transaction: PageTransaction
    ) -> RowLeaf {
        let old =
            number == .none ? nil : RowLeaf(page: transaction.pages[number], geometry: geometry)
        let oldCount = old?.page.count ?? 0
        // Of a leaf that cannot be read, or says something else than the table, the slots that it lacks are vacant.
        if oldCount != used { transaction.pages.noteContradiction() }
        let kept = min(oldCount, used)
        let needed = geometry.body + (old?.start(kept) ?? 0) + byteCount
        let (newNumber, page) = transaction.allocate(
            PageKind(.rowLeaf),
            min(capacity(for: needed, used: used + 1), max(needed, capacityMax)))
        let leaf = RowLeaf(page: page, geometry: geometry)
        if let old {
            leaf.copy(from: old, first: kept)
            transaction.release(number)
        } else {
            page.clear(Page.headerBytes..<geometry.body)
        }
        while page.count < used { leaf.appendSlot() }
        number = newNumber
        return leaf
    }

    /// Replaces the row and metadata of a slot, and returns what it was, with the ordinal. `row` does not lie in this tree's pages.
    @discardableResult
    package mutating func set(
        _ slot: Slot, row: UnsafeRawBufferPointer, _ metadata: RowMetadata,
        in transaction: PageTransaction
    ) -> (presence: EntityPresence, ordinal: Ordinal) {
        let old = entry(slot, in: transaction.pages)
        let former = (old.presence, old.ordinal)
        if old.leaf.setInPlace(old.index, row: row, metadata, in: transaction) { return former }
        // The id is copied out of a page that the write may move or release.
        let id = old.id
        withUnsafeTemporaryAllocation(byteCount: id.count, alignment: 1) { copy in
            copy.copyMemory(from: id)
            write(slot, id: UnsafeRawBufferPointer(copy), row: row, metadata, in: transaction)
        }
        return former
    }

    /// Replaces the metadata of a slot and keeps its row.
    package mutating func setMetadata(
        _ slot: Slot, _ metadata: RowMetadata, in transaction: PageTransaction
    ) {
        precondition(slot.index < count, "A slot is below the count")
        let entry = leaves.mutableEntry(at: slot.index >> geometry.slotBits, in: transaction)
        let leaf = RowLeaf(page: transaction.mutable(&entry.pointee), geometry: geometry)
        let index = slot.index & (geometry.slotCount - 1)
        let large = leaf.flags(index) & RowLeaf.largeFlag
        leaf.setMetadata(index, metadata, flags: metadata.presence.rawValue | large)
    }

    private mutating func write(
        _ slot: Slot, id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer,
        _ metadata: RowMetadata, in transaction: PageTransaction
    ) {
        let entry = leaves.mutableEntry(at: slot.index >> geometry.slotBits, in: transaction)
        let index = slot.index & (geometry.slotCount - 1)
        let total = id.count + row.count
        let isLarge = geometry.isLarge(total)
        let leaf = leafWithRoom(
            for: geometry.inlineCount(total), of: row.count, at: index, &entry.pointee,
            in: transaction)
        let start = geometry.body + leaf.start(index)
        if isLarge {
            leaf.page.store(
                LargeContent.make(id: id, row: row, in: transaction), at: start)
        } else {
            leaf.page.write(id, at: start)
            leaf.page.write(row, at: start + id.count)
        }
        leaf.setIDCount(index, isLarge ? 0 : id.count)
        leaf.setMetadata(
            index, metadata,
            flags: metadata.presence.rawValue | (isLarge ? RowLeaf.largeFlag : 0))
    }

    /// A leaf of the transaction whose entry at `index` has room for `byteCount` bytes of content, of
    /// which `rowCount` are the row's. The slot is put into use; its large page is released.
    private func leafWithRoom(
        for byteCount: Int, of rowCount: Int, at index: Int, _ number: inout PageNumber,
        in transaction: PageTransaction
    ) -> RowLeaf {
        guard number != .none else { return makeLeaf(for: byteCount, &number, in: transaction) }
        let old = RowLeaf(page: transaction.pages[number], geometry: geometry)
        // Of a leaf that cannot be read, the slots before are vacant.
        let isNew = index >= old.page.count
        if !isNew, let large = old.largePage(index) { transaction.release(large) }
        let freed = isNew ? 0 : old.end(index) - old.start(index)
        let needed = geometry.body + old.bodyCount - freed + byteCount
        var leaf = old
        if !transaction.owns(old.page) || needed > old.page.byteCount {
            let used = isNew ? index + 1 : old.page.count
            var capacity = capacity(for: needed, used: used)
            if !isNew, transaction.owns(old.page) {
                // Ids that got their slots in this transaction: rows like this one are about to come.
                capacity += vacantCount(of: old, without: index) * rowCount
            }
            let (copy, page) = transaction.allocate(
                PageKind(.rowLeaf), min(capacity, max(needed, capacityMax)))
            leaf = RowLeaf(page: page, geometry: geometry)
            if isNew {
                leaf.copy(from: old)
            } else {
                leaf.copy(from: old, replacing: index, by: byteCount)
            }
            transaction.release(number)
            number = copy
        }
        while leaf.page.count <= index { leaf.appendSlot() }
        leaf.resize(index, to: byteCount)
        return leaf
    }

    private func makeLeaf(
        for byteCount: Int, _ number: inout PageNumber, in transaction: PageTransaction
    ) -> RowLeaf {
        let page: Page
        (number, page) = transaction.allocate(
            PageKind(.rowLeaf), capacity(for: geometry.body + byteCount, used: 1))
        page.clear()
        let leaf = RowLeaf(page: page, geometry: geometry)
        leaf.appendSlot()
        leaf.resize(0, to: byteCount)
        return leaf
    }

    /// The size of a leaf that needs `needed` bytes now. One that is not full yet gets room for as
    /// many more slots of the size that its contents have so far: it is probably being filled.
    private func capacity(for needed: Int, used: Int) -> Int {
        let average = (needed - geometry.body + used - 1) / used
        return needed + average * (geometry.slotCount - used)
    }

    private func vacantCount(of leaf: RowLeaf, without index: Int) -> Int {
        (0..<leaf.page.count).count {
            $0 != index && leaf.flags($0) == EntityPresence.vacant.rawValue
        }
    }

    /// A leaf all of whose contents are as long as such in the leaf can be.
    private var capacityMax: Int {
        geometry.body + geometry.slotCount * geometry.inlineBytesMax
    }
}
