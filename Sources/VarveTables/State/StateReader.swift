package import VarveEvents

/// An entity of a state, or a tombstone. The buffers are valid during the call that gave it.
package struct StateEntity {
    private let entry: StoredRow
    /// In the layout that was asked for; fields that it does not know are at its end.
    package let row: UnsafeRawBufferPointer

    init(_ entry: StoredRow, row: UnsafeRawBufferPointer) {
        self.entry = entry
        self.row = row
    }

    package var slot: Slot { entry.slot }

    package var id: UnsafeRawBufferPointer { entry.id }

    /// Whether this is a tombstone.
    package var isDeleted: Bool { entry.presence == .tombstone }

    package var ordinal: Ordinal { Ordinal(entry.stamps.ordinal) }

    /// The transaction that last touched it; for a tombstone, the one that deleted it.
    package var transaction: TransactionID { TransactionID(entry.stamps.transaction) }

    /// When it was last touched; for a tombstone, when it was deleted.
    package var updatedAt: Timestamp { Timestamp(microseconds: entry.stamps.updatedAt) }
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
        return try converter.read(entry) { row throws(CodecError) in
            try body(StateEntity(entry, row: row))
        }
    }

    /// Calls `body` with each entity and tombstone, in order of slots.
    package mutating func forEach(
        _ body: (StateEntity) throws(CodecError) -> Void
    ) throws(CodecError) {
        var cursor = rows.cursor(in: state.pages)
        while let entry = cursor.nextEntry() {
            guard entry.presence.hasRow else { continue }
            try converter.read(entry) { row throws(CodecError) in
                try body(StateEntity(entry, row: row))
            }
        }
    }
}

extension State {
    /// A reader of a type's entities in the layout of `target`, which is the type's newest definition if
    /// nil. Returns nil for a type that is not defined.
    package func reader(of type: TypeNumber, as target: TypeDefinition? = nil) -> StateReader? {
        table(type).map { StateReader(self, $0, target ?? $0.definition) }
    }
}
