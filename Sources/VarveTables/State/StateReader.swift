package import VarveEvents

/// What a slot of a state holds. Id and row are valid as long as the state is kept, except for a row that was converted
/// and for what ``StateReader/forEachSlot(in:willReplace:_:)`` gives.
package struct StateEntity {
    package let slot: Slot
    package let id: UnsafeRawBufferPointer
    /// In the layout that was asked for; fields that it does not know are at its end. Empty where there is no row.
    package let row: UnsafeRawBufferPointer
    /// Whether the row is valid as long as the state is kept. One that was converted is valid during the call that gave
    /// it.
    package let rowStays: Bool
    package let presence: EntityPresence
    package let ordinal: Ordinal
    /// The transaction that last touched it; for a tombstone, the one that deleted it.
    package let transaction: TransactionID
    /// When it was last touched; for a tombstone, when it was deleted.
    package let updatedAt: Timestamp
    /// Where that was among the saves of its transaction.
    package let saveOrder: UInt32

    init(_ entry: StoredRow, row: UnsafeRawBufferPointer, rowStays: Bool) {
        slot = entry.slot
        id = entry.id
        self.row = row
        self.rowStays = rowStays
        presence = entry.presence
        let stamps = entry.stamps
        ordinal = Ordinal(stamps.ordinal)
        transaction = TransactionID(stamps.transaction)
        updatedAt = Timestamp(microseconds: stamps.updatedAt)
        saveOrder = stamps.saveOrder
    }

    /// Whether this is a tombstone.
    package var isDeleted: Bool { presence == .tombstone }
}

/// A row that is passed over, in the layout that was asked for. It and its id are valid during the call that gave it.
package struct PassedRow {
    private let entry: StoredRow
    /// Of a row with an older layout: its bytes in the layout that was asked for.
    private let converted: UnsafeRawBufferPointer?
    package let isDeleted: Bool

    fileprivate init(
        _ entry: StoredRow, converted: UnsafeRawBufferPointer? = nil, isDeleted: Bool
    ) {
        self.entry = entry
        self.converted = converted
        self.isDeleted = isDeleted
    }

    /// Read when it is wanted: a row of more than 1 KiB has pages of its own, which stay in memory once they were read.
    package var bytes: UnsafeRawBufferPointer { converted ?? entry.row }

    package var ordinal: Ordinal { Ordinal(entry.stamps.ordinal) }

    /// The row with all that is known of its entity.
    package var entity: StateEntity { StateEntity(entry, row: bytes, rowStays: false) }
}

