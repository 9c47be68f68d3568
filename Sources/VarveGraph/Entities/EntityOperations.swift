public import VarveEvents

/// Operations on a type's table, compiled in the module that declares the type.
///
/// The library walks tables without knowing their types; these closures are made by generic code
/// that generated code calls with a concrete type, so their bodies are specialised there.
@usableFromInline
package struct EntityOperations: Sendable {
    @usableFromInline package var makeTable: @Sendable (EntityDescriptor) -> AnyTable
    /// A table with the same content, which shares all pages.
    @usableFromInline var clone: @Sendable (AnyTable) -> AnyTable
    /// A table with the same ids, rows and journal of rows, which shares their pages, and nothing else.
    @usableFromInline var rowsAlone: @Sendable (AnyTable) -> AnyTable
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
    @usableFromInline package var makePart: @Sendable (AnyTable, Int) -> AnyTable
    /// Takes over the rows and ids of such parts, the first for the slots from one on.
    @usableFromInline let attach: @Sendable (AnyTable, [AnyTable], Int) -> Void
    /// Puts packed leaves in the place of others with the same rows, which it returns.
    @usableFromInline let replaceLeaves: @Sendable (AnyTable, inout PackedLeaves) -> Void
    /// Drops packed leaves whose places have other rows by now than a table that shared its pages.
    @usableFromInline let dropOutdatedLeaves:
        @Sendable (AnyTable, AnyTable, inout PackedLeaves) -> Void
    /// The slot of an encoded id, or nil where the table does not know it.
    @usableFromInline package let find:
        @Sendable (AnyTable, UnsafeRawBufferPointer) throws(CodecError) -> Slot?
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
    /// Calls the body with the row at each of these slots that has one and meets the condition, until it returns false.
    /// Returns how many rows those were; see ``RowCursor/visit(_:_:for:_:)``.
    @usableFromInline let visit:
        @Sendable (AnyTable, UnsafeBufferPointer<UInt32>, RowTest?, RowUse, RowVisit) -> Int
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
    @usableFromInline var beginDelete: @Sendable (inout Context, Slot) throws -> DeleteEnd?
    // These change the table at a position: that of the type, or that of its tombstones.
    /// The slot of an encoded id, given out now if the id is new.
    @usableFromInline package let intern:
        @Sendable (inout Context, Int, UnsafeRawBufferPointer) throws(CodecError) -> Slot
    /// Puts an encoded row at a slot, at a place in the order, as a logged change without hooks.
    @usableFromInline package let restoreRow:
        @Sendable (inout Context, Int, Slot, UnsafeRawBufferPointer, UInt64) throws(CodecError)
            -> Void
    /// Removes the row at a slot, which may keep its place, as a logged change without hooks.
    @usableFromInline package let dropRow: @Sendable (inout Context, Int, Slot, Bool) -> Void

    @inlinable
    init<Entity: EntityModelProtocol>(_ type: Entity.Type) {
        makeTable = { Table<Entity>(descriptor: $0) }
        clone = { Table(copying: $0.rows(of: Entity.self)) }
        rowsAlone = { Table(rowsOf: $0.rows(of: Entity.self)) }
        storeID = { (table, slot, writer) throws(CodecError) in
            try table.rows(of: Entity.self).storeID(of: slot, into: &writer)
        }
        storeRow = { (table, slot, writer) throws(CodecError) in
            let table = table.rows(of: Entity.self)
            try table.withRow(at: slot, isOnce: true) { (row) throws(CodecError) in
                try row.borrowing { (row: borrowing Entity) throws(CodecError) in
                    try row._store(into: &writer)
                }
            }
        }
        storeBefore = { (table, before, writer) throws(CodecError) in
            let table = table.rows(of: Entity.self)
            try table.beforeRows[Int(before)]._store(into: &writer)
        }
        compare = { (table, before, slot, changes) throws(CodecError) in
            let table = table.rows(of: Entity.self)
            guard let row = table.row(at: slot) else { return }
            try Entity._changes(
                from: table.beforeRows[Int(before)], to: row.pointee, into: &changes)
        }
        isLive = { $0.rows(of: Entity.self).hasRow(at: $1) }
        metadata = { $0.rows(of: Entity.self).storedMetadata(of: $1) }
        liveSlots = { $0.rows(of: Entity.self).collectLiveSlots() }
        load = { (table, slot, id, row, metadata) throws(CodecError) in
            let table = table.rows(of: Entity.self)
            return try table.load(at: slot, id: id, row: row, metadata: metadata)
        }
        decode = { (entity, body) throws(CodecError) in try Table<Entity>.decode(entity, body) }
        loadValue = { (table, entity, slot) throws(CodecError) in
            try table.rows(of: Entity.self).loadValue(entity, at: slot)
        }
        placeLeaf = { $0.rows(of: Entity.self).cells.placeLeaf($1, at: $2) }
        makePart = { Table<Entity>(partOf: $0, at: $1) }
        attach = { $0.rows(of: Entity.self).attach($1, at: $2) }
        replaceLeaves = { $0.rows(of: Entity.self).replace(&$1) }
        dropOutdatedLeaves = { table, other, leaves in
            table.rows(of: Entity.self).dropOutdated(
                &leaves, since: other.rows(of: Entity.self))
        }
        find = { (table, id) throws(CodecError) in
            var reader = ByteReader(id)
            return table.rows(of: Entity.self)
                .slot(of: try Entity._loadID(from: &reader))
        }
        metadataOffset = Table<Entity>.metadataOffset
        row = {
            $0.rows(of: Entity.self).row(at: $1).map { UnsafeRawPointer($0) }
        }
        withRow = { table, slot, isOnce, body in
            let table = table.rows(of: Entity.self)
            if table.withRow(at: slot, isOnce: isOnce, { body(UnsafeRawPointer($0)) }) == nil {
                body(nil)
            }
        }
        visitAll = { table, isPassing, body in
            table.rows(of: Entity.self).forEachRow(isPassing: isPassing) {
                body($0.rawValue, UnsafeRawPointer($1))
            }
        }
        visit = { table, slots, test, use, body in
            var rows = RowCursor(table.rows(of: Entity.self))
            return rows.visit(slots, test, for: use, body)
        }
        withBefore = { table, before, body in
            let table = table.rows(of: Entity.self)
            table.beforeRows.withUnsafeBufferPointer { rows in
                guard let base = rows.baseAddress else { return }
                body(UnsafeRawPointer(base + Int(before)))
            }
        }
        amendRow = { (table, slot, body) throws(CodecError) in
            let table = table.rows(of: Entity.self)
            let cell = table.cells.mutablePointer(at: slot.index)
            guard cell.pointee.row != nil else { return }
            try body(UnsafeMutableRawPointer(cell))
        }
        clearBeforeRows = { table in
            table.rows(of: Entity.self).beforeRows.emptied()
        }
        takeBeforeRows = { table in
            var rows: ContiguousArray<Entity> = []
            swap(&rows, &table.rows(of: Entity.self).beforeRows)
            return rows
        }
        putBeforeRows = { table, rows in
            guard let rows = rows as? ContiguousArray<Entity> else {
                preconditionFailure("before-rows of another type")
            }
            table.rows(of: Entity.self).beforeRows = rows
        }
        intern = { (context, position, id) throws(CodecError) in
            var reader = ByteReader(id)
            let id = try Entity._loadID(from: &reader)
            return context.internSlot(of: Entity.self, id, in: position)
        }
        restoreRow = { (context, position, slot, row, ordinal) throws(CodecError) in
            try context.restoreRow(
                of: Entity.self, at: slot, in: position, from: row, ordinal: ordinal)
        }
        dropRow = { context, position, slot, keepsPlace in
            context.removeRow(Entity.self, at: slot, in: position, keepsPlace: keepsPlace)
        }
        beginDelete = { context, slot in try context.beginDelete(Entity.self, at: slot) }
    }

    /// The operations on the tombstones of the type of these. They work on rows as these do; tables are made, and a
    /// deletion begins, as those of tombstones.
    ///
    /// Without them an app compiled all operations for `Deleted<Entity>` too, which was half of the code of an entity.
    func ofTombstones<Entity: EntityModelProtocol>(_ type: Deleted<Entity>.Type) -> Self {
        precondition(
            MemoryLayout<Deleted<Entity>?>.size == MemoryLayout<Entity?>.size
                && MemoryLayout<Deleted<Entity>>.alignment == MemoryLayout<Entity>.alignment,
            "a tombstone is laid out as its entity")
        var operations = self
        operations.makeTable = { Table<Deleted<Entity>>(descriptor: $0) }
        operations.clone = { Table(copying: $0.rows(of: type)) }
        operations.rowsAlone = { Table(rowsOf: $0.rows(of: type)) }
        operations.makePart = { Table<Deleted<Entity>>(partOf: $0, at: $1) }
        operations.beginDelete = { context, slot in try context.beginDelete(type, at: slot) }
        return operations
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
