import VarveEvents

/// Makes the entries of an index of the live rows of a table, in steps of a millisecond or two, and returns them in the
/// order of keys.
///
/// Rows are read in the order in which they are stored (``StoredLeafWalk``), without keeping blocks of an image. Where the keys
/// exceed their bound of memory, they are returned in ranges, and all rows are read once for each range.
struct LiveRowEntries: ~Copyable {
    private static let leavesPerStep = 128
    private static let entriesPerStep = 1_024

    private let index: FieldIndex
    private let layout: RowLayout
    private let rows: RowTree
    private var reader: RowReader
    /// Over the rows, once for each range.
    private var walk: StoredLeafWalk
    private var entries: IndexEntries
    private var writer = ByteWriter(capacity: 256)
    /// Whether all entries of the range are collected.
    private(set) var isRangeComplete = false

    /// - Parameters:
    ///   - index: on the newest layout of the table. Its entries do not matter.
    ///   - keyBytesMax: how many bytes of keys may be in memory, with 16 for each.
    init(of index: FieldIndex, in table: Table, keyBytesMax: Int) {
        self.index = index
        layout = table.layout
        rows = table.rows
        reader = RowReader(RowForm(of: table))
        walk = StoredLeafWalk(table.rows)
        entries = IndexEntries(byteCountMax: keyBytesMax)
    }

    /// Adds the entries of the next rows, while the range is not complete. Nothing may change the table meanwhile.
    mutating func collect(in pages: PageTable) throws(RowFault) {
        guard let leaves = walk.next(atMost: Self.leavesPerStep, in: pages) else {
            entries.beginMerge()
            isRangeComplete = true
            return
        }
        let buffers = walk.buffers
        defer { withExtendedLifetime(buffers) {} }
        for stored in leaves {
            let leaf = rows.leaf(stored, through: buffers, in: pages)
            for slot in rows.slots(ofLeaf: stored.position) {
                try add(StoredRow(slot, leaf, pages))
            }
        }
    }

    private mutating func add(_ row: StoredRow) throws(RowFault) {
        if try writeEntry(of: row) { writer.withBytes { entries.add($0) } }
    }

    /// The entry of a slot; nil where it has no live row.
    mutating func entry(of slot: Slot, in pages: PageTable) throws(RowFault) -> [UInt8]? {
        guard slot.index < rows.count, try writeEntry(of: rows.entry(slot, in: pages)) else {
            return nil
        }
        return writer.copyBytes()
    }

    /// Makes the entry of a row in the writer. Returns false where the row is not live.
    private mutating func writeEntry(of row: StoredRow) throws(RowFault) -> Bool {
        guard row.presence == .live else { return false }
        writer.removeAll()
        do throws(CodecError) {
            try reader.read(row) { bytes throws(CodecError) in
                try index.writeEntry(row.slot, bytes, layout, into: &writer)
            }
        } catch {
            throw RowFault(slot: row.slot, fault: .malformedRow(error))
        }
        return true
    }

    /// Reads the next entries of the complete range. Returns false when it has no more.
    mutating func forEachOfStep(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        entries.forEach(atMost: Self.entriesPerStep, body)
    }

    /// Begins with the next range, when all entries of this one were read. Returns false where there is none.
    mutating func beginNextRange() -> Bool {
        guard entries.beginNextRange() else { return false }
        walk.restart()
        isRangeComplete = false
        return true
    }
}

/// A row that cannot be read.
struct RowFault: Error {
    let slot: Slot
    let fault: EntityFault
}
