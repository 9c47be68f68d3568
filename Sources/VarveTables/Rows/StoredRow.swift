package import VarveEvents

/// The entry of a slot, read in place. Valid as long as the snapshot, or the open transaction, that it
/// was read from, and until the transaction changes the row's table.
package struct StoredRow: BitwiseCopyable {
    package let slot: Slot
    let leaf: RowLeaf
    private let pages: PageTable

    init(_ slot: Slot, _ leaf: RowLeaf, _ pages: PageTable) {
        self.slot = slot
        self.leaf = leaf
        self.pages = pages
    }

    /// In the leaf.
    var index: Int { slot.index & (leaf.geometry.slotCount &- 1) }

    /// Where the leaf says what its slots hold.
    var header: UnsafeRawPointer { UnsafeRawPointer(leaf.page.address) }

    /// As the leaf's body holds it.
    var inlineContent: UnsafeRawBufferPointer { leaf.inlineContent(index) }

    package var presence: EntityPresence {
        // Only presences are ever written.
        EntityPresence(rawValue: presenceFlags) ?? .vacant
    }

    /// The presence as the leaf holds it.
    var presenceFlags: UInt8 { leaf.flags(index) & ~RowLeaf.largeFlag }

    package var stamps: EntityStamps { leaf.stamps(index) }

    var ordinal: Ordinal { Ordinal(leaf.ordinal(index)) }

    package var revision: UInt32 { leaf.revision(index) }

    package var metadata: RowMetadata {
        RowMetadata(presence: presence, stamps: stamps, revision: revision)
    }

    package var id: UnsafeRawBufferPointer {
        if let large = leaf.largePage(index) { return LargeContent(pages[large]).id }
        let content = leaf.inlineContent(index)
        return UnsafeRawBufferPointer(start: content.baseAddress, count: leaf.idCount(index))
    }

    /// The row's bytes; none where the entity is vacant or gone.
    package var row: UnsafeRawBufferPointer {
        if let large = leaf.largePage(index) { return LargeContent(pages[large]).row }
        let content = leaf.inlineContent(index)
        let idCount = leaf.idCount(index)
        return UnsafeRawBufferPointer(
            start: content.baseAddress.map { $0 + idCount }, count: content.count &- idCount)
    }

    /// What an event on this entity must name as previous version.
    package var version: PreviousVersion? {
        guard presence.hasRow else { return nil }
        let stamps = stamps
        return PreviousVersion(
            transaction: TransactionID(stamps.transaction),
            updatedAt: Timestamp(microseconds: stamps.updatedAt))
    }
}
