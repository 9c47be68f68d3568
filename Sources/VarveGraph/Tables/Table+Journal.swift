// What a table notes of each row before it is changed.

extension Table {
    /// Notes what stands in a cell, moves its row into the journal, where there is one, and leaves the
    /// row's place uninitialised. Returns whether there was a row.
    ///
    /// Moved, because copying a row counts every heap reference in it.
    @inlinable
    func noteTakingRow(of cell: UnsafeMutablePointer<Cell>, at slot: Slot) -> Bool {
        guard let row = Table.rowPlace(in: cell).move() else {
            note(cell.pointee.metadata, of: slot, before: -1)
            return false
        }
        note(cell.pointee.metadata, of: slot, before: Int32(truncatingIfNeeded: beforeRows.count))
        beforeRows.append(row)
        return true
    }

    /// Where a cell has its row; see ``row(at:)``.
    @inlinable
    static func rowPlace(in cell: UnsafeMutablePointer<Cell>) -> UnsafeMutablePointer<Entity?> {
        UnsafeMutableRawPointer(cell).assumingMemoryBound(to: Entity?.self)
    }

    /// Clears a journal that holds one row change and nothing else: after nearly every save. In
    /// code that knows the row's type this is a tenth of a save cheaper.
    @inlinable
    func clearJournalOfOneRow() {
        if beforeRows.count == 1 { beforeRows.removeLast() }
        rowJournal.removeLast()
        journalWasShortened()
    }
}
