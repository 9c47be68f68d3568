// What a change of a row does beside placing or taking the row. A cell is given by its address, which is that of its
// row: whatever the row's type, its metadata are behind it.

extension AnyTable {
    /// The table as one of a type's rows, unchecked.
    ///
    /// It is a `Table<Entity>`; or a `Table<Deleted<Entity>>`, where code for the entity works on its tombstones (see
    /// ``EntityOperations/ofTombstones(_:)``). That is not checked: each save passes here, and the second is no class
    /// that Swift would convert to. It is safe because a tombstone is laid out as its entity: so are the cells of both
    /// tables, and a table's properties lie alike whatever its rows are. What finds its type in the object, as a method
    /// that is not specialised does, works on tombstones then. So such code may ask the type for its layout, its ids and
    /// its stored form, which are those of the entity, and the table, not the type, for all else. And no function may see
    /// one table as both: the compiler takes them for two.
    ///
    /// `TableList.unretained(at:as:)` gives tables to such code in the same way.
    @inlinable @inline(__always)
    final func rows<Entity: EntityModelProtocol>(of type: Entity.Type) -> Table<Entity> {
        Unmanaged.fromOpaque(Unmanaged.passUnretained(self).toOpaque()).takeUnretainedValue()
    }

    /// The metadata beside a row.
    @usableFromInline
    final func metadata(besideRow row: UnsafeRawPointer) -> RowMetadata {
        row.metadata(at: metadataOffset)
    }

