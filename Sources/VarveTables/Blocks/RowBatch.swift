package import VarveEvents

/// Rows that are scanned together: those of a block of an image, or of some leaves in memory. Valid during the call
/// that gave them.
///
/// They are live rows and tombstones. A block is read by its columns and not kept; see ``RowBlock``.
package final class RowBatch {
    private struct Place: BitwiseCopyable {
        let slot: UInt32
        /// In the block, or counted through the leaves.
        let cell: UInt32
    }

    // Belongs to one thread, and is asked for each row.

    /// The bytes of each row, in the layout that was asked for. Those of a row that has a page of its own, or is still to be
    /// converted, have no address; see ``bytes(of:)``.
    @exclusivity(unchecked)
    package private(set) var rows = UnsafeBufferPointer<UnsafeRawBufferPointer>(
        start: nil, count: 0)
    /// How many of them are tombstones.
    @exclusivity(unchecked) package private(set) var deletedCount = 0

    private let state: State
    private let tree: RowTree
    /// Nil in a store that began empty.
    private let loader: ImageLoader?
    @exclusivity(unchecked) private var converter: RowReader
    private let block = RowBlock()
    /// Nil where the rows are those of ``block``.
    @exclusivity(unchecked) private var leaves: [RowLeaf]?
    @exclusivity(unchecked) private var places = ReusedMemory<Place>()
    @exclusivity(unchecked) private var spans = ReusedMemory<UnsafeRawBufferPointer>()
    /// Rows that were written under another definition, in the layout that was asked for.
    @exclusivity(unchecked) private var converted = ByteWriter(capacity: 0)

    private static let leavesMax = 64
    /// How many bytes of rows are converted together: what a definition adds to each row may be long.
    private static let convertedBytesMax = 1 << 20
    /// The block that was refused last, whose leaves are read as pages.
    @exclusivity(unchecked) private var refused: PageRun?

    init(_ state: State, _ tree: RowTree, _ converter: consuming RowReader) {
        self.state = state
        self.tree = tree
        loader = state.pages.cold?.loader as? ImageLoader
        self.converter = converter
    }

    package var count: Int { rows.count }

    // MARK: Reading

    /// Takes in the rows of the first of some leaves. Returns of how many.
    func read(_ leaves: ArraySlice<StoredLeaf>) throws(CodecError) -> Int {
        deletedCount = 0
        converted.removeAll()
        let (leafCount, rowCount) = readBlock(leaves) ?? readLeaves(leaves)
        rows = UnsafeBufferPointer(start: spans.pointer(rowCount), count: rowCount)
        try convertRows()
        return leafCount
    }

    private func readBlock(
        _ leaves: ArraySlice<StoredLeaf>
    ) -> (leafCount: Int, rowCount: Int)? {
        guard let first = leaves.first?.page, state.pages.chunk(first.chunk) == nil,
            let entry = loader?.readRows(at: first, into: block, refused: &refused)
        else { return nil }
        self.leaves = nil
        let own = leaves.prefix { entry.run.holds($0.page) }
        if own.isEmpty { return nil }
        let capacity = own.count * tree.slotsPerLeaf
        let (places, spans) = (places.pointer(capacity), spans.pointer(capacity))
        var (count, deleted) = (0, 0)
        guard let rows = block.rows.baseAddress else { return (own.count, 0) }
        let pages = block.allPages(of: entry)
        let (live, tombstone) = (EntityPresence.live.rawValue, EntityPresence.tombstone.rawValue)
        for leaf in own {
            let frame = entry.run.frame(of: leaf.page)
            guard frame < entry.storedFrames, pages.ofFrames[frame] > 0 else { continue }
            let page = Int(pages.ofFrames[frame]) &- 1
            let first = page &* tree.slotsPerLeaf
            let slot = leaf.position &* UInt32(truncatingIfNeeded: tree.slotsPerLeaf)
            let used = min(Int(pages.slotCounts[page]), tree.slotCount(ofLeaf: leaf.position))
            for index in 0..<used {
                let cell = pages.cells[first &+ index]
                guard cell.presence == live || cell.presence == tombstone else { continue }
                spans[count] = UnsafeRawBufferPointer(
                    start: cell.isLarge ? nil : rows + Int(cell.row),
                    count: cell.isLarge ? 0 : Int(cell.rowCount))
                places[count] = Place(
                    slot: slot &+ UInt32(truncatingIfNeeded: index),
                    cell: UInt32(truncatingIfNeeded: first &+ index))
                deleted &+= cell.presence == tombstone ? 1 : 0
                count &+= 1
            }
        }
        deletedCount = deleted
        return (own.count, count)
    }

    private func readLeaves(_ leaves: ArraySlice<StoredLeaf>) -> (leafCount: Int, rowCount: Int) {
        let capacity = Self.leavesMax * tree.slotsPerLeaf
        let (places, spans) = (places.pointer(capacity), spans.pointer(capacity))
        var (found, count): ([RowLeaf], Int) = ([], 0)
        for stored in leaves.prefix(Self.leavesMax) {
            guard found.isEmpty || !state.pages.isUnread(stored.page) else { break }
            let leaf = RowLeaf(page: state.pages[stored.page], geometry: tree.geometry)
            for index in 0..<tree.slotCount(ofLeaf: stored.position) {
                let entry = StoredRow(
                    Slot(stored.position &* UInt32(tree.slotsPerLeaf) &+ UInt32(index)), leaf,
                    state.pages)
                guard entry.presence.hasRow else { continue }
                spans[count] =
                    leaf.largePage(index) == nil
                    ? entry.row : UnsafeRawBufferPointer(start: nil, count: 0)
                places[count] = Place(
                    slot: entry.slot.rawValue,
                    cell: UInt32(found.count * tree.slotsPerLeaf + index))
                if entry.presence == .tombstone { deletedCount += 1 }
                count += 1
            }
            found.append(leaf)
        }
        self.leaves = found
        return (found.count, count)
    }

    // MARK: Layouts

    private func convertRows() throws(CodecError) {
        if leaves == nil, block.hasFirstRevisionOnly, try converter.isIdentity(0) { return }
        var ranges: [(index: Int, Range<Int>)] = []
        var unconverted: [Int] = []
        for index in rows.indices where rows[index].baseAddress != nil {
            let revision = revision(of: index)
            if try converter.isIdentity(revision) { continue }
            let start = converted.count
            guard start < Self.convertedBytesMax else {
                unconverted.append(index)
                continue
            }
            try converter.convert(rows[index], from: revision, into: &converted)
            ranges.append((index, start..<converted.count))
        }
        if ranges.isEmpty { return }
        // Behind the last of them, because the memory moves while it grows.
        let spans = spans.pointer(rows.count)
        converted.withBytes { bytes in
            for (index, range) in ranges {
                spans[index] = UnsafeRawBufferPointer(
                    start: bytes.baseAddress.map { $0 + range.lowerBound }, count: range.count)
            }
        }
        for index in unconverted {
            spans[index] = UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    private func revision(of index: Int) -> UInt32 {
        entry(index)?.revision ?? block.revision(cell(index))
    }

    // MARK: Rows

    private func cell(_ index: Int) -> Int { Int(places.pointer(rows.count)[index].cell) }

    /// Nil in a block, which has no pages.
    private func entry(_ index: Int) -> StoredRow? {
        guard let leaves else { return nil }
        let place = places.pointer(rows.count)[index]
        return StoredRow(
            Slot(place.slot), leaves[Int(place.cell) / tree.slotsPerLeaf], state.pages)
    }

    package func isDeleted(_ index: Int) -> Bool {
        if deletedCount == 0 { return false }
        if let entry = entry(index) { return entry.presence == .tombstone }
        return block.cell(cell(index)).presence == EntityPresence.tombstone.rawValue
    }

    package func ordinal(_ index: Int) -> Ordinal {
        Ordinal(entry(index)?.stamps.ordinal ?? block.ordinal(cell(index)))
    }

    /// The bytes of a row, in the layout that was asked for: also of one without an address. A page of its own is read then,
    /// and stays in memory. Valid until those of another row are asked for.
    package func bytes(of index: Int) throws(CodecError) -> UnsafeRawBufferPointer {
        let row = rows[index]
        guard row.baseAddress == nil else { return row }
        let stored = largeContent(index)?.row ?? storedRow(index)
        let revision = revision(of: index)
        if try converter.isIdentity(revision) { return stored }
        return try converter.convert(stored, from: revision) { $0 }
    }

    /// The bytes of a row without a page of its own, as they were written.
    private func storedRow(_ index: Int) -> UnsafeRawBufferPointer {
        if let entry = entry(index) { return entry.row }
        let cell = block.cell(cell(index))
        return UnsafeRawBufferPointer(
            start: block.rows.baseAddress.map { $0 + Int(cell.row) }, count: Int(cell.rowCount))
    }

    private func largeContent(_ index: Int) -> LargeContent? {
        let number =
            if let entry = entry(index) { entry.leaf.largePage(entry.index) } else {
                block.largePage(of: cell(index))
            }
        return number.map { LargeContent(state.pages[$0]) }
    }

    /// A row with all that is known of its entity.
    package func entity(_ index: Int) throws(CodecError) -> StateEntity {
        let row = try bytes(of: index)
        if let entry = entry(index) { return StateEntity(entry, row: row, rowStays: false) }
        let place = places.pointer(rows.count)[index]
        let cell = block.cell(Int(place.cell))
        return StateEntity(
            Slot(place.slot), id: block.id(cell) ?? largeContent(index)?.id ?? row, row: row,
            rowStays: false, isDeleted(index) ? .tombstone : .live, block.stamps(Int(place.cell)))
    }
}

extension PageRun {
    func holds(_ number: PageNumber) -> Bool {
        number.chunk == first.chunk && number.offset >= first.offset
            && number.offset < first.offset + byteCount
    }

    /// The position of a number's frame. A number that begins between frames was refused where it was read.
    fileprivate func frame(of number: PageNumber) -> Int {
        (number.offset &- first.offset) / frameBytes
    }
}

extension StateReader {
    /// Calls `body` with all entities and tombstones in some leaves, until it returns false. What is not in memory is not
    /// kept there.
    ///
    /// - Parameter leaves: a part of what ``State/leavesAsStored(of:)`` or ``State/leavesAsStored(of:holding:)`` returns.
    package func forEachBatch(
        in leaves: ArraySlice<StoredLeaf>, while body: (RowBatch) throws(CodecError) -> Bool
    ) throws(CodecError) {
        let batch = RowBatch(state, rows, makeConverter())
        var rest = leaves
        while !rest.isEmpty {
            rest = rest.dropFirst(try batch.read(rest))
            guard try body(batch) else { return }
        }
    }
}

extension State {
    /// The leaves of a type's rows in the order in which they are stored. To read them so is to read each block of an
    /// image once. O(n).
    package func leavesAsStored(of type: TypeNumber) -> [StoredLeaf] {
        guard let rows = table(type)?.rows else { return [] }
        return health == nil ? rows.storedLeaves(in: pages) : rows.leavesAsStored(in: pages)
    }

    /// The leaves that hold some slots of a type, each once, in the order in which they are stored. O(n log n).
    package func leavesAsStored(of type: TypeNumber, holding slots: [Slot]) -> [StoredLeaf] {
        table(type)?.rows.leavesAsStored(holding: slots, in: pages) ?? []
    }
}
