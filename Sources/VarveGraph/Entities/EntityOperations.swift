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
    @usableFromInline let cells: CellOperations
    /// Makes a leaf of ids of slots without a row.
    @usableFromInline let makeIDLeaf: @Sendable (UnsafeRawPointer?, Int) -> AnyObject
    /// Makes the row of an entity, and calls the body with its address, which is good for the call alone, and the
    /// hash of its id.
    @usableFromInline let decode:
        @Sendable (LoadedEntity, (UnsafeRawPointer, UInt64) -> Void) throws(CodecError) -> Void
    /// Keeps the row of an entity in a new table, at a slot, as a value. Returns the hash of its id.
    @usableFromInline let loadValue:
        @Sendable (AnyTable, LoadedEntity, Slot) throws(CodecError) -> UInt64
    /// Keeps an encoded id for a slot without a row, in a new table. Returns its hash.
    @usableFromInline let loadVacantID:
        @Sendable (AnyTable, UnsafeRawBufferPointer, Slot) throws(CodecError) -> UInt64
    /// A slot has no id of its own any more. Returns whether no slot of its leaf has one.
    @usableFromInline let clearVacantID: @Sendable (AnyTable, Slot) -> Bool
    /// Makes a row of encoded fields and the id of a slot of the table at a position, and calls the body with its address.
    @usableFromInline let decodeRow:
        @Sendable (
            inout Context, Int, Slot, UnsafeRawBufferPointer,
            (inout Context, UnsafeRawPointer) -> Void
        ) throws(CodecError) -> Void
    /// The slot of an encoded id, or nil where the table does not know it.
    @usableFromInline package let find:
        @Sendable (AnyTable, UnsafeRawBufferPointer) throws(CodecError) -> Slot?
    /// The slot of the id of a row, if the table has one, and the hash of the id.
    @usableFromInline let slotOfRow: @Sendable (AnyTable, UnsafeRawPointer) -> (Slot?, UInt64)
    /// Puts a copy of a row at a slot; see ``Table/put(_:at:stamp:ordinal:_:)``.
    @usableFromInline let put: @Sendable (AnyTable, UnsafeRawPointer, Slot, Stamp, UInt64) -> Void
    /// Removes the row at a slot, which may keep its place.
    @usableFromInline let remove: @Sendable (AnyTable, Slot, Stamp, Bool) -> Void
    /// Lets the body work on the address of a before-row of the table's journal.
    @usableFromInline package let withBefore:
        @Sendable (AnyTable, Int32, (UnsafeRawPointer) -> Void) -> Void
    /// Drops the before-rows of the table's journal; returns what is left of a large one.
    @usableFromInline let clearBeforeRows: @Sendable (AnyTable) -> (any Sendable)?
    /// Takes the before-rows away from the table's journal.
    @usableFromInline let takeBeforeRows: @Sendable (AnyTable) -> any Sendable
    /// Gives the before-rows back that were taken away from the journal of a table of this type.
    @usableFromInline let putBeforeRows: @Sendable (AnyTable, any Sendable) -> Void
    /// Starts to delete the row at a slot; see ``Context/delete(at:)``.
    @usableFromInline var beginDelete: @Sendable (inout Context, Slot) throws -> DeleteEnd?
    /// The slot of an encoded id in the table at a position, that of the type or of its tombstones; given out now if the
    /// id is new.
    @usableFromInline package let intern:
        @Sendable (inout Context, Int, UnsafeRawBufferPointer) throws(CodecError) -> Slot

    @inlinable
    init<Entity: EntityModelProtocol>(_ type: Entity.Type) {
        makeTable = { Table<Entity>(descriptor: $0) }
        clone = { Table(copying: $0.rows(of: Entity.self)) }
        rowsAlone = { Table(rowsOf: $0.rows(of: Entity.self)) }
        storeID = { (table, slot, writer) throws(CodecError) in
            try table.rows(of: Entity.self).storeID(of: slot, into: &writer)
        }
        cells = CellOperations(type)
        makeIDLeaf = { PagedLeaf<Entity.ID?>.make(of: $0, count: $1) }
        decode = { (entity, body) throws(CodecError) in try Table<Entity>.decode(entity, body) }
        loadValue = { (table, entity, slot) throws(CodecError) in
            try table.rows(of: Entity.self).loadValue(entity, at: slot)
        }
        loadVacantID = { (table, id, slot) throws(CodecError) in
            var reader = ByteReader(id)
            let id = try Entity._loadID(from: &reader)
            table.rows(of: Entity.self).setVacantID(id, of: slot)
            return Entity._hashID(id)
        }
        clearVacantID = { $0.rows(of: Entity.self).clearOwnID(of: $1) }
        decodeRow = { (context, position, slot, bytes, body) throws(CodecError) in
            var reader = ByteReader(bytes)
            let id = context.tables.tables[rows: position].rows(of: Entity.self).id(of: slot)
            let row = try Entity(_id: id, from: &reader)
            withUnsafePointer(to: row) { body(&context, $0) }
        }
        find = { (table, id) throws(CodecError) in
            var reader = ByteReader(id)
            return table.rows(of: Entity.self)
                .slot(of: try Entity._loadID(from: &reader))
        }
        slotOfRow = { table, row in
            let id = row.assumingMemoryBound(to: Entity.self).pointee.id
            let hash = Entity._hashID(id)
            return (table.rows(of: Entity.self).slot(of: id, hash: hash), hash)
        }
        put = { table, row, slot, stamp, ordinal in
            table.rows(of: Entity.self).put(
                row.assumingMemoryBound(to: Entity.self).pointee, at: slot, stamp: stamp,
                ordinal: ordinal)
        }
        remove = { table, slot, stamp, keepsPlace in
            table.rows(of: Entity.self).remove(at: slot, stamp: stamp, keepsPlace: keepsPlace)
        }
        withBefore = { table, before, body in
            let table = table.rows(of: Entity.self)
            table.beforeRows.withUnsafeBufferPointer { rows in
                precondition(rows.indices.contains(Int(before)), "a before-row that is not there")
                body(UnsafeRawPointer(rows.baseAddress.unsafelyUnwrapped + Int(before)))
            }
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

    /// Calls `body` with two values in their places.
    @inlinable @inline(__always)
    func borrowing<Result, Failure: Error>(
        with other: UnsafePointer,
        _ body: (borrowing Pointee, borrowing Pointee) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(pointee, other.pointee)
    }
}
