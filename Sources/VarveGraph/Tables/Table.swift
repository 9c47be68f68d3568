internal import VarveEvents

/// All entities of one type: typed access to a table's rows, and their before-images.
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
            Cell(row: nil, metadata: .absent)
        }
    }

    /// The rows that the journal's before-images name.
    @exclusivity(unchecked) @usableFromInline var beforeRows: ContiguousArray<Entity>

    @inlinable
    override init(descriptor: EntityDescriptor) {
        beforeRows = []
        super.init(descriptor: descriptor)
    }

    /// A table with the same content, which shares all pages. O(relations).
    @inlinable
    init(copying other: Table<Entity>) {
        beforeRows = other.beforeRows
        super.init(copying: other)
    }

    /// A table with the same ids, rows and journal of rows, which shares their pages, and nothing else. No id is found
    /// in it. O(relations).
    @inlinable
    init(rowsOf other: Table<Entity>) {
        beforeRows = []
        super.init(journalsOf: other)
    }

    // Here and not in the base class, where the before-images, which a copy needs, may be gone.
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
    // Not inlined: an entity's code calls it in a dozen places.
    @inlinable @inline(never)
    func slot(of id: Entity.ID, hash: UInt64) -> Slot? {
        if let slot = ids.find(hash, matches: { hasID(id, at: $0) }) { return slot }
        return isFilled ? nil : storedSlot(of: id)
    }

    /// The slot of an id that the source of a stored table knows.
    ///
    /// Not inlinable: an app need not compile what is called until a table is filled.
    @usableFromInline @inline(never)
    func storedSlot(of id: Entity.ID) -> Slot? {
        let stored = storedSlot { (writer) throws(CodecError) in
            try Entity._storeID(id, into: &writer)
        }
        switch stored {
        case .known(let slot): return Slot(slot)
        case .absent: return nil
        case .unknown: return storedTable().rows(of: Entity.self).slot(of: id)
        }
    }

    /// The slot of an id whose row will be changed: what that reads is prefetched.
    @inlinable
    func slotToChange(of id: Entity.ID, hash: UInt64) -> Slot? {
        let slot = ids.find(hash) { slot in
            cells.nodes.askForPath(to: slot.index, level: 2)
            guard hasID(id, at: slot) else { return false }
            cells.nodes.askForPath(to: slot.index, level: 1)
            return true
        }
        return slot ?? (isFilled ? nil : storedSlot(of: id))
    }

    /// The slot of an id, given out now if the id is new. O(log n).
    @inlinable
    func internSlot(of id: Entity.ID) -> Slot {
        let hash = Entity._hashID(id)
        if let known = slot(of: id, hash: hash) { return known }
        let slot = appendSlot(hash: hash)
        setVacantID(id, of: slot)
        return slot
    }

    @inlinable
    func id(of slot: Slot) -> Entity.ID {
        if let place = settledPlace(at: slot), Table.hasRow(at: place) {
            return Table.id(at: place)
        }
        return vacantID(of: slot)
    }

    /// Whether a slot stands for an id.
    @inlinable
    func hasID(_ id: Entity.ID, at slot: Slot) -> Bool {
        // In the row itself: most slots have one, and a copy of its id would be counted.
        if let place = place(at: slot), Table.hasRow(at: place) {
            return Table.hasID(id, at: layout.settled(place))
        }
        return Entity._sameID(vacantID(of: slot), id)
    }

    /// The id of a slot without a row.
    @inlinable
    func vacantID(of slot: Slot) -> Entity.ID {
        guard let id = vacantIDs.nodes.pointer(at: slot.index, as: Entity.ID?.self)?.pointee else {
            preconditionFailure("a slot without an id")
        }
        return id
    }

    /// Sets the id of a slot that has no row, or will have none.
    @inlinable @inline(never)
    func setVacantID(_ id: Entity.ID?, of slot: Slot) {
        let leaf = vacantIDs.uniqueLeaf(holding: slot.index, descriptor.operations.makeIDLeaf)
        let ids = PagedLeaf<Entity.ID?>.elements(of: leaf)
        ids[slot.index & (PackedLeaf.width &- 1)] = id
    }

    /// Takes the id of a slot without a row away, if there is one. Returns whether no slot of its leaf has one then.
    @inlinable
    func clearOwnID(of slot: Slot) -> Bool {
        guard
            let own = vacantIDs.nodes.pointer(at: slot.index, as: Entity.ID?.self),
            own.pointee != nil
        else { return false }
        setVacantID(nil, of: slot)
        let first = slot.index & ~(PackedLeaf.width &- 1)
        guard let ids = vacantIDs.nodes.pointer(at: first, as: Entity.ID?.self) else { return true }
        return (0..<PackedLeaf.width).allSatisfy { ids[$0] == nil }
    }

    // MARK: - Rows

    /// The address of the row at a slot, or nil where the slot holds none; see ``AnyTable/rawRow(at:)``.
    @inlinable
    func row(at slot: Slot) -> UnsafePointer<Entity>? {
        // An optional's payload is at its address.
        rawRow(at: slot)?.assumingMemoryBound(to: Entity.self)
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
        let cell = cell(toChange: slot)
        let changed = indexDefinitions.isEmpty ? 0 : unindexChanges(in: cell, to: row, at: slot)
        let isNew = !noteTakingRow(of: cell, at: slot)
        Table.rowPlace(in: cell).initialize(to: consume row)
        if isNew {
            clearVacantID(of: slot)
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
        let cell = cell(toChange: slot)
        guard let id = cell.pointee.row?.id else { preconditionFailure("no row to remove") }
        unindex(cell, at: slot)
        setVacantID(id, of: slot)
        _ = noteTakingRow(of: cell, at: slot)
        Table.rowPlace(in: cell).initialize(to: nil)
        didRemove(cell, at: slot, stamp: stamp, keepsPlace: keepsPlace)
    }

    /// The cell of a slot for writing.
    @inlinable
    func cell(toChange slot: Slot) -> UnsafeMutablePointer<Cell> {
        mutableCell(at: slot).assumingMemoryBound(to: Cell.self)
    }

    @usableFromInline
    override func undoLastRowChange() {
        let change = rowJournal.removeLast()
        journalWasShortened()
        let cell = cell(toChange: Slot(change.slot))
        let wasLive = cell.pointee.row != nil
        let isLive = change.before >= 0
        if wasLive { unindex(cell, at: Slot(change.slot)) }
        if let row = cell.pointee.row, !isLive {
            setVacantID(row.id, of: Slot(change.slot))
        }
        if wasLive { order.remove(ordinal: cell.pointee.metadata.ordinal) }
        cell.pointee.row = isLive ? beforeRows.removeLast() : nil
        cell.pointee.metadata = change.metadata
        // Before it is indexed: an index that is made anew then looks at all rows in order. Looked at anew itself, because a
        // table that waited for the filled one when the row went knows nothing of its place.
        if isLive { noteOrder(of: Slot(change.slot), ordinal: change.metadata.ordinal) }
        if isLive { index(cell, at: Slot(change.slot)) }
        if isLive && !wasLive { clearVacantID(of: Slot(change.slot)) }
        liveCount += (isLive ? 1 : 0) - (wasLive ? 1 : 0)
        nextOrdinal = change.nextOrdinal
        order.restore(change.order)
        deleteCauses[change.slot] = nil
    }

    override func forgetSlots(from first: Int) {
        for index in (first..<slotCount).reversed() {
            let slot = Slot(index)
            ids.remove(Entity._hashID(id(of: slot)), slot)
            clearVacantID(of: slot)
        }
        slotCount = first
    }

    // MARK: - Scanning

    /// Calls `body` with each row in insertion order until it returns false; see ``AnyTable/visitRows(isTransient:_:)``.
    @inlinable
    func forEachRow(isTransient: Bool = false, _ body: (Slot, UnsafePointer<Entity>) -> Bool) {
        visitRows(isTransient: isTransient) {
            body(Slot($0), $1.assumingMemoryBound(to: Entity.self))
        }
    }

    @usableFromInline
    override package func idText(of slot: Slot) -> String { String(describing: id(of: slot)) }

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
            precondition(metadata(of: slot).ordinal < nextOrdinal, "an ordinal from nowhere")
        }
        precondition(live == liveCount, "the count of rows is wrong")
        var previous: UInt64?
        var visited = 0
        forEachRow { slot, _ in
            let ordinal = metadata(of: slot).ordinal
            if let previous { precondition(previous < ordinal, "rows out of insertion order") }
            previous = ordinal
            visited += 1
            return true
        }
        precondition(visited == liveCount, "the order misses rows")
        checkIndexes()
    }
}
