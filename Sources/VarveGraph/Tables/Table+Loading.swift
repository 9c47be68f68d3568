// A new table is filled with what a log or a checkpoint holds. What needs the entity's type is here; the rest, which is
// compiled once, is in AnyTable+Loading.swift.

extension Table {
    /// Appends a slot with an id, or takes a known one, and puts a row there where there are row
    /// bytes. For filling a new table.
    @inlinable
    func load(
        at knownSlot: Slot?, id idBytes: UnsafeRawBufferPointer,
        row rowBytes: UnsafeRawBufferPointer?, metadata: RowMetadata
    ) throws(CodecError) -> Slot {
        var idReader = ByteReader(idBytes)
        let id = try Entity._loadID(from: &idReader)
        let slot = knownSlot ?? appendLoadedSlot(hash: Entity._hashID(id))
        guard let rowBytes else {
            vacantIDs[slot.index] = id
            if metadata.isFormer {
                cells.mutablePointer(at: slot.index).pointee.metadata = metadata
            }
            return slot
        }
        var reader = ByteReader(rowBytes)
        let row = try Entity(_id: id, from: &reader)
        let cell = cells.mutablePointer(at: slot.index)
        cell.pointee.row = row
        cell.pointee.metadata = metadata
        vacantIDs.clear(at: slot.index) { $0 == nil }
        noteLoaded(slot, ordinal: metadata.ordinal)
        return slot
    }

    /// A table that is loaded to become a part of another, for the slots from one on.
    @inlinable
    convenience init(partOf table: AnyTable, at start: Int) {
        self.init(descriptor: table.descriptor)
        becomePart(at: start)
        // Of no use: the table that takes the rows over makes one for all parts.
        cells.dropDirectory()
    }

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
        let cell = cells.mutablePointer(at: slot.index)
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

    /// Takes over the rows of parts and their ids without a row, the first for the slots from one on.
    @inlinable
    func attach(_ parts: [AnyTable], at start: Int) {
        cells.attach(
            parts.lazy.map { $0.rows(of: Entity.self).cells }, at: start,
            span: AnyTable.partShift)
        for (number, part) in parts.enumerated() {
            let start = start + number << AnyTable.partShift
            part.rows(of: Entity.self).vacantIDs.forEachLeaf { first, ids in
                for offset in ids.indices where ids[offset] != nil {
                    vacantIDs[start + first + offset] = ids[offset]
                }
                return true
            }
        }
    }
}
