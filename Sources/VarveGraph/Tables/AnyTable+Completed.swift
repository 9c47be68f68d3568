// A table that loads what is read was changed, and the filled table of its source is there: both together are the filled
// table with the changes. What was changed is in the leaves that the table has of its own.

extension AnyTable {
    /// The filled table of one that waits and was changed. O(leaves with changes), and O(n) where their rows are no longer in
    /// the order of their slots, or share values that were unique.
    ///
    /// - Parameter stored: the filled table of the source.
    final func completed(by stored: AnyTable) -> AnyTable {
        let table = cloned()
        table.beFilled()
        table.memoryReservation = stored.memoryReservation
        table.order = stored.order
        table.indexContents = stored.indexContents
        if mayHoldEqual {
            for index in uniqueIndexes { table.indexContents[index].mayHoldEqual = true }
        }
        // Entries go while the rows that they are of are in their cells, and come when these have the others.
        table.cells = stored.cells
        let changes = table.removeEntries(ofRowsReplacedBy: self)
        table.cells = cells.completed(by: stored.cells)
        table.insertEntries(behind: changes)
        table.vacantIDs = vacantIDs.completed(by: stored.vacantIDs)
        table.links = zip(links, stored.links).map { $0.completed(by: $1) }
        table.ids = stored.ids
        table.addIDs(ids.entries)
        return table
    }

    /// What has become of a row.
    private struct ReplacedRow {
        let slot: Slot
        /// The indexes that the new row is to be added to, one bit for each.
        var indexes: UInt64 = 0
        /// Whether there is a row at a place in the order where none was.
        var isPlaced = false
    }

    /// Removes entries and places of rows that another table has changed. Returns what has to come for the new ones.
    private final func removeEntries(
        ofRowsReplacedBy changed: AnyTable
    ) -> ContiguousArray<ReplacedRow> {
        var replaced: ContiguousArray<ReplacedRow> = []
        changed.cells.forEachOwnNode { first, node in
            for position in 0..<PackedLeaf.width {
                let place = layout.place(at: position, of: LeafWord(node))
                let row = replacement(of: Slot(first + position), by: place, of: changed)
                if row.isPlaced || row.indexes != 0 { replaced.append(row) }
            }
        }
        return replaced
    }

    private final func replacement(
        of slot: Slot, by place: ElementPlace, of changed: AnyTable
    ) -> ReplacedRow {
        var row = ReplacedRow(slot: slot)
        let isThere = changed.isLive(at: place)
        guard isLive(slot) else {
            if isThere { (row.indexes, row.isPlaced) = (.max, true) }
            return row
        }
        let ordinal = metadata(of: slot).ordinal
        let staysInPlace = isThere && changed.metadata(of: slot).ordinal == ordinal
        withRawRow(at: slot) { old in
            guard staysInPlace else {
                return removeEntries(of: old, at: slot, ordinal: ordinal, from: .max)
            }
            _ = changed.withRow(at: place) { new in
                row.indexes = unindexChanges(from: old, to: new, at: slot, ordinal: ordinal)
                return true
            }
        }
        if !staysInPlace {
            order.remove(ordinal: ordinal)
            if isThere { (row.indexes, row.isPlaced) = (.max, true) }
        }
        return row
    }

    /// Adds rows, which are in their cells, to indexes and to the order.
    private final func insertEntries(behind changes: ContiguousArray<ReplacedRow>) {
        for row in changes where row.isPlaced {
            noteOrder(of: row.slot, ordinal: metadata(of: row.slot).ordinal)
        }
        let maps = indexContents.map { $0.slots != nil }
        for row in changes where row.indexes != 0 {
            var indexes = row.indexes
            // One that has become a tree meanwhile was made of all rows, these too.
            for index in maps.indices where maps[index] && indexContents[index].slots == nil {
                indexes &= ~(1 << UInt64(index))
            }
            withRawRow(at: row.slot) {
                insertEntries(
                    of: $0, at: row.slot, ordinal: metadata(of: row.slot).ordinal, into: indexes)
            }
        }
    }

    /// Adds ids that are not there yet.
    private final func addIDs(_ entries: ContiguousArray<UInt64>) {
        // All pages are made again where they are many.
        guard entries.count < ids.count / 8 else { return ids.insert(contentsOf: entries) }
        for entry in entries { ids.insert(entry, IDEntry.slot(entry)) }
    }
}
