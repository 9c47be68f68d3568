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
        let slot = knownSlot ?? appendSlot(hash: Entity._hashID(id))
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

    /// Appends entities that are all there. Many at a time: the table's own path is walked once for
    /// each leaf, and nothing is looked up that is the same for all of them. Their ids are found only
    /// after ``finishLoading()``.
    @inlinable
    func load(_ entities: UnsafeBufferPointer<LoadedEntity>) throws(CodecError) {
        let leafMask = (1 &<< cells.leafShift) &- 1
        var cell: UnsafeMutablePointer<Cell>?
        for entity in entities {
            var idReader = ByteReader(entity.id)
            let id = try Entity._loadID(from: &idReader)
            precondition(slotCount < Int(UInt32.max), "a table holds at most four billion ids")
            let slot = Slot(slotCount)
            slotCount += 1
            loadedIDs.append(IDEntry.make(Entity._hashID(id), slot))
            var reader = ByteReader(entity.row)
            let row = try Entity(_id: id, from: &reader)
            let isNextLeaf = slot.index & leafMask == 0
            let place =
                cell.flatMap { isNextLeaf ? nil : $0 + 1 }
                ?? cells.mutablePointer(at: slot.index)
            // Without `consume` the row is copied, which counts a reference to each of its texts.
            place.pointee.row = consume row
            place.pointee.metadata = entity.metadata
            noteLoaded(slot, ordinal: entity.metadata.ordinal)
            cell = place
        }
    }

    /// Makes the ids known that were loaded.
    @inlinable
    func finishLoading() {
        ids.insert(contentsOf: loadedIDs)
        loadedIDs = []
    }

    @inlinable
    func noteLoaded(_ slot: Slot, ordinal: UInt64) {
        didInsert(slot, ordinal: ordinal)
        nextOrdinal = max(nextOrdinal, ordinal + 1)
    }
}
