public import VarveEvents

/// Operations on a type's table, compiled in the module that declares the type.
///
/// The library walks tables without knowing their types; these closures are made by generic code
/// that generated code calls with a concrete type, so their bodies are specialised there.
@usableFromInline
package struct EntityOperations: Sendable {
    @usableFromInline let makeTable: @Sendable (EntityDescriptor) -> AnyTable
    /// A table with the same content, which shares all pages.
    @usableFromInline let clone: @Sendable (AnyTable) -> AnyTable
    /// A table with the same ids, rows and journal of rows, which shares their pages, and nothing else.
    @usableFromInline let rowsAlone: @Sendable (AnyTable) -> AnyTable
    /// Writes the id of a slot.
    @usableFromInline package let storeID:
        @Sendable (AnyTable, Slot, inout ByteWriter) throws(CodecError) -> Void
    /// Writes the row at a slot.
    @usableFromInline package let storeRow:
        @Sendable (AnyTable, Slot, inout ByteWriter) throws(CodecError) -> Void
    /// Writes a before-row of the table's journal.
    @usableFromInline package let storeBefore:
        @Sendable (AnyTable, Int32, inout ByteWriter) throws(CodecError) -> Void
    /// Compares a before-row with the row at a slot, field by field.
    @usableFromInline package let compare:
        @Sendable (AnyTable, Int32, Slot, inout FieldChanges) throws(CodecError) -> Void
    /// Whether a slot holds a row.
    @usableFromInline package let isLive: @Sendable (AnyTable, Slot) -> Bool
    @usableFromInline package let metadata: @Sendable (AnyTable, Slot) -> RowMetadata
    @usableFromInline let liveSlots: @Sendable (AnyTable) -> ContiguousArray<UInt32>
    /// Fills a new table: a known slot or none for the next, the id's bytes, the row's bytes or
    /// none, the metadata.
    @usableFromInline package let load:
        @Sendable (
            AnyTable, Slot?, UnsafeRawBufferPointer, UnsafeRawBufferPointer?, RowMetadata
        ) throws(CodecError) -> Slot
    /// Makes the row of an entity, and calls the body with its address, which is good for the call alone, and the
    /// hash of its id.
    @usableFromInline let decode:
        @Sendable (LoadedEntity, (UnsafeRawPointer, UInt64) -> Void) throws(CodecError) -> Void
    /// Keeps the row of an entity in a new table, at a slot, as a value. Returns the hash of its id.
    @usableFromInline let loadValue:
        @Sendable (AnyTable, LoadedEntity, Slot) throws(CodecError) -> UInt64
    /// Puts a packed leaf in a new table, for the rows from a slot on.
    @usableFromInline let placeLeaf: @Sendable (AnyTable, PackedLeaf, Int) -> Void
    /// A new table to be loaded, to become the part of one like the given from a slot on.
    @usableFromInline package let makePart: @Sendable (AnyTable, Int) -> AnyTable
    /// Takes over the rows and ids of such parts, the first for the slots from one on.
    @usableFromInline let attach: @Sendable (AnyTable, [AnyTable], Int) -> Void
    /// Puts packed leaves in the place of others with the same rows, which are answered.
    @usableFromInline let replaceLeaves: @Sendable (AnyTable, inout PackedLeaves) -> Void
    /// Drops packed leaves whose places have other rows by now than a table that shared its pages.
    @usableFromInline let dropOutdatedLeaves:
        @Sendable (AnyTable, AnyTable, inout PackedLeaves) -> Void
    /// The slot of an encoded id, or nil where the table does not know it.
    @usableFromInline package let find:
        @Sendable (AnyTable, UnsafeRawBufferPointer) throws(CodecError) -> Slot?
    /// Asks the processor for the rows at these slots.
    @usableFromInline let askForRows: @Sendable (AnyTable, ContiguousArray<UInt32>) -> Void
    /// Where the metadata stand behind the address of a row in a table.
    @usableFromInline let metadataOffset: Int
    /// The address of the row at a slot; see ``Table/row(at:)``.
    @usableFromInline let row: @Sendable (AnyTable, Slot) -> UnsafeRawPointer?
    /// Lets the body work on the address of the row at a slot, or on nothing. The address is good for the call alone.
    /// True where all rows are read and none of them again.
    @usableFromInline let withRow:
        @Sendable (AnyTable, Slot, Bool, (UnsafeRawPointer?) -> Void) -> Void
    /// Calls the body with each row in insertion order until it returns false; see ``Table/forEachRow(isPassing:_:)``.
    @usableFromInline let visitAll: @Sendable (AnyTable, Bool, RowVisit) -> Void
    /// Calls the body with the row at each of these slots that has one, until it returns false.
    @usableFromInline let visit:
        @Sendable (AnyTable, UnsafeBufferPointer<UInt32>, RowTest?, Bool, RowVisit) -> Void
    /// How many of the rows at these slots meet a condition.
    @usableFromInline let count: @Sendable (AnyTable, UnsafeBufferPointer<UInt32>, RowTest) -> Int
    /// Lets the body work on the address of a before-row of the table's journal.
    @usableFromInline package let withBefore:
        @Sendable (AnyTable, Int32, (UnsafeRawPointer) -> Void) -> Void
    /// Changes the row at a slot in place, outside any journal: for rows being loaded.
    @usableFromInline package let amendRow:
        @Sendable (AnyTable, Slot, (UnsafeMutableRawPointer) throws(CodecError) -> Void)
            throws(CodecError) -> Void
    /// Drops the before-rows of the table's journal; returns what is left of a large one.
    @usableFromInline let clearBeforeRows: @Sendable (AnyTable) -> (any Sendable)?
    /// Takes the before-rows away from the table's journal.
    @usableFromInline let takeBeforeRows: @Sendable (AnyTable) -> any Sendable
    /// Gives the before-rows back that were taken away from the journal of a table of this type.
    @usableFromInline let putBeforeRows: @Sendable (AnyTable, any Sendable) -> Void
    /// Starts to delete the row at a slot; see ``Context/delete(at:)``.
    @usableFromInline let beginDelete: @Sendable (inout Context, Slot) throws -> DeleteEnd?
    /// The slot of an encoded id, given out now if the id is new.
    @usableFromInline package let intern:
        @Sendable (inout Context, UnsafeRawBufferPointer) throws(CodecError) -> Slot
    /// Puts an encoded row at a slot, at a place in the order, as a logged change without hooks.
    @usableFromInline package let restoreRow:
        @Sendable (inout Context, Slot, UnsafeRawBufferPointer, UInt64) throws(CodecError) -> Void
    /// Removes the row at a slot, which may keep its place, as a logged change without hooks.
    @usableFromInline package let dropRow: @Sendable (inout Context, Slot, Bool) -> Void

    @inlinable
    init<Entity: EntityModelProtocol>(_ type: Entity.Type) {
        makeTable = { Table<Entity>(descriptor: $0) }
        clone = { Table(copying: unsafeDowncast($0, to: Table<Entity>.self)) }
        rowsAlone = { Table(rowsOf: unsafeDowncast($0, to: Table<Entity>.self)) }
        storeID = { (table, slot, writer) throws(CodecError) in
            try unsafeDowncast(table, to: Table<Entity>.self).storeID(of: slot, into: &writer)
        }
        storeRow = { (table, slot, writer) throws(CodecError) in
            let table = unsafeDowncast(table, to: Table<Entity>.self)
            try table.withRow(at: slot, isOnce: true) { (row) throws(CodecError) in
                try row.borrowing { (row: borrowing Entity) throws(CodecError) in
                    try row._store(into: &writer)
                }
            }
        }
        storeBefore = { (table, before, writer) throws(CodecError) in
            let table = unsafeDowncast(table, to: Table<Entity>.self)
            try table.beforeRows[Int(before)]._store(into: &writer)
        }
        compare = { (table, before, slot, changes) throws(CodecError) in
            let table = unsafeDowncast(table, to: Table<Entity>.self)
            guard let row = table.row(at: slot) else { return }
            try Entity._changes(
                from: table.beforeRows[Int(before)], to: row.pointee, into: &changes)
        }
        isLive = { unsafeDowncast($0, to: Table<Entity>.self).hasRow(at: $1) }
        metadata = { unsafeDowncast($0, to: Table<Entity>.self).storedMetadata(of: $1) }
        liveSlots = { unsafeDowncast($0, to: Table<Entity>.self).collectLiveSlots() }
        load = { (table, slot, id, row, metadata) throws(CodecError) in
            let table = unsafeDowncast(table, to: Table<Entity>.self)
            return try table.load(at: slot, id: id, row: row, metadata: metadata)
        }
        decode = { (entity, body) throws(CodecError) in try Table<Entity>.decode(entity, body) }
        loadValue = { (table, entity, slot) throws(CodecError) in
            try unsafeDowncast(table, to: Table<Entity>.self).loadValue(entity, at: slot)
        }
        placeLeaf = { unsafeDowncast($0, to: Table<Entity>.self).cells.placeLeaf($1, at: $2) }
        makePart = { table, start in
            let part = Table<Entity>(descriptor: table.descriptor)
            part.beginPart(at: start)
            return part
        }
        attach = { unsafeDowncast($0, to: Table<Entity>.self).attach($1, at: $2) }
        replaceLeaves = { unsafeDowncast($0, to: Table<Entity>.self).replace(&$1) }
        dropOutdatedLeaves = { table, other, leaves in
            unsafeDowncast(table, to: Table<Entity>.self).dropOutdated(
                &leaves, since: unsafeDowncast(other, to: Table<Entity>.self))
        }
        find = { (table, id) throws(CodecError) in
            var reader = ByteReader(id)
            return unsafeDowncast(table, to: Table<Entity>.self)
                .slot(of: try Entity._loadID(from: &reader))
        }
        askForRows = { table, slots in
            var rows = RowCursor(unsafeDowncast(table, to: Table<Entity>.self))
            slots.withUnsafeBufferPointer { rows.forEachPlace(at: $0) { _, _ in true } }
        }
        metadataOffset = Table<Entity>.metadataOffset
        row = {
            unsafeDowncast($0, to: Table<Entity>.self).row(at: $1).map { UnsafeRawPointer($0) }
        }
        withRow = { table, slot, isOnce, body in
            let table = unsafeDowncast(table, to: Table<Entity>.self)
            if table.withRow(at: slot, isOnce: isOnce, { body(UnsafeRawPointer($0)) }) == nil {
                body(nil)
            }
        }
        visitAll = { table, isPassing, body in
            unsafeDowncast(table, to: Table<Entity>.self).forEachRow(isPassing: isPassing) {
                body($0.rawValue, UnsafeRawPointer($1))
            }
        }
        visit = { table, slots, test, isPassing, body in
            var rows = RowCursor(unsafeDowncast(table, to: Table<Entity>.self))
            rows.visit(slots, test, isPassing: isPassing, body)
        }
        count = { table, slots, test in
            var rows = RowCursor(unsafeDowncast(table, to: Table<Entity>.self))
            return rows.count(slots, test)
        }
        withBefore = { table, before, body in
            let table = unsafeDowncast(table, to: Table<Entity>.self)
            table.beforeRows.withUnsafeBufferPointer { rows in
                guard let base = rows.baseAddress else { return }
                body(UnsafeRawPointer(base + Int(before)))
            }
        }
        amendRow = { (table, slot, body) throws(CodecError) in
            let table = unsafeDowncast(table, to: Table<Entity>.self)
            let cell = table.cells.mutablePointer(at: slot.index)
            guard cell.pointee.row != nil else { return }
            try body(UnsafeMutableRawPointer(cell))
        }
        clearBeforeRows = { table in
            unsafeDowncast(table, to: Table<Entity>.self).beforeRows.emptied()
        }
        takeBeforeRows = { table in
            var rows: ContiguousArray<Entity> = []
            swap(&rows, &unsafeDowncast(table, to: Table<Entity>.self).beforeRows)
            return rows
        }
        putBeforeRows = { table, rows in
            guard let rows = rows as? ContiguousArray<Entity> else {
                preconditionFailure("before-rows of another type")
            }
            unsafeDowncast(table, to: Table<Entity>.self).beforeRows = rows
        }
        intern = { (context, id) throws(CodecError) in
            var reader = ByteReader(id)
            return context.internSlot(of: Entity.self, try Entity._loadID(from: &reader))
        }
        restoreRow = { (context, slot, row, ordinal) throws(CodecError) in
            try context.restoreRow(of: Entity.self, at: slot, from: row, ordinal: ordinal)
        }
        dropRow = { context, slot, keepsPlace in
            context.removeRow(Entity.self, at: slot, keepsPlace: keepsPlace)
        }
        beginDelete = { context, slot in try context.beginDelete(Entity.self, at: slot) }
    }
}

/// What is left to do for a deleted entity when everything that its delete rules take is gone.
@usableFromInline
typealias DeleteEnd = (inout Context) throws -> Void

extension UnsafePointer where Pointee: ~Copyable {
    /// Calls `body` with the value in its place. As an argument, `pointee` is copied, and each of its references
    /// counted.
    @inlinable @inline(__always)
    func borrowing<Result, Failure: Error>(
        _ body: (borrowing Pointee) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(pointee)
    }
}
