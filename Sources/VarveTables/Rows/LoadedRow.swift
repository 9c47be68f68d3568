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
        for row in rows {
            let content = row.id.count + row.row.count
            leaf.append(
                row,
                large: geometry.isLarge(content)
                    ? LargeContent.make(id: row.id, row: row.row, in: transaction) : nil)
        }
        count += rows.count
    }
}

extension RowLeaf {
    /// Puts the next slot into use, in a page that has room for its entry.
    fileprivate func append(_ entry: LoadedRow, large: PageNumber?) {
        let index = page.count
        let start = geometry.body &+ bodyCount
        appendSlot()
        if let large {
            resize(index, to: MemoryLayout<PageNumber>.size)
            page.store(large, at: start)
        } else {
            resize(index, to: entry.id.count &+ entry.row.count)
            page.write(entry.id, at: start)
            page.write(entry.row, at: start &+ entry.id.count)
            setIDCount(index, entry.id.count)
        }
        setMetadata(
            index, entry.metadata,
            flags: entry.metadata.presence.rawValue | (large == nil ? 0 : Self.largeFlag))
    }
}