    private final func metadata(
        in cell: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<RowMetadata> {
        (cell + metadataOffset).assumingMemoryBound(to: RowMetadata.self)
    }

    // MARK: - A row came

    /// A row was placed at a slot that had none.
    @usableFromInline
    final func didPutNew(
        _ cell: UnsafeMutableRawPointer, at slot: Slot, stamp: Stamp, ordinal: UInt64?
    ) {
        let metadata = metadata(in: cell)
        claimOrdinal(metadata, at: slot, wanted: ordinal, stamp: stamp)
        if !deleteCauses.isEmpty { deleteCauses[slot.rawValue] = nil }
        didInsert(slot, ordinal: metadata.pointee.ordinal)
        if numbers != nil { noteNumber(ofRowAt: slot, stamp) }
    }

    /// A row was placed, at a slot that had one or behind ``didPutNew(_:at:stamp:ordinal:)``.
    ///
    /// - Parameter indexes: those that it is to be added to, one bit for each.
    @usableFromInline
    final func didPut(
        _ cell: UnsafeMutableRawPointer, at slot: Slot, stamp: Stamp, isNew: Bool,
        indexing indexes: UInt64, _ known: KnownKey
    ) {
        lastSaveWasNew = isNew
        let metadata = metadata(in: cell)
        if indexes != 0, !indexDefinitions.isEmpty {
            insertEntries(
                of: cell, at: slot, ordinal: metadata.pointee.ordinal, into: indexes, known)
        }
        self.stamp(&metadata.pointee, stamp)
    }

    /// Adds the row that is in a cell to all indexes.
    @usableFromInline
    final func index(_ cell: UnsafeRawPointer, at slot: Slot) {
        if indexDefinitions.isEmpty { return }
        insertEntries(
            of: cell, at: slot, ordinal: metadata(besideRow: cell).ordinal, into: .max)
    }

    /// Sets the ordinal of a slot that has none: the wanted one, else the one that it lost earlier in
    /// the same transaction, else the next.
    ///
    /// A transaction is logged as what was before it against what is behind it, so an entity that
    /// goes for good and comes back within one must be where it was.
    private final func claimOrdinal(
        _ metadata: UnsafeMutablePointer<RowMetadata>, at slot: Slot, wanted: UInt64?, stamp: Stamp
    ) {
        if let wanted {
            metadata.pointee.ordinal = wanted
            nextOrdinal = max(nextOrdinal, wanted + 1)
        } else if metadata.pointee.ordinal == RowMetadata.noOrdinal {
            let isTouched =
                stamp.transaction != 0 && metadata.pointee.transaction == stamp.transaction
            if isTouched, let former = formerOrdinal(of: slot) {
                metadata.pointee.ordinal = former
            } else {
                metadata.pointee.ordinal = nextOrdinal
                nextOrdinal += 1
            }
        }
    }

    @usableFromInline
    final func didInsert(_ slot: Slot, ordinal: UInt64) {
        liveCount += 1
        noteOrder(of: slot, ordinal: ordinal)
    }

    /// Gives a row its place in the order.
    final func noteOrder(of slot: Slot, ordinal: UInt64) {
        if !order.isSequential(adding: slot.rawValue, ordinal: ordinal) {
            if !isFilled {
                // The filled table finds the places of rows that were changed before.
                noteStray(slot, ordinal: ordinal)
            } else if !isBetweenNeighbours(slot, ordinal: ordinal) {
                materializeOrder()
            }
        }
        order.insert(slot.rawValue, ordinal: ordinal)
    }

    /// Builds the map from ordinal to slot. O(n), once in a table's life.
    @usableFromInline
    final func materializeOrder() {
        var rows: [(slot: UInt32, ordinal: UInt64)] = []
        rows.reserveCapacity(liveCount)
        // A map that is there knows none of the rows that have come without it: all slots are looked at.
        order.slotsByOrdinal = nil
        for slot in liveSlots() { rows.append((slot, metadata(of: Slot(slot)).ordinal)) }
        order.materialize(rows)
    }

    // MARK: - A row goes

    /// Takes the row that is in a cell out of all indexes.
    @usableFromInline
    final func unindex(_ cell: UnsafeRawPointer, at slot: Slot) {
        if indexDefinitions.isEmpty { return }
        removeEntries(
            of: cell, at: slot, ordinal: metadata(besideRow: cell).ordinal, from: .max)
    }

    /// A row was taken from a slot.
    @usableFromInline
    final func didRemove(
        _ cell: UnsafeMutableRawPointer, at slot: Slot, stamp: Stamp, keepsPlace: Bool
    ) {
        let metadata = metadata(in: cell)
        order.remove(ordinal: metadata.pointee.ordinal)
        liveCount -= 1
        if keepsPlace { return self.stamp(&metadata.pointee, stamp) }
        let isTransient = isTransient(metadata.pointee, at: slot, stamp: stamp)
        stampDeparture(&metadata.pointee, stamp, isTransient: isTransient)
    }

    /// Whether a row that goes for good came in the same transaction. The log will know of
    /// neither, so the slot must be as if there had been none.
    private final func isTransient(_ metadata: RowMetadata, at slot: Slot, stamp: Stamp) -> Bool {
        guard stamp.transaction != 0, metadata.transaction == stamp.transaction,
            descriptor.tombstoneOwner == nil
        else { return false }
        return isFirstKnown(slot)
    }

    // MARK: - A place without a row

    /// Gives a slot without a row a place in the order, or takes it away: what a tombstone that comes or goes by
    /// itself does to its entity. Returns the ordinal that the slot has then.
    final func setPlace(of slot: Slot, isKept: Bool, stamp: Stamp) -> UInt64 {
        let metadata = metadata(in: vacantCell(at: slot))
        note(metadata.pointee, of: slot, before: -1)
        if isKept {
            claimOrdinal(metadata, at: slot, wanted: nil, stamp: stamp)
            self.stamp(&metadata.pointee, stamp)
        } else {
            // A tombstone that came and went within a transaction leaves nothing in the log either.
            let isTransient = stamp.transaction != 0 && isFirstKnown(slot)
            stampDeparture(&metadata.pointee, stamp, isTransient: isTransient)
        }
        return metadata.pointee.ordinal
    }

    /// Gives a slot without a row a place in the order, or with nil takes it away.
    final func setVacancy(of slot: Slot, ordinal: UInt64?, stamp: Stamp) {
        let metadata = metadata(in: vacantCell(at: slot))
        note(metadata.pointee, of: slot, before: -1)
        if let ordinal {
            nextOrdinal = max(nextOrdinal, ordinal + 1)
            metadata.pointee.ordinal = ordinal
            self.stamp(&metadata.pointee, stamp)
        } else {
            let isTransient = stamp.transaction != 0 && isFirstKnown(slot)
            stampDeparture(&metadata.pointee, stamp, isTransient: isTransient)
        }
    }

    private final func vacantCell(at slot: Slot) -> UnsafeMutableRawPointer {
        precondition(!isLive(slot), "a row has a place already")
        return mutableCell(at: slot)
    }

    /// Makes a slot, which stays where it is in the order, carry the running transaction.
    final func stampAgain(_ slot: Slot, _ stamp: Stamp) {
        let metadata = metadata(in: mutableCell(at: slot))
        if metadata.pointee.ordinal != RowMetadata.noOrdinal {
            self.stamp(&metadata.pointee, stamp)
        } else {
            stampDeparture(&metadata.pointee, stamp, isTransient: false)
        }
    }

    package final func setMetadata(_ metadata: RowMetadata, of slot: Slot) {
        precondition(
            self.metadata(of: slot).ordinal == metadata.ordinal, "metadata does not move a row")
        setStamps(metadata, of: slot)
    }

    final func setStamps(_ metadata: RowMetadata, of slot: Slot) {
        self.metadata(in: mutableCell(at: slot)).pointee = metadata
    }

    /// Notes what was at a slot.
    @usableFromInline
    final func note(_ metadata: RowMetadata, of slot: Slot, before: Int32) {
        rowJournal.append(
            RowChange(
                slot: slot.rawValue, before: before, metadata: metadata,
                nextOrdinal: nextOrdinal, order: order.mark))
    }

    // MARK: - Rows returned to their places

    /// Whether slot order stays the order of ordinals with a row at `slot`: one that returns to its
    /// place does not need the map. Looks at a few neighbours; false where they are not near.
    final func isBetweenNeighbours(_ slot: Slot, ordinal: UInt64) -> Bool {
        let reach = 64
        let first = max(0, slot.index - reach)
        let last = min(order.greatestSlot, slot.index + reach)
        if let before = firstOrdinal(stride(from: slot.index - 1, through: first, by: -1)) {
            guard before < ordinal else { return false }
        } else if first > 0 {
            return false
        }
        if let after = firstOrdinal(stride(from: slot.index + 1, through: last, by: 1)) {
            return ordinal < after
        }
        return last >= order.greatestSlot
    }

    /// The place of the first of these slots that has a row.
    private final func firstOrdinal(_ slots: some Sequence<Int>) -> UInt64? {
        for index in slots where isLive(Slot(index)) { return metadata(of: Slot(index)).ordinal }
        return nil
    }

    /// Rows may break constraints from here on.
    @usableFromInline
    final func expectEqual() {
        for index in uniqueIndexes { expectEqual(in: index) }
    }

    /// Rows may break the constraint of an index from here on.
    final func expectEqual(in index: Int) {
        guard isFilled else { return mayHoldEqual = true }
        indexContents[index].mayHoldEqual = true
    }
}
