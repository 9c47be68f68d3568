// A new table is filled with what a log or a checkpoint holds. What needs the entity's type is here; the rest, which is
// compiled once, is in AnyTable+Loading.swift.

extension Table {
    /// Makes the row of an entity, and calls `body` with its address, which is good for the call alone, and the hash
    /// of its id.
    @inlinable
    static func decode(
        _ entity: LoadedEntity, _ body: (UnsafeRawPointer, UInt64) -> Void
    ) throws(CodecError) {
        let (made, hash) = try makeRow(entity)
        let row: Entity? = consume made
        withUnsafePointer(to: row) { body($0, hash) }
    }

    /// Keeps the row of an entity as a value. Returns the hash of its id.
    @inlinable
    func loadValue(_ entity: LoadedEntity, at slot: Slot) throws(CodecError) -> UInt64 {
        let (row, hash) = try Table.makeRow(entity)
        let cell = cell(toChange: slot)
        // Without `consume` the row is copied, which counts a reference to each of its texts.
        cell.pointee.row = consume row
        cell.pointee.metadata = entity.metadata
        return hash
    }

    @inlinable
    static func makeRow(
        _ entity: LoadedEntity
    ) throws(CodecError) -> (row: Entity, idHash: UInt64) {
        var idReader = ByteReader(entity.id)
        let id = try Entity._loadID(from: &idReader)
        // The row of a packed leaf is read behind its id.
        try idReader.expectEnd()
        let hash = Entity._hashID(id)
        var reader = ByteReader(entity.row)
        return (try Entity(_id: consume id, from: &reader), hash)
    }
}
