/// What a page of entities gave to its table.
struct LoadedRows {
    var live = 0
    var tombstones = 0
    var ordinalMax: UInt64 = 0
    /// What the records point into.
    let page: RowPage
    let ids: PageBytes
}

/// A page with rows of entities.
package struct RowPage: Sendable {
    let bytes: PageBytes
    /// Those of its entities.
    package let slots: Range<Int>
}

extension ReplayTable {
    /// Fills the records of a page's entities, which no other page has. Ids are copied, each with
    /// its length in front; rows stay in the page.
    func loadRows(
        _ page: PageBytes, first: Int, count: Int, lastTransaction: TransactionID
    ) throws(CodecError) -> LoadedRows {
        var reader = try RowPageReader(
            page.bytes, count: count, layout: layout, lastTransaction: lastTransaction)
        let ids = PageBytes(
            .allocate(byteCount: reader.idBytesMax + 4 * count, alignment: 16))
        var loaded = LoadedRows(
            page: RowPage(bytes: page, slots: first..<first + count), ids: ids)
        var cursor = 0
        try reader.forEach { index, entry throws(CodecError) in
            let (id, length) = StoredID.place(entry.id, in: ids.memory, at: cursor)
            cursor += length
            var record = Record(id: id)
            record.transaction = entry.stamps.transaction
            record.updatedAt = entry.stamps.updatedAt
            record.saveOrder = entry.stamps.saveOrder
            if entry.presence.hasRow {
                guard let rowCount = UInt32(exactly: entry.row.count) else {
                    throw .valueOutOfRange(offset: index, typeName: "length of a row")
                }
                record.row = UnsafeMutableRawPointer(mutating: entry.row.baseAddress)
                record.rowCount = rowCount
                record.rowCapacity = rowCount
                record.ordinal = entry.stamps.ordinal
                record.liveness = entry.presence == .live ? .live : .tombstone
                loaded.ordinalMax = max(loaded.ordinalMax, entry.stamps.ordinal)
            }
            if entry.presence == .live { loaded.live += 1 }
            if entry.presence == .tombstone { loaded.tombstones += 1 }
            records.initialize(first + index, to: record)
        }
        return loaded
    }
}
