/// All entities of one type: ids, rows and their metadata by slot.
@usableFromInline
final class Table<Entity: EntityModelProtocol>: AnyTable {
    /// A slot's columns side by side, so that a save copies one path of one tree.
    @frozen
    @usableFromInline
    struct Cell: PagedElement {
        // First, so that a row stands at its cell's address.
        @usableFromInline var row: Entity?
        @usableFromInline var metadata: RowMetadata

        @inlinable
        init(row: Entity?, metadata: RowMetadata) {
            self.row = row
            self.metadata = metadata
        }

        @inlinable
        static var absent: Cell {
            Cell(
                row: nil,
                metadata: RowMetadata(
                    ordinal: RowMetadata.noOrdinal, updatedAt: 0, transaction: 0))
        }
    }

    @exclusivity(unchecked) @usableFromInline var cells: PagedArray<Cell>
    /// Ids of slots without a row: of entities that were only referred to, or are deleted.
    @exclusivity(unchecked) @usableFromInline var vacantIDs: PagedArray<Entity.ID?>
    /// The rows that the journal's before-images name.
    @exclusivity(unchecked) @usableFromInline var beforeRows: ContiguousArray<Entity>

    @inlinable
    override init(descriptor: EntityDescriptor) {
        cells = PagedArray(leafShift: PagedArray<Cell>.rowLeafShift, hasDirectory: true)
        vacantIDs = PagedArray(leafShift: PagedArray<Entity.ID?>.rowLeafShift)
        beforeRows = []
        super.init(descriptor: descriptor)
    }

    /// A table with the same content, which shares all pages. O(relations).
    @inlinable
    init(copying other: Table<Entity>) {
        cells = other.cells
        vacantIDs = other.vacantIDs
        beforeRows = other.beforeRows
        super.init(copying: other)
    }

    /// A table with the same ids, rows and journal of rows, which shares their pages, and nothing else. No id is found
    /// in it. O(relations).
    @inlinable
    init(rowsOf other: Table<Entity>) {
        cells = other.cells
        // Shared, it could not be told of the leaves that come.
        cells.dropDirectory()
        vacantIDs = other.vacantIDs
        beforeRows = []
        super.init(journalsOf: other)
    }

    // Here and not in the base class, where the columns of this one may be gone.
    @inlinable
    deinit {
        if let former { former.willEnd(self) }
    }

    // MARK: - Ids

    /// The slot of an id that is known here, whether it has a row or not. O(log n).
    @inlinable
    func slot(of id: Entity.ID) -> Slot? { slot(of: id, hash: Entity._hashID(id)) }

    /// The slot of an id that has a row.
    @inlinable
    func liveSlot(of id: Entity.ID) -> Slot? {
        guard let slot = slot(of: id), hasRow(at: slot) else { return nil }
        return slot
    }

    /// The slot of an id whose hash is at hand.
    @inlinable
    func slot(of id: Entity.ID, hash: UInt64) -> Slot? {
        ids.find(hash) { hasID(id, at: $0) }
    }

    /// The slot of an id whose row will be changed: what that reads is prefetched.
    @inlinable
    func slotToChange(of id: Entity.ID, hash: UInt64) -> Slot? {
        ids.find(hash) { slot in
            cells.nodes.askForPath(to: slot.index, level: 2)
            guard hasID(id, at: slot) else { return false }
            cells.nodes.askForPath(to: slot.index, level: 1)
            return true
        }
    }

    /// The slot of an id, given out now if the id is new. O(log n).
    @inlinable
    func internSlot(of id: Entity.ID) -> Slot {
        let hash = Entity._hashID(id)
        if let known = slot(of: id, hash: hash) { return known }
        let slot = appendSlot(hash: hash)
        vacantIDs[slot.index] = id
        return slot
    }

    @inlinable
    func id(of slot: Slot) -> Entity.ID {
        if let place = cells.nodes.place(at: slot.index), Table.hasRow(at: place) {
            return Table.id(at: place)
        }
        return withVacantID(of: slot) { $0 }
    }

    /// Whether a slot stands for an id.
    @inlinable
    func hasID(_ id: Entity.ID, at slot: Slot) -> Bool {
        // In the row itself: most slots have one, and a copy of its id would be counted.
        if let place = cells.nodes.place(at: slot.index), Table.hasRow(at: place) {
            return Table.hasID(id, at: place)
        }
        return withVacantID(of: slot) { Entity._sameID($0, id) }
    }

