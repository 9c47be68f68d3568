// What taking changes back needs beside the changes themselves.

extension Table {
    /// Whether slot order stays the order of ordinals with a row at `slot`: one that returns to its
    /// place does not need the map. Looks at a few neighbours; false where they are not near.
    @usableFromInline
    func isBetweenNeighbours(_ slot: Slot, ordinal: UInt64) -> Bool {
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

    /// Rows may break constraints from here on.
    @usableFromInline
    func expectEqual() {
        for index in uniqueIndexes { indexContents[index].mayHoldEqual = true }
    }

    /// The place of the first of these slots that has a row.
    private func firstOrdinal(_ slots: some Sequence<Int>) -> UInt64? {
        for index in slots {
            if hasRow(at: Slot(index)) { return storedMetadata(of: Slot(index)).ordinal }
        }
        return nil
    }

    /// The place of a slot without a row in the order, as it is to be; see ``setPlace``.
    func restoreVacancy(of slot: Slot, ordinal: UInt64?, stamp: Stamp) {
        let cell = cells.mutablePointer(at: slot.index)
        precondition(cell.pointee.row == nil, "a row has a place already")
        note(cell.pointee.metadata, of: slot, before: -1)
        if let ordinal {
            nextOrdinal = max(nextOrdinal, ordinal + 1)
            cell.pointee.metadata.ordinal = ordinal
            self.stamp(&cell.pointee.metadata, stamp)
        } else {
            let isPassing = stamp.transaction != 0 && isFirstKnown(slot)
            stampDeparture(&cell.pointee.metadata, stamp, isPassing: isPassing)
        }
    }
}
