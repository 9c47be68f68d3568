import VarveEvents

/// An index that is being made of the live rows of a table: the one way to make it, in steps of a millisecond or two.
///
/// Rows are read in the order in which they are stored (``StoredLeafWalk``), without keeping blocks of an image. Their keys
/// are sorted, because ascending ones fill pages. Where the keys exceed their bound of memory, the index is made in ranges of
/// keys, and all rows are read once for each range.
struct UnfinishedIndex {
    private static let leavesPerStep = 128
    private static let entriesPerStep = 1_024

    private(set) var index: FieldIndex
    private let table: Int
    /// Over the rows, once for each range.
    private var walk: StoredLeafWalk
    private var entries: IndexEntries
    private var isMerging = false

    /// - Parameters:
    ///   - empty: an index without entries, of the newest layout of the table.
    ///   - keyBytesMax: how many bytes of keys may be in memory, with 16 for each.
    init(
        _ empty: FieldIndex, ofTableAt table: Int, in transaction: StateTransaction,
        keyBytesMax: Int = IndexBuilding.usualKeyBytesMax
    ) {
        index = empty
        self.table = table
        walk = StoredLeafWalk(transaction.tables[table].rows)
        entries = IndexEntries(byteCountMax: keyBytesMax)
    }

    /// Goes on; false when the index has all entries. Nothing may change the table meanwhile.
    ///
    /// - Throws: where a row has no key. What was made goes with the transaction.
    mutating func advance(in transaction: StateTransaction) throws(RowFault) -> Bool {
        if isMerging { return merge(in: transaction.transaction) }
        let pages = transaction.transaction.pages
        if let leaves = walk.next(atMost: Self.leavesPerStep, in: pages) {
            try transaction.addEntries(
                of: table, leaves, through: walk.buffers, of: index, to: &entries)
        } else {
            entries.beginMerge()
            isMerging = true
        }
        return true
    }

    /// Adds the next entries, or begins with the next range; false when there is none.
    private mutating func merge(in transaction: PageTransaction) -> Bool {
        if move(in: transaction) { return true }
        guard entries.beginNextRange() else { return false }
        walk.restart()
        isMerging = false
        return true
    }

    /// Adds the next entries; false when the range has no more.
    private mutating func move(in transaction: PageTransaction) -> Bool {
        var filled = index
        defer { index = filled }
        return entries.forEach(atMost: Self.entriesPerStep) {
            filled.insertEntry($0, in: transaction)
        }
    }

    /// Releases what was made.
    mutating func removeAll(in transaction: StateTransaction) {
        index.removeAll(in: transaction.transaction)
    }
}

/// A row that cannot be read.
struct RowFault: Error {
    let slot: Slot
    let fault: EntityFault
}

extension StateTransaction {
    /// Adds the entries of the live rows in some leaves.
    fileprivate func addEntries(
        of type: Int, _ leaves: ArraySlice<StoredLeaf>, through buffers: ScanBuffers,
        of index: FieldIndex, to entries: inout IndexEntries
    ) throws(RowFault) {
        let rows = tables[type].rows
        var writer = ByteWriter(capacity: 256)
        defer { withExtendedLifetime(buffers) {} }
        for stored in leaves {
            let leaf = rows.leaf(stored, through: buffers, in: transaction.pages)
            for slot in rows.slots(ofLeaf: stored.position) {
                let entry = StoredRow(slot, leaf, transaction.pages)
                guard entry.presence == .live else { continue }
                writer.removeAll()
                do throws(EntityFault) {
                    try writeEntry(of: entry, in: type, of: index, into: &writer)
                } catch {
                    throw RowFault(slot: slot, fault: error)
                }
                writer.withBytes { entries.add($0) }
            }
        }
    }

    private func writeEntry(
        of entry: StoredRow, in type: Int, of index: FieldIndex, into writer: inout ByteWriter
    ) throws(EntityFault) {
        let layout = tables[type].layout
        try withRow(of: entry, in: type) { row throws(EntityFault) in
            do throws(CodecError) {
                try index.writeEntry(entry.slot, row, layout, into: &writer)
            } catch {
                throw .malformedRow(error)
            }
        }
    }
}
