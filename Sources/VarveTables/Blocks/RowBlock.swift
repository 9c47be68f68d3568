import VarveEvents

/// A block of leaves of rows, read by its columns. A scan of rows needs no pages: rows lie one behind the
/// other in the content of the block, and of the rest most queries need the ends alone.
///
/// What pages are checked for is checked of the columns; see ``ImageLoader``. Its memory is used again for the next block.
final class RowBlock {
    /// Where the content of a slot lies, and what the leaf says of it.
    struct Cell: BitwiseCopyable {
        /// From the beginning of the rows.
        var row: UInt32 = 0
        /// From the beginning of the ids.
        var id: UInt32 = 0
        var rowCount: UInt16 = 0
        var idCount: UInt16 = 0
        /// As a leaf has them.
        var flags: UInt8 = 0

        var isLarge: Bool { flags & RowLeaf.largeFlag != 0 }
        var presence: UInt8 { flags & ~RowLeaf.largeFlag }
    }

    /// From where on what follows lies.
    private struct Place: BitwiseCopyable {
        var id = 0
        var row = 0
    }

    private static let geometry = RowLeaf.Geometry.standard
    private static let slotCount = geometry.slotCount

    // Belongs to one thread, and is asked for each row.
    @exclusivity(unchecked) private var pageCount = 0
    /// The rows of all slots, one behind the other, or the contents with ids between them.
    @exclusivity(unchecked) private(set) var rows = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Nil where ids lie between the rows.
    @exclusivity(unchecked) private var contents: RowContentColumns?
    @exclusivity(unchecked) private var hasIDs = false
    /// How long ids and rows are; all is ids where these lie between the rows.
    private var byteCounts = Place()
    private var hasLargeRows = false
    @exclusivity(unchecked) private var revisions = LateColumn(.differences(bytes: 4))
    @exclusivity(unchecked) private var times = LateColumn(.differences(bytes: 8))
    @exclusivity(unchecked) private var orders = LateColumn(.plain)

    @exclusivity(unchecked) private var stored = ReusedMemory<UInt8>()
    @exclusivity(unchecked) private var content = ReusedMemory<UInt8>()
    /// Of a frame, the position of its page among those of the block, plus one.
    @exclusivity(unchecked) private var pages = ReusedMemory<UInt32>()
    @exclusivity(unchecked) private var slotCounts = ReusedMemory<UInt64>()
    @exclusivity(unchecked) private var cells = ReusedMemory<Cell>()
    @exclusivity(unchecked) private var ordinals = ReusedMemory<UInt64>()
    @exclusivity(unchecked) private var transactions = ReusedMemory<UInt64>()
    @exclusivity(unchecked) private var numbers = ReusedMemory<UInt64>()
    @exclusivity(unchecked) private var ids = ReusedMemory<UInt8>()

    // MARK: Reading

    /// Takes the place of the block before. False where anything is not as it must be: to load the block finds that too.
    ///
    /// - Parameter admits: whether a row may be in the page with a number.
    func read(
        _ entry: BlockEntry, from source: any BlockSource, version: PageVersion,
        through last: TransactionID, _ admits: (PageNumber) -> Bool
    ) -> Bool {
        // No longer run of leaves is written. This memory is each thread's own: pages have their place in the chunk.
        guard entry.rawCount <= BlockDirectory.runBytesMax,
            let bytes = expanded(entry, from: source)
        else { return false }
        var reader = ColumnReader(bytes)
        guard readPages(&reader, of: entry, through: version), readCells(&reader, of: entry),
            readStamps(&reader, through: last), readContents(&reader, of: entry), reader.isAtEnd
        else { return false }
        return hasSoundReferences(admits)
    }

    private func expanded(
        _ entry: BlockEntry, from source: any BlockSource
    ) -> UnsafeRawBufferPointer? {
        let buffer = UnsafeMutableRawBufferPointer(
            start: stored.pointer(entry.storedCount), count: entry.storedCount)
        let room = UnsafeMutableRawBufferPointer(
            start: content.pointer(entry.contentCountMax), count: entry.contentCountMax)
        do throws(PageDamage) {
            try entry.fill(buffer, from: source)
            return try entry.expanded(UnsafeRawBufferPointer(buffer), in: room)
        } catch {
            return nil
        }
    }

    private func readPages(
        _ reader: inout ColumnReader, of entry: BlockEntry, through version: PageVersion
    ) -> Bool {
        let frameCount = entry.storedFrames
        guard let column = reader.column(frameCount, bytesMax: 8) else { return false }
        let (births, pages) = (numbers.pointer(frameCount), pages.pointer(frameCount))
        column.read(into: births)
        var last: UInt64 = 0
        pageCount = 0
        for frame in 0..<frameCount {
            pages[frame] = 0
            if births[frame] == 0 { continue }
            last &+= ValueDifference.decode(births[frame] &- 1)
            guard last != 0, PageVersion(last) <= version else { return false }
            pageCount += 1
            pages[frame] = UInt32(truncatingIfNeeded: pageCount)
        }
        return pageCount == entry.liveFrames
    }

