internal import Synchronization
internal import VarveEvents

// A stored table has the rows of its source, and in leaves of its own what was changed since. It decodes leaves of rows,
// ids and links when they are read. What needs all rows, or an index, reads the filled table. That is another table of
// equal content, so no reader of this one sees it change.

extension AnyTable {
    /// What is stored of a table's slots and rows, and how many there are.
    package struct StoredRows {
        let slotCount: Int
        let liveCount: Int
        let nextOrdinal: UInt64
        let isInSlotOrder: Bool
        let rows: StoredLeaves
        let vacantIDs: StoredLeaves

        /// - Parameters:
        ///   - isInSlotOrder: whether rows are known to come in insertion order if they are read by their slots.
        ///   - size: the size of a leaf of rows; nil where leaves are not counted.
        ///   - rows: makes the leaf of eight slots by its number.
        ///   - vacantIDs: makes the leaf of the ids of those of eight slots that have no row.
        package init(
            slotCount: Int, liveCount: Int, nextOrdinal: UInt64, isInSlotOrder: Bool,
            size: LeafSize? = nil,
            rows: @escaping StoredLeaves.Maker, vacantIDs: @escaping StoredLeaves.Maker
        ) {
            self.slotCount = slotCount
            self.liveCount = liveCount
            self.nextOrdinal = nextOrdinal
            self.isInSlotOrder = isInSlotOrder
            let count = (slotCount + PackedLeaf.width - 1) / PackedLeaf.width
            self.rows = StoredLeaves(count: count, size: size, make: rows)
            self.vacantIDs = StoredLeaves(count: count, make: vacantIDs)
        }
    }

    /// Makes a table, which is empty and not shared yet, a stored table of a source.
    package final func wait(for source: any TableSource) {
        self.source = source
        isFilled = false
        indexContents = []
    }

    /// Lets a stored table decode rows and ids when they are read.
    package final func load(_ stored: StoredRows) {
        slotCount = stored.slotCount
        liveCount = stored.liveCount
        nextOrdinal = max(nextOrdinal, stored.nextOrdinal)
        storedFindings = StoredFindings(isAscending: stored.isInSlotOrder ? true : nil)
        cells.use(stored.rows)
        vacantIDs.use(stored.vacantIDs)
        // The filled table knows them. What comes is behind all.
        order.greatestSlot = slotCount - 1
        order.greatestOrdinal = nextOrdinal - 1
    }

    /// Lets a stored table decode the lists of one relation when they are read.
    package final func loadLinks(
        relation: Int, countedIn memory: LeafMemory? = nil,
        of stored: @escaping LinkColumn.StoredLists
    ) {
        links[relation].use(stored, forSlots: slotCount, countedIn: memory)
    }

    // MARK: - Filling

    /// The filled table of a stored one, which this thread fills if no other has begun to.
    package final func filled() -> AnyTable {
        if let known = filledIfThere { return known }
        let stored = storedTable()
        return keepFilled(isChanged ? completed(by: stored) : stored)
    }

    /// Whether queries scan the stored rows, because the filled table does not fit the memory budget.
    package final var isScanned: Bool {
        guard !isFilled, let source else { return false }
        return source.loadsLeaves && !source.mayFill
    }

    /// The filled table of a stored one; or this one, if it is scanned.
    final func whole() -> AnyTable {
        if let known = filledIfThere { return known }
        return isScanned ? self : filled()
    }

    /// The filled table of the source, without what was changed. Called inside a change: a filled table of this one would
    /// lack the rest of the change.
    final func storedTable() -> AnyTable {
        guard let source else { preconditionFailure("a stored table has a source") }
        return source.filled()
    }

    /// The filled table of a stored one, if it is filled already.
    final var filledIfThere: AnyTable? {
        if let known = knownFilledTable {
            return Unmanaged<AnyTable>.fromOpaque(known).takeUnretainedValue()
        }
        guard !isChanged, let stored = source?.filledIfThere else { return nil }
        return keepFilled(stored)
    }

    /// The filled table that is kept, as a plain word.
    final var knownFilledTable: UnsafeRawPointer? { filledTable.load(ordering: .acquiring) }

    /// Keeps the filled table for every context that has this one, unless another thread was faster.
    private final func keepFilled(_ table: AnyTable) -> AnyTable {
        let kept = Unmanaged.passRetained(table)
        let (isFirst, other) = filledTable.compareExchange(
            expected: nil, desired: UnsafeRawPointer(kept.toOpaque()),
            ordering: .acquiringAndReleasing)
        guard !isFirst, let other else { return table }
        kept.release()
        return Unmanaged<AnyTable>.fromOpaque(other).takeUnretainedValue()
    }

    /// The table whose rows, ids and links can be read: a stored one, or the filled one.
    final func readable() -> AnyTable {
        if let filled = filledIfThere { return filled }
        return source?.loadsLeaves == true ? self : filled()
    }

    /// Called before a stored table is changed, and before locks that readers wait for: fills it where that is needed.
    final func prepareToChange() {
        guard let source else { return }
        if !source.loadsLeaves || source.isWorthFilling || source.filledIfThere != nil {
            _ = filled()
        }
    }

    /// Whether the table is filled, or there is a filled table of this stored one.
    package final var hasFilled: Bool {
        isFilled || filledTable.load(ordering: .acquiring) != nil || source?.filledIfThere != nil
    }

    /// Fills the table before anything reads it.
    package final func fillAhead() {
        if !isFilled { source?.fillAhead() }
    }

    /// Whether the filled table fits the memory budget.
    package final var mayFill: Bool { source?.mayFill ?? true }

    /// The name of the file that a table which is not filled is read from; nil for none.
    package final var sourceFile: String? { isFilled ? nil : source?.file }

