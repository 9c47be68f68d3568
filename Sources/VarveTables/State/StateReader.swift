package import VarveEvents

/// What a slot of a state holds. Id and row are valid as long as the state is kept, except for a row that was converted
/// and for what ``StateReader/forEachSlot(in:keepsBlocks:willReplace:_:)`` and
/// ``RowBatch`` give.
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
        self.init(
            entry.slot, id: entry.id, row: row, rowStays: rowStays, entry.presence, entry.stamps)
    }

    init(
        _ slot: Slot, id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer, rowStays: Bool,
        _ presence: EntityPresence, _ stamps: EntityStamps
    ) {
        self.slot = slot
        self.id = id
        self.row = row
        self.rowStays = rowStays
        self.presence = presence
        ordinal = Ordinal(stamps.ordinal)
        transaction = TransactionID(stamps.transaction)
        updatedAt = Timestamp(microseconds: stamps.updatedAt)
        saveOrder = stamps.saveOrder
    }

    /// Whether this is a tombstone.
    package var isDeleted: Bool { presence == .tombstone }
}

/// Reads the entities of one type in one layout.
///
/// Each reader has memory of its own for rows of older layouts: several threads may read a state, each
/// with a reader.
package struct StateReader: ~Copyable {
    /// Keeps the pages.
    let state: State
    let rows: RowTree
    private let form: RowForm
    private var converter: RowReader

    init(_ state: State, _ rows: RowTree, _ form: RowForm) {
        self.state = state
        self.rows = rows
        self.form = form
        converter = RowReader(form)
    }

    /// Reads rows into memory of its own.
    func makeConverter() -> RowReader { RowReader(form) }

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

    /// Calls `body` with what each slot of a range holds, in order of slots, also where that is no row. What is not
    /// in memory is not kept there.
    ///
    /// - Parameters:
    ///   - keepsBlocks: whether what is not in memory is kept there nevertheless.
    ///   - willReplace: called before ids and rows that `body` received become invalid, and at the end.
    package mutating func forEachSlot(
        in range: Range<Int>, keepsBlocks: Bool = false, willReplace: () throws(CodecError) -> Void,
        _ body: (StateEntity) throws(CodecError) -> Void
    ) throws(CodecError) {
        let buffers = ScanBuffers()
        defer { withExtendedLifetime(buffers) {} }
        var useCount = 0
        var leaf: RowLeaf?
        for index in range.clamped(to: 0..<rows.count) {
            let slot = Slot(UInt32(truncatingIfNeeded: index))
            if leaf == nil || index % rows.slotsPerLeaf == 0 {
                if buffers.replacesNext(usedAfter: useCount) {
                    try willReplace()
                    useCount = buffers.useCount
                }
                leaf =
                    keepsBlocks
                    ? rows.entry(slot, in: state.pages).leaf
                    : rows.leaf(of: slot, through: buffers, in: state.pages)
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
        rowForm(of: type, as: target).flatMap { reader(of: type, in: $0) }
    }

    /// A reader of a type's entities in a form that this state made. Returns nil for a type that is not defined.
    package func reader(of type: TypeNumber, in form: RowForm) -> StateReader? {
        tablePosition(of: type).map { position in
            assert(form.revisionCount == tables[position].layouts.count, "A form is of one state")
            return StateReader(self, tables[position].rows, form)
        }
    }

    /// Calls `body` with the entity, or tombstone, of an id; returns nil where there is none.
    package func read<Result>(
        of type: TypeNumber, id: UnsafeRawBufferPointer, in form: RowForm,
        _ body: (StateEntity) throws(CodecError) -> Result
    ) throws(CodecError) -> Result? {
        guard let entry = entry(of: type, id: id), entry.presence.hasRow else { return nil }
        // A reader costs more than all else here.
        if entry.revision == form.plainRevision {
            return try body(StateEntity(entry, row: entry.row, rowStays: true))
        }
        guard var reader = reader(of: type, in: form) else { return nil }
        return try reader.read(entry, body)
    }
}
