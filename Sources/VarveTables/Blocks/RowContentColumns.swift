/// The contents of a block's leaves of rows as three columns. Neighbouring ids often begin alike, and are stored without
/// that.
///
///     shared   of each slot, UInt8: how many of the id's bytes are those of the id before it in the block
///     ids      the other bytes of each id
///     rows     the row of each slot; of large content, the number of its page
///
/// The fields of the leaves, which say how long all that is, come before.
struct RowContentColumns {
    private static let geometry = RowLeaf.Geometry.standard
    private static let slotCount = geometry.slotCount
    private static let sharedMax = 255

    /// None where all are zero.
    private let shared: UnsafeRawBufferPointer
    private let ids: UnsafeRawBufferPointer
    let rows: UnsafeRawBufferPointer

    // MARK: Reading

    /// Reads the columns. Nil where they are not of such rows.
    ///
    /// - Parameters:
    ///   - idCount: returns the bytes of the id of a slot, 0 for one that is not in use.
    ///   - rowBytes: of all rows.
    @inline(__always)
    init?(
        _ reader: inout ColumnReader, slotCount: Int, rowBytes: Int, idCount: (Int) -> Int
    ) {
        guard let shared = reader.readBytes(slotCount) else { return nil }
        var (last, idBytes) = (0, 0)
        for slot in 0..<slotCount {
            let count = idCount(slot)
            let sharedCount = shared.isEmpty ? 0 : Int(shared[slot])
            guard sharedCount <= min(count, last) else { return nil }
            if count > 0 { last = count }
            idBytes &+= count &- sharedCount
        }
        guard let ids = reader.readBytes(idBytes), ids.count == idBytes,
            let rows = reader.readBytes(rowBytes), rows.count == rowBytes
        else { return nil }
        self.shared = shared
        self.ids = ids
        self.rows = rows
    }

    /// Makes the ids in their order.
    ///
    /// - Parameter place: returns where the id of a slot goes, and its bytes. Ids that were made stay where they are meanwhile.
    @inline(__always)
    func makeIDs(slotCount: Int, _ place: (Int) -> (start: UnsafeMutableRawPointer, count: Int)) {
        guard var others = ids.baseAddress else { return }
        var last = UnsafeRawPointer(others)
        for slot in 0..<slotCount {
            let (start, count) = place(slot)
            if count == 0 { continue }
            let sharedCount = shared.isEmpty ? 0 : Int(shared[slot])
            start.copyMemory(from: last, byteCount: sharedCount)
            (start + sharedCount).copyMemory(from: others, byteCount: count &- sharedCount)
            others += count &- sharedCount
            last = UnsafeRawPointer(start)
        }
    }

    // MARK: Pages

    /// The content of a slot in its page.
    private struct Cell: BitwiseCopyable {
        var start: UnsafeMutableRawPointer
        var idCount = 0
        var rowCount = 0

        var row: UnsafeMutableRawPointer { start + idCount }
    }

    /// Calls `body` with the cells of all slots of pages, or with nil where the fields of one contradict each other.
    private static func withCells<Result>(
        of pages: [Page], _ body: (UnsafeMutableBufferPointer<Cell>?) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: Cell.self, capacity: pages.count * slotCount) { cells in
            for (index, page) in pages.enumerated() {
                guard place(cells, from: index * slotCount, of: page) else { return body(nil) }
            }
            return body(cells)
        }
    }

    private static func place(
        _ cells: UnsafeMutableBufferPointer<Cell>, from first: Int, of page: Page
    ) -> Bool {
        guard page.count <= slotCount else { return false }
        let leaf = RowLeaf(page: page, geometry: geometry)
        let body = page.address + geometry.body
        var start = 0
        for slot in 0..<slotCount {
            var cell = Cell(start: body + start)
            if slot < page.count {
                let (end, idCount) = (leaf.end(slot), leaf.idCount(slot))
                guard end >= start, idCount <= end - start else { return false }
                (cell.idCount, cell.rowCount) = (idCount, end - start - idCount)
                start = end
            }
            cells.initializeElement(at: first + slot, to: cell)
        }
        return geometry.body + start <= page.byteCount
    }

    /// Makes the contents of pages whose fields were read. False where the columns are not of them.
    static func decode(_ reader: inout ColumnReader, into pages: [Page]) -> Bool {
        withCells(of: pages) { cells in
            guard let cells else { return false }
            let rowBytes = cells.reduce(0) { $0 &+ $1.rowCount }
            let columns = RowContentColumns(
                &reader, slotCount: cells.count, rowBytes: rowBytes
            ) { cells[$0].idCount }
            guard let columns else { return false }
            columns.makeIDs(slotCount: cells.count) { (cells[$0].start, cells[$0].idCount) }
            guard var next = columns.rows.baseAddress else { return true }
            for cell in cells {
                cell.row.copyMemory(from: next, byteCount: cell.rowCount)
                next += cell.rowCount
            }
            return true
        }
    }

    /// Writes the contents of pages. False where one contradicts itself; nothing is written then.
    static func encode(_ pages: [Page], with writer: inout ColumnWriter) -> Bool {
        withCells(of: pages) { cells in
            guard let cells else { return false }
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: cells.count) { shared in
                let idBytes = share(cells, into: shared)
                writer.addBytes(UnsafeRawBufferPointer(shared))
                writer.beginBytes(idBytes)
                for (cell, shared) in zip(cells, shared) {
                    writer.append(
                        UnsafeRawBufferPointer(
                            start: cell.start + Int(shared), count: cell.idCount - Int(shared)))
                }
                writer.beginBytes(cells.reduce(0) { $0 + $1.rowCount })
                for cell in cells {
                    writer.append(UnsafeRawBufferPointer(start: cell.row, count: cell.rowCount))
                }
            }
            return true
        }
    }

    /// Finds how much each id shares with the one before. Returns how many other bytes there are.
    private static func share(
        _ cells: UnsafeMutableBufferPointer<Cell>, into shared: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var last = UnsafeRawBufferPointer(start: nil, count: 0)
        var others = 0
        for (index, cell) in cells.enumerated() {
            let id = UnsafeRawBufferPointer(start: cell.start, count: cell.idCount)
            let most = min(id.count, last.count, sharedMax)
            var count = 0
            while count < most, id[count] == last[count] { count &+= 1 }
            shared.initializeElement(at: index, to: UInt8(truncatingIfNeeded: count))
            others += id.count - count
            if !id.isEmpty { last = id }
        }
        return others
    }
}