    /// Where contents begin and end, in the order in which ``PageColumns`` has the fields of a leaf of rows.
    private func readCells(_ reader: inout ColumnReader, of entry: BlockEntry) -> Bool {
        let count = pageCount * Self.slotCount
        guard let counts = reader.column(pageCount, bytesMax: 4),
            let ends = reader.column(count, bytesMax: 2),
            let idCounts = reader.column(count, bytesMax: 2),
            let flags = reader.column(count, bytesMax: 1)
        else { return false }
        let (slotCounts, cells) = (slotCounts.pointer(pageCount), cells.pointer(count))
        let numbers = numbers.pointer(3 * count)
        counts.readDifferences(into: slotCounts, bytes: 4)
        ends.read(into: numbers)
        idCounts.read(into: numbers + count)
        flags.read(into: numbers + 2 * count)
        var (next, seen) = (Place(), UInt8(0))
        for page in 0..<pageCount {
            let first = page &* Self.slotCount
            guard slotCounts[page] <= UInt64(Self.slotCount),
                let byteCount = Self.place(
                    cells + first, Int(slotCounts[page]), from: &next,
                    idsApart: entry.coding.hasIDsApart, numbers + first, ofAll: count, &seen),
                Self.geometry.body &+ byteCount <= entry.run.frameBytes
            else { return false }
        }
        byteCounts = next
        hasLargeRows = seen & RowLeaf.largeFlag != 0
        return true
    }

    /// Sets the cells of a page. Returns how long its contents are; nil where the page contradicts itself, as
    /// ``RowLeaf/isSound(_:)`` finds.
    ///
    /// - Parameters:
    ///   - next: where the contents begin, and then where they end.
    ///   - numbers: the ends, then `count` behind each the counts of ids and the flags.
    ///   - seen: takes in all flags.
    @inline(__always)
    private static func place(
        _ cells: UnsafeMutablePointer<Cell>, _ used: Int, from next: inout Place, idsApart: Bool,
        _ numbers: UnsafeMutablePointer<UInt64>, ofAll count: Int, _ seen: inout UInt8
    ) -> Int? {
        let gone = EntityPresence.gone.rawValue
        var last: UInt16 = 0
        var isSound = true
        for slot in 0..<used {
            let difference = ValueDifference.decode(numbers[slot])
            let end = last &+ UInt16(truncatingIfNeeded: difference)
            let byteCount = end &- last
            let idCount = UInt16(truncatingIfNeeded: numbers[slot &+ count])
            let flags = UInt8(truncatingIfNeeded: numbers[slot &+ 2 &* count])
            isSound =
                isSound && end >= last && idCount <= byteCount
                && flags & ~RowLeaf.largeFlag <= gone
            if flags & RowLeaf.largeFlag != 0 {
                isSound =
                    isSound && idCount == 0
                    && Int(byteCount) == MemoryLayout<PageNumber>.size
            }
            let row = idsApart ? next.row : next.id &+ Int(idCount)
            cells[slot] = Cell(
                row: UInt32(truncatingIfNeeded: row), id: UInt32(truncatingIfNeeded: next.id),
                rowCount: byteCount &- idCount, idCount: idCount, flags: flags)
            next.id &+= Int(idsApart ? idCount : byteCount)
            next.row &+= Int(byteCount &- idCount)
            last = end
            seen |= flags
        }
        for slot in used..<slotCount { cells[slot] = Cell() }
        return isSound ? Int(last) : nil
    }

    /// The fields behind those of the cells.
    private func readStamps(_ reader: inout ColumnReader, through last: TransactionID) -> Bool {
        let count = pageCount * Self.slotCount
        guard let ordinals = reader.column(count, bytesMax: 8),
            let transactions = reader.column(count, bytesMax: 8),
            let times = reader.column(count, bytesMax: 8),
            let revisions = reader.column(count, bytesMax: 4),
            let orders = reader.column(count, bytesMax: 4)
        else { return false }
        ordinals.readDifferences(into: self.ordinals.pointer(count), bytes: 8)
        transactions.readDifferences(into: self.transactions.pointer(count), bytes: 8)
        self.times.begin(times)
        self.revisions.begin(revisions)
        self.orders.begin(orders)
        return hasSoundStamps(through: last)
    }

    /// The contents, which come last.
    private func readContents(_ reader: inout ColumnReader, of entry: BlockEntry) -> Bool {
        contents = nil
        guard entry.coding.hasIDsApart else {
            // Contents of zeros alone are not stored: they are left to pages.
            guard let bytes = reader.readBytes(byteCounts.id), bytes.count == byteCounts.id else {
                return false
            }
            rows = bytes
            return true
        }
        let cells = allCells
        contents = RowContentColumns(
            &reader, slotCount: pageCount * Self.slotCount, rowBytes: byteCounts.row
        ) { Int(cells[$0].idCount) }
        guard let contents else { return false }
        rows = contents.rows
        hasIDs = false
        return true
    }

