internal import VarveEvents

/// The leaves of a table that a transaction filled with new rows, packed from the bytes that it logs of them.
///
/// What many rows come in at once is mostly an import: few of them are looked at soon, and as bytes they take a
/// third of the memory. Single rows stay values: packing a leaf for each eighth of them would cost those who save
/// one by one, and read what they saved.
package struct FilledLeaves: ~Copyable {
    private struct Row {
        let idCount: Int
        let byteCount: Int
        let metadata: RowMetadata
    }

    /// The slot of the first row of the leaf that is being filled, its rows, and their bytes.
    private var first = 0
    private var rows: ContiguousArray<Row> = []
    private var bytes = ByteWriter(capacity: 1_024)
    /// Of all tables whose leaves were filled.
    private var leaves: ContiguousArray<PackedLeaves> = []

    package init() {}

    package mutating func removeAll() {
        beginLeaf()
        if !leaves.isEmpty { leaves.removeAll(keepingCapacity: true) }
    }

    /// Adds a row that came in the transaction. Only rows that come in the order of their slots fill leaves.
    package mutating func add(
        _ slot: Slot, of table: Int, id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer,
        _ metadata: RowMetadata
    ) {
        let position = slot.index % PackedLeaf.width
        if position == 0 { beginLeaf() }
        let byteCount = id.count + row.count
        guard position == rows.count, position == 0 || slot.index == first + position,
            byteCount > 0, bytes.count + byteCount <= PackedLeaf.byteCountMax
        else { return beginLeaf() }
        if position == 0 { first = slot.index }
        bytes.write(id)
        bytes.write(row)
        rows.append(Row(idCount: id.count, byteCount: byteCount, metadata: metadata))
        if rows.count == PackedLeaf.width { pack(table) }
    }

    /// To be called before the rows of another table come.
    package mutating func beginLeaf() {
        guard !rows.isEmpty else { return }
        rows.removeAll(keepingCapacity: true)
        bytes.removeAll()
    }

    private mutating func pack(_ table: Int) {
        let leaf = bytes.withBytes { bytes in
            PackedLeaf.make(
                count: rows.count, byteCounts: { (rows[$0].idCount, rows[$0].byteCount) },
                metadata: { rows[$0].metadata }
            ) { place in
                UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyMemory(
                    from: bytes)
            }
        }
        if leaves.last?.table != table { leaves.append(PackedLeaves(table: table)) }
        leaves[leaves.count - 1].leaves.append((first, leaf))
        beginLeaf()
    }

    /// Gives all leaves away.
    package mutating func take() -> ContiguousArray<PackedLeaves> {
        guard !leaves.isEmpty else { return [] }
        var taken: ContiguousArray<PackedLeaves> = []
        swap(&taken, &leaves)
        return taken
    }
}

/// The packed leaves of one table, by the slots of their first rows.
package struct PackedLeaves {
    let table: Int
    var leaves: ContiguousArray<(first: Int, leaf: AnyObject)> = []

    init(table: Int) { self.table = table }

    /// Drops leaves whose rows have changed since they were shared with `insertions`.
    package mutating func dropOutdated(in context: borrowing Context, since insertions: Insertions)
    {
        context.tables.tables.unfilled[table].dropOutdated(
            &self, since: insertions.tables.tables.unfilled[table])
    }

    /// Puts the leaves in the place of those that hold the same rows as values.
    package func place(in context: inout Context) {
        var leaves = self
        context.changeTable(at: leaves.table) { $0.replace(&leaves) }
        // What was replaced goes here, behind the lock that readers of the table wait for.
    }
}
