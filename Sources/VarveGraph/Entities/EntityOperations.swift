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
    /// Fills a new table with entities that are all there and get the next slots.
    @usableFromInline package let loadAll:
        @Sendable (AnyTable, UnsafeBufferPointer<LoadedEntity>) throws(CodecError) -> Void
    /// A new table to be loaded, to become the part of one like the given from a slot on.
    @usableFromInline package let makePart: @Sendable (AnyTable, Int) -> AnyTable
    /// Appends such parts, in their order.
    @usableFromInline package let appendParts: @Sendable (AnyTable, [AnyTable]) -> Void
    /// Puts packed leaves in the place of others with the same rows, which are answered.
    @usableFromInline let replaceLeaves: @Sendable (AnyTable, inout PackedLeaves) -> Void
    /// Drops packed leaves whose places have other rows by now than a table that shared its pages.
    @usableFromInline let dropOutdatedLeaves:
        @Sendable (AnyTable, AnyTable, inout PackedLeaves) -> Void
    /// Makes the ids known that were loaded.
    @usableFromInline package let finishLoading: @Sendable (AnyTable) -> Void
    /// The slot of an encoded id, or nil where the table does not know it.
    @usableFromInline package let find:
        @Sendable (AnyTable, UnsafeRawBufferPointer) throws(CodecError) -> Slot?
    /// Asks the processor for the ids that have these hashes; returns their slots.
    @usableFromInline let findAhead:
        @Sendable (AnyTable, ContiguousArray<UInt64>) -> ContiguousArray<UInt32>
    /// Asks the processor for the rows at these slots.
    @usableFromInline let askForRows: @Sendable (AnyTable, ContiguousArray<UInt32>) -> Void
    /// Lets the body work on the address of the row at a slot, or on nothing.
    @usableFromInline package let withRow:
        @Sendable (AnyTable, Slot, (UnsafeRawPointer?) -> Void) -> Void
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
    /// An entity that has a unique value of the row at a slot, in the first such index from a number on.
    @usableFromInline package let rival: @Sendable (Context, Slot, Int) -> Collision?

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
        loadAll = { (table, entities) throws(CodecError) in
            try unsafeDowncast(table, to: Table<Entity>.self).load(entities)
        }
        makePart = { table, start in
            let part = Table<Entity>(descriptor: table.descriptor)
            part.partStart = start
            // Of use to nobody: the table that takes the rows over makes one for all parts.
            part.cells.dropDirectory()
            return part
        }
        appendParts = { unsafeDowncast($0, to: Table<Entity>.self).append($1) }
        replaceLeaves = { unsafeDowncast($0, to: Table<Entity>.self).replace(&$1) }
        dropOutdatedLeaves = { table, other, leaves in
            unsafeDowncast(table, to: Table<Entity>.self).dropOutdated(
                &leaves, since: unsafeDowncast(other, to: Table<Entity>.self))
        }
        finishLoading = { unsafeDowncast($0, to: Table<Entity>.self).finishLoading() }
        find = { (table, id) throws(CodecError) in
            var reader = ByteReader(id)
            return unsafeDowncast(table, to: Table<Entity>.self)
                .slot(of: try Entity._loadID(from: &reader))
        }
        findAhead = { unsafeDowncast($0, to: Table<Entity>.self).findAhead($1) }
        askForRows = { unsafeDowncast($0, to: Table<Entity>.self).askForRows(at: $1) }
        withRow = { table, slot, body in
            let table = unsafeDowncast(table, to: Table<Entity>.self)
            if table.withRow(at: slot, { body(UnsafeRawPointer($0)) }) == nil { body(nil) }
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
        rival = { context, slot, first in
            context.rival(of: Entity.self, at: slot, from: first)
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