    /// As ``RowLeaf/hasSoundStamps(_:through:)`` finds of a page.
    private func hasSoundStamps(through last: TransactionID) -> Bool {
        let count = pageCount * Self.slotCount
        let (ordinals, transactions) = (ordinals.pointer(count), transactions.pointer(count))
        let (cells, slotCounts) = (cells.pointer(count), slotCounts.pointer(pageCount))
        let (live, tombstone) = (EntityPresence.live.rawValue, EntityPresence.tombstone.rawValue)
        var isSound = true
        for page in 0..<pageCount {
            let first = page &* Self.slotCount
            for index in first..<first &+ Int(slotCounts[page]) {
                let isOrdered = ordinals[index] &- 1 < Ordinal.limit &- 1
                let presence = cells[index].presence
                isSound =
                    isSound && transactions[index] <= last.rawValue
                    && (isOrdered || (presence != live && presence != tombstone))
            }
        }
        return isSound
    }

    /// Whether each large row names a page of its own, which may be such a page.
    private func hasSoundReferences(_ admits: (PageNumber) -> Bool) -> Bool {
        guard hasLargeRows else { return true }
        var named: Set<PageNumber> = []
        let cells = cells.pointer(pageCount * Self.slotCount)
        for page in 0..<pageCount {
            for index in 0..<Int(slotCounts.pointer(pageCount)[page]) {
                let cell = cells[page * Self.slotCount + index]
                guard cell.isLarge else { continue }
                let number = largePage(cell)
                guard admits(number), named.insert(number).inserted else { return false }
            }
        }
        return true
    }

    // MARK: Cells

    /// The pages of the block that was read last. Valid until the next is read.
    struct Pages {
        /// Of each stored frame, the position of its page, plus one; 0 where it holds none.
        let ofFrames: UnsafePointer<UInt32>
        let slotCounts: UnsafePointer<UInt64>
        let cells: UnsafePointer<Cell>
    }

    func allPages(of entry: BlockEntry) -> Pages {
        Pages(
            ofFrames: UnsafePointer(pages.pointer(entry.storedFrames)),
            slotCounts: UnsafePointer(slotCounts.pointer(pageCount)), cells: allCells)
    }

    private var allCells: UnsafePointer<Cell> {
        UnsafePointer(cells.pointer(pageCount * Self.slotCount))
    }

    func cell(_ index: Int) -> Cell { allCells[index] }

    /// The page of a row that has one of its own.
    func largePage(of index: Int) -> PageNumber? {
        let cell = allCells[index]
        return cell.isLarge ? largePage(cell) : nil
    }

    private func largePage(_ cell: Cell) -> PageNumber {
        rows.loadUnaligned(fromByteOffset: Int(cell.row), as: PageNumber.self)
    }

    /// Nil of a row that has a page of its own.
    func id(_ cell: Cell) -> UnsafeRawBufferPointer? {
        guard !cell.isLarge else { return nil }
        let start = contents.map { UnsafeRawPointer(madeIDs(of: $0)) } ?? rows.baseAddress
        return UnsafeRawBufferPointer(
            start: start.map { $0 + Int(cell.id) }, count: Int(cell.idCount))
    }

    /// All ids, which are made when one of them is asked for.
    private func madeIDs(of contents: RowContentColumns) -> UnsafeMutablePointer<UInt8> {
        let ids = ids.pointer(byteCounts.id)
        if hasIDs { return ids }
        let cells = allCells
        contents.makeIDs(slotCount: pageCount * Self.slotCount) {
            (UnsafeMutableRawPointer(ids + Int(cells[$0].id)), Int(cells[$0].idCount))
        }
        hasIDs = true
        return ids
    }

    /// Whether all rows were written under the first definition of their type.
    var hasFirstRevisionOnly: Bool { revisions.isZero }

    func revision(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: revisions[index]) }

    func ordinal(_ index: Int) -> UInt64 { ordinals.pointer(pageCount * Self.slotCount)[index] }

    func stamps(_ index: Int) -> EntityStamps {
        EntityStamps(
            ordinal: ordinal(index),
            transaction: transactions.pointer(pageCount * Self.slotCount)[index],
            updatedAt: Int64(bitPattern: times[index]),
            saveOrder: UInt32(truncatingIfNeeded: orders[index]))
    }
}

/// A column that is read when one of its values is asked for.
private struct LateColumn: ~Copyable {
    enum Form {
        case plain
        case differences(bytes: Int)
    }

    private let form: Form
    private var column = StoredColumn(
        bytes: UnsafeRawBufferPointer(start: nil, count: 0), width: 0, count: 0)
    private var isRead = false
    private var values = ReusedMemory<UInt64>()

    init(_ form: Form) { self.form = form }

    var isZero: Bool { column.isZero }

    mutating func begin(_ column: StoredColumn) {
        self.column = column
        isRead = false
    }

    subscript(index: Int) -> UInt64 {
        mutating get {
            let values = values.pointer(column.count)
            if !isRead {
                switch form {
                case .plain: column.read(into: values)
                case .differences(let bytes): column.readDifferences(into: values, bytes: bytes)
                }
                isRead = true
            }
            return values[index]
        }
    }
}