/// Reads the entities of one type in one layout.
///
/// Each reader has memory of its own for rows of older layouts: several threads may read a state, each
/// with a reader.
package struct StateReader: ~Copyable {
    /// Keeps the pages.
    private let state: State
    private let rows: RowTree
    private var converter: RowReader

    init(_ state: State, _ table: Table, _ target: TypeDefinition) {
        self.state = state
        rows = table.rows
        converter = RowReader(layouts: table.layouts, target)
    }

    /// The number of slots; entities have slots below it.
    package var slotCount: Int { rows.count }

    /// Calls `body` with the entity, or tombstone, at a slot; returns nil where there is none.
    package mutating func read<Result>(
        _ slot: Slot, _ body: (StateEntity) throws(CodecError) -> Result
    ) throws(CodecError) -> Result? {
        guard slot.index < rows.count else { return nil }
        return try read(rows.entry(slot, in: state.pages), body)
    }

    /// Calls `body` with the entity, or tombstone, of an entry of the reader's state; returns nil where it has no row.
    mutating func read<Result>(
        _ entry: StoredRow, _ body: (StateEntity) throws(CodecError) -> Result
    ) throws(CodecError) -> Result? {
        guard entry.presence.hasRow else { return nil }
        if try converter.isIdentity(entry.revision) {
            return try body(StateEntity(entry, row: entry.row, rowStays: true))
        }
        return try converter.read(entry) { row throws(CodecError) in
            try body(StateEntity(entry, row: row, rowStays: false))
        }
    }

    /// Calls `body` with each entity and tombstone, in order of slots.
    package mutating func forEach(
        _ body: (StateEntity) throws(CodecError) -> Void
    ) throws(CodecError) {
        var cursor = rows.cursor(in: state.pages)
        while let entry = cursor.nextEntry() { _ = try read(entry, body) }
    }

    /// Calls `body` with each entity and tombstone in some leaves, until it returns false. What is not in memory is not kept
    /// there.
    ///
    /// - Parameter leaves: a part of what ``State/leavesAsStored(of:)`` returns.
    package mutating func forEachRow(
        in leaves: ArraySlice<UInt32>, while body: (PassedRow) throws(CodecError) -> Bool
    ) throws(CodecError) {
        let (live, tombstone) = (EntityPresence.live.rawValue, EntityPresence.tombstone.rawValue)
        let blocks = PassedBlocks()
        defer { withExtendedLifetime(blocks) {} }
        for index in leaves {
            let slots = rows.slots(ofLeaf: Int(index))
            let first = Slot(UInt32(truncatingIfNeeded: slots.lowerBound))
            let leaf = rows.leaf(of: first, passing: blocks, in: state.pages)
            for index in slots {
                let slot = Slot(UInt32(truncatingIfNeeded: index))
                let entry = StoredRow(slot, leaf, state.pages)
                let flags = entry.presenceFlags
                guard flags == live || flags == tombstone else { continue }
                guard try pass(entry, isDeleted: flags == tombstone, body) else { return }
            }
        }
    }

    private mutating func pass(
        _ entry: StoredRow, isDeleted: Bool, _ body: (PassedRow) throws(CodecError) -> Bool
    ) throws(CodecError) -> Bool {
        if try converter.isIdentity(entry.revision) {
            return try body(PassedRow(entry, isDeleted: isDeleted))
        }
        return try converter.read(entry) { row throws(CodecError) in
            try body(PassedRow(entry, converted: row, isDeleted: isDeleted))
        }
    }

    /// Calls `body` with what each slot of a range holds, in order of slots, also where that is no row. What is not
    /// in memory is not kept there.
    ///
    /// - Parameter willReplace: called before ids and rows that `body` received become invalid, and at the end.
    package mutating func forEachSlot(
        in range: Range<Int>, willReplace: () throws(CodecError) -> Void,
        _ body: (StateEntity) throws(CodecError) -> Void
    ) throws(CodecError) {
        let blocks = PassedBlocks()
        defer { withExtendedLifetime(blocks) {} }
        var useCount = 0
        var leaf: RowLeaf?
        for index in range.clamped(to: 0..<rows.count) {
            let slot = Slot(UInt32(truncatingIfNeeded: index))
            if leaf == nil || index % rows.slotsPerLeaf == 0 {
                if blocks.replacesNext(usedAfter: useCount) {
                    try willReplace()
                    useCount = blocks.useCount
                }
                leaf = rows.leaf(of: slot, passing: blocks, in: state.pages)
            }
            guard let leaf else { return }
            let entry = StoredRow(slot, leaf, state.pages)
            let found: Void? = try read(entry, body)
            if found == nil { try body(StateEntity(entry, row: entry.row, rowStays: true)) }
        }
        try willReplace()
    }
}

extension State {
    /// A reader of a type's entities in the layout of `target`, which is the type's newest definition if
    /// nil. Returns nil for a type that is not defined.
    package func reader(of type: TypeNumber, as target: TypeDefinition? = nil) -> StateReader? {
        table(type).map { StateReader(self, $0, target ?? $0.definition) }
    }

    /// The leaves of a type's rows in the order in which they are stored, each by its position in the order of slots. To
    /// read them so is to read each block of an image once. O(n).
    package func leavesAsStored(of type: TypeNumber) -> [UInt32] {
        guard let rows = table(type)?.rows else { return [] }
        return health == nil ? rows.leafPositions : rows.leafPositionsAsStored(in: pages)
    }
}