    @inlinable
    func withVacantID<Result>(of slot: Slot, _ body: (Entity.ID) -> Result) -> Result {
        guard let id = vacantIDs[slot.index] else {
            preconditionFailure("a slot without an id")
        }
        return body(id)
    }

    // MARK: - Rows

    /// The address of the row at a slot, or nil where the slot holds none.
    ///
    /// Valid until the table is mutated or released. An optional's payload stands at its address.
    ///
    /// A packed leaf's rows are made for it, and kept: who only looks at a row, copies it or asks whether there
    /// is one has ``withRow(at:_:)``, ``copyOfRow(at:)`` and ``hasRow(at:)``.
    @inlinable
    func row(at slot: Slot) -> UnsafePointer<Entity>? {
        guard let cell = cells.nodes.pointer(at: slot.index) else { return nil }
        return Table.row(in: cell)
    }

    @inlinable
    static func row(in cell: UnsafeMutablePointer<Cell>) -> UnsafePointer<Entity>? {
        let row = UnsafeRawPointer(cell).assumingMemoryBound(to: Optional<Entity>.self)
        guard row.pointee != nil else { return nil }
        return UnsafeRawPointer(row).assumingMemoryBound(to: Entity.self)
    }

    /// The metadata of a row, given the row's address inside the table.
    static func metadata(besideRow row: UnsafePointer<Entity>) -> RowMetadata {
        UnsafeRawPointer(row).metadata(at: metadataOffset)
    }

    /// Puts a normalized row at its slot.
    ///
    /// - Parameter ordinal: the place in the order that a row takes which was not there; nil for
    ///   the place that the slot has kept or, where it has none, behind all others.
    @inlinable
    func put(
        _ row: consuming Entity, at slot: Slot, stamp: Stamp, ordinal: UInt64?,
        _ known: KnownKey = KnownKey()
    ) {
        let cell = cells.mutablePointer(at: slot.index)
        let changed = indexDefinitions.isEmpty ? 0 : unindexChanges(in: cell, to: row, at: slot)
        let isNew = !noteTakingRow(of: cell, at: slot)
        Table.rowPlace(in: cell).initialize(to: consume row)
        if isNew {
            vacantIDs.clear(at: slot.index) { $0 == nil }
            didPutNew(cell, at: slot, stamp: stamp, ordinal: ordinal)
        }
        didPut(cell, at: slot, stamp: stamp, isNew: isNew, indexing: changed, known)
    }

    /// Removes the index entries of a cell's row where the new row has another key; returns the indexes that the new row
    /// is to be added to.
    @inlinable
    func unindexChanges(
        in cell: UnsafeMutablePointer<Cell>, to row: Entity, at slot: Slot
    ) -> UInt64 {
        guard let old = Table.row(in: cell) else { return .max }
        return withUnsafePointer(to: row) {
            unindexChanges(
                from: old, to: $0, at: slot, ordinal: cell.pointee.metadata.ordinal)
        }
    }

    /// Removes the row at a slot, which has one.
    ///
    /// - Parameter keepsPlace: whether the slot keeps its place in the order, for a restoration.
    @inlinable
    func remove(at slot: Slot, stamp: Stamp, keepsPlace: Bool) {
        let cell = cells.mutablePointer(at: slot.index)
        guard let id = cell.pointee.row?.id else { preconditionFailure("no row to remove") }
        unindex(cell, at: slot)
        vacantIDs[slot.index] = id
        _ = noteTakingRow(of: cell, at: slot)
        Table.rowPlace(in: cell).initialize(to: nil)
        didRemove(cell, at: slot, stamp: stamp, keepsPlace: keepsPlace)
    }

    /// Gives a slot without a row a place in the order, or takes it away: what a tombstone that
    /// comes or goes by itself does to the entity that it stands for.
    @inlinable
    func setPlace(of slot: Slot, isKept: Bool, stamp: Stamp) -> UInt64 {
        let cell = cells.mutablePointer(at: slot.index)
        precondition(cell.pointee.row == nil, "a row has a place already")
        return setPlace(in: cell, at: slot, isKept: isKept, stamp: stamp)
    }

