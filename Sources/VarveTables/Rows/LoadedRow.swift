import VarveEvents

/// An entry that a checkpoint holds, before it has a place in a table.
package struct LoadedRow {
    let id: UnsafeRawBufferPointer
    /// Of the id.
    let hash: UInt64
    let row: UnsafeRawBufferPointer
    let metadata: RowMetadata

    init(
        id: UnsafeRawBufferPointer, hash: UInt64, row: UnsafeRawBufferPointer,
        _ metadata: RowMetadata
    ) {
        self.id = id
        self.hash = hash
        self.row = row
        self.metadata = metadata
    }
}

extension RowTree {
    /// Gives the next slots to entries. Each leaf is made once, as large as its entries are.
    mutating func append(
        _ rows: UnsafeBufferPointer<LoadedRow>, in transaction: PageTransaction
    ) {
        var next = 0
        while next < rows.count {
            guard count & (geometry.slotCount - 1) == 0 else {
                let row = rows[next]
                _ = append(id: row.id, row: row.row, row.metadata, in: transaction)
                next += 1
                continue
            }
            let end = min(next + geometry.slotCount, rows.count)
            appendLeaf(UnsafeBufferPointer(rebasing: rows[next..<end]), in: transaction)
            next = end
        }
    }

    private mutating func appendLeaf(
        _ rows: UnsafeBufferPointer<LoadedRow>, in transaction: PageTransaction
    ) {
        precondition(count + rows.count <= Slot.limit, "The caller checks that slots are left")
        var byteCount = geometry.body
        for row in rows { byteCount += geometry.inlineCount(row.id.count + row.row.count) }
        let entry = leaves.mutableEntry(at: count >> geometry.slotBits, in: transaction)
        let page: Page
        (entry.pointee, page) = transaction.allocate(PageKind(.rowLeaf), byteCount)
        let leaf = RowLeaf(page: page, geometry: geometry)
        page.clear(Page.headerBytes..<geometry.body)
        for (index, row) in rows.enumerated() {
            let content = row.id.count + row.row.count
            let isLarge = geometry.isLarge(content)
            leaf.append(
                at: index, id: row.id, row: row.row, row.metadata,
                large: isLarge
                    ? LargeContent.make(id: row.id, row: row.row, in: transaction) : nil)
        }
        count += rows.count
    }
}