    /// Why a table that is not filled could not be.
    package final var fillFailure: (any Error)? { isFilled ? nil : source?.failure }

    // MARK: - Leaves

    /// An estimate of the bytes of cached leaves.
    final var cachedLeafBytes: Int {
        links.reduce(cells.stored?.cachedBytes ?? 0) { $0 + $1.cachedBytes }
    }

    /// A copy of a stored table whose cache of leaves is empty.
    final func withoutCachedLeaves() -> AnyTable {
        let table = cloned()
        table.cells.evictStoredLeaves()
        table.vacantIDs.evictStoredLeaves()
        for relation in table.links.indices { table.links[relation].evictStoredLeaves() }
        return table
    }

    /// Makes a stored table fit to replace another table with equal rows in equal slots. No context has it yet, and no other
    /// thread.
    ///
    /// - Parameter compared: below which slot the ids are known to be equal.
    /// - Returns: false where it is not of equal rows and slots.
    /// - Complexity: O(slots that the other table has assigned itself): their ids are read.
    final func takePlace(of former: AnyTable, idsComparedBelow compared: Int) -> Bool {
        guard !isFilled, liveCount == former.liveCount, !former.hasJournal,
            hasSameIDs(as: former, comparedBelow: compared)
        else { return false }
        usePositions(of: former)
        // The filled table as well: tables have other positions in another context.
        source?.kind.usePositions(of: former)
        saves = former.saves
        nextOrdinal = max(nextOrdinal, former.nextOrdinal)
        order.greatestOrdinal = nextOrdinal - 1
        return true
    }

    /// Whether another table has the same slots, with the same ids.
    ///
    /// - Parameter compared: below which slot the ids are known to be equal.
    /// - Complexity: O(slots that the other table has assigned itself): their ids are read.
    final func hasSameIDs(as other: AnyTable, comparedBelow compared: Int) -> Bool {
        slotCount == other.slotCount && hasNewIDs(of: other, from: compared)
    }

    private final func usePositions(of former: AnyTable) {
        relations = former.relations
        numbers = former.numbers
        newestNumber = former.newestNumber
        tombstoneTable = former.tombstoneTable
        madeLeaves = former.madeLeaves
    }

    /// Whether slots that another table has assigned have equal ids in both tables. Replay assigns them in the order in which
    /// the log names the ids: first those of rows, then those of links alone. Where that is another order than that of the
    /// saves, links would lead to other entities.
    private final func hasNewIDs(of former: AnyTable, from first: Int) -> Bool {
        let stored = max(0, (former.cells.stored?.count ?? 0) - 1) * AnyTable.leafWidth
        let (here, there) = (forOneReader(), former.forOneReader())
        return (max(first, stored)..<slotCount).allSatisfy {
            let slot = Slot(UInt32(truncatingIfNeeded: $0))
            return here.idText(of: slot) == there.idText(of: slot)
        }
    }

    /// How many slots a leaf of rows has.
    package static var leafWidth: Int { PackedLeaf.width }

    /// A table to load one leaf into, for another one of its kind.
    package final func makeLeaf() -> AnyTable {
        let table = makeEmpty()
        table.indexContents = []
        return table
    }

    /// A leaf of entities that keeps their bytes; nil where their values serve better.
    package final func packedLeaf(of entities: ContiguousArray<LoadedEntity>) -> AnyObject? {
        entities.withUnsafeBufferPointer { entities in
            guard descriptor.mayBePacked, PackedLeaf.serves(entities) else { return nil }
            return PackedLeaf.make(of: entities)
        }
    }

    /// The leaf of rows of a number; nil where no slot of it ever had one.
    package final func rowLeaf(_ number: Int) -> AnyObject? {
        cells.leaf(holding: number * AnyTable.leafWidth)
    }

    /// The ids of those slots of a leaf that have no row; nil for none.
    package final func vacantIDLeaf(_ number: Int) -> AnyObject? {
        vacantIDs.leaf(holding: number * AnyTable.leafWidth)
    }

    // MARK: - One entity

    /// Calls `body` with the address of a row, which is good for the call alone, of a table that is not filled.
    ///
    /// - Parameter writeID: writes the id.
    final func readStored(
        _ writeID: (inout ByteWriter) throws(CodecError) -> Void,
        _ body: (UnsafeRawPointer) -> Void
    ) -> StoredPresence {
        do throws(CodecError) {
            var id = ByteWriter()
            try writeID(&id)
            return try id.withBytes { id throws(CodecError) in
                try source?.read(id: id) { entity throws(CodecError) in
                    try descriptor.operations.decode(entity) { row, _ in body(row) }
                } ?? .unknown
            }
        } catch {
            // To fill the table says which entity it is that cannot be read.
            return .unknown
        }
    }

    /// Writes the id of a slot of a leaf that was not read yet: nothing else is read of it. False for any other slot.
    @usableFromInline
    final func writeUnreadID(of slot: Slot, into writer: inout ByteWriter) -> Bool {
        guard let source, cells.nodes.isUnread(at: slot.index) else { return false }
        return source.writeID(ofSlot: slot.rawValue, into: &writer)
    }

    /// The slot of an id that the table has not given itself.
    ///
    /// - Parameter writeID: writes the id.
    final func storedSlot(
        _ writeID: (inout ByteWriter) throws(CodecError) -> Void
    ) -> StoredSlot {
        var id = ByteWriter()
        do throws(CodecError) {
            try writeID(&id)
        } catch {
            // What cannot be written is not in a log.
            return .absent
        }
        return id.withBytes { source?.slot(ofID: $0) ?? .unknown }
    }
}