    @usableFromInline
    override func undoLastRowChange() {
        let change = rowJournal.removeLast()
        journalWasShortened()
        let cell = cells.mutablePointer(at: Int(change.slot))
        let wasLive = cell.pointee.row != nil
        let isLive = change.before >= 0
        if wasLive { unindex(cell, at: Slot(change.slot)) }
        if let row = cell.pointee.row, !isLive { vacantIDs[Int(change.slot)] = row.id }
        if wasLive { order.remove(ordinal: cell.pointee.metadata.ordinal) }
        cell.pointee.row = isLive ? beforeRows.removeLast() : nil
        cell.pointee.metadata = change.metadata
        // Before it is indexed: an index that is made anew then looks at all rows in order.
        if isLive { order.insert(change.slot, ordinal: change.metadata.ordinal) }
        if isLive { index(cell, at: Slot(change.slot)) }
        if isLive && !wasLive { vacantIDs.clear(at: Int(change.slot)) { $0 == nil } }
        liveCount += (isLive ? 1 : 0) - (wasLive ? 1 : 0)
        nextOrdinal = change.nextOrdinal
        order.restore(change.order)
        deleteCauses[change.slot] = nil
    }

    override func forgetSlots(from first: Int) {
        for index in (first..<slotCount).reversed() {
            let slot = Slot(index)
            ids.remove(Entity._hashID(id(of: slot)), slot)
            vacantIDs.clear(at: index) { $0 == nil }
        }
        slotCount = first
    }

    // An override, and not inlinable: what is done so rarely is compiled once for all types.
    override func dropRows() {
        cells = PagedArray(leafShift: PagedArray<Cell>.rowLeafShift, hasDirectory: true)
        vacantIDs = PagedArray(leafShift: PagedArray<Entity.ID?>.rowLeafShift)
    }

    // MARK: - Scanning

    /// Calls `body` with each row in insertion order until it returns false. Addresses are good as those of
    /// ``row(at:)`` are; those of a passing visit may be for the calls alone.
    @inlinable
    func forEachRow(
        isPassing: Bool = false, _ body: (Slot, UnsafePointer<Entity>) throws -> Bool
    ) rethrows {
        guard let slotsByOrdinal = order.slotsByOrdinal else {
            return try cells.forEachNode { first, node in
                if isPassing, PackedLeaf.isPacked(node), PackedLeaf.unpacked(of: node) == nil,
                    !PackedLeaf.isWorthUnpackingWhole(node)
                {
                    return try Table.passPacked(node, first, body)
                }
                let cells = cells.leafElements(of: node, first)
                guard let base = cells.baseAddress else { return true }
                for offset in 0..<cells.count {
                    guard let row = Table.row(in: base + offset) else { continue }
                    guard try body(Slot(first + offset), row) else { return false }
                }
                return true
            }
        }
        try slotsByOrdinal.forEachLeaf { _, slots in
            for slot in slots where slot != 0 {
                let slot = Slot(slot - 1)
                guard let row = row(at: slot) else { continue }
                guard try body(slot, row) else { return false }
            }
            return true
        }
    }

    @usableFromInline
    override package func idText(of slot: Slot) -> String { String(describing: id(of: slot)) }

    override func setVacancy(of slot: Slot, ordinal: UInt64?, stamp: Stamp) {
        let cell = cells.mutablePointer(at: slot.index)
        precondition(cell.pointee.row == nil, "a row has a place already")
        restoreVacancy(in: cell, at: slot, ordinal: ordinal, stamp: stamp)
    }

    override func stampAgain(_ slot: Slot, _ stamp: Stamp) {
        stampAgain(in: cells.mutablePointer(at: slot.index), stamp)
    }

    @usableFromInline
    override package func setMetadata(_ metadata: RowMetadata, of slot: Slot) {
        let cell = cells.mutablePointer(at: slot.index)
        precondition(
            cell.pointee.metadata.ordinal == metadata.ordinal, "metadata does not move a row")
        cell.pointee.metadata = metadata
    }

    // MARK: - Invariants

    override func checkRows() {
        ids.checkInvariants()
        cells.checkDirectory()
        var live = 0
        for index in 0..<slotCount {
            let slot = Slot(index)
            precondition(self.slot(of: id(of: slot)) == slot, "an id that leads to another slot")
            guard isLive(slot) else { continue }
            live += 1
            precondition(cells[index].metadata.ordinal < nextOrdinal, "an ordinal from nowhere")
        }
        precondition(live == liveCount, "the count of rows is wrong")
        var previous: UInt64?
        var visited = 0
        forEachRow { slot, _ in
            let ordinal = cells[slot.index].metadata.ordinal
            if let previous { precondition(previous < ordinal, "rows out of insertion order") }
            previous = ordinal
            visited += 1
            return true
        }
        precondition(visited == liveCount, "the order misses rows")
        checkIndexes()
    }
}
