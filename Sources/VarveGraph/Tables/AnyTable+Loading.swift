extension AnyTable {
    // MARK: - Slots

    /// Gives out a slot for an id that is not known. The id must be there before anything is
    /// looked up: either the caller puts its row next, or it notes the vacant id.
    @usableFromInline
    final func appendSlot(hash: UInt64) -> Slot {
        precondition(slotCount < Int(UInt32.max), "a table holds at most four billion ids")
        let slot = Slot(slotCount)
        slotCount += 1
        ids.insert(hash, slot)
        return slot
    }

    /// A part's ids are found only in the table that it becomes a part of.
    private final func appendLoadedSlot(hash: UInt64) {
        guard partStart != nil else {
            _ = appendSlot(hash: hash)
            return
        }
        noteLoadedID(hash)
        slotCount += 1
    }

    /// Notes the id of the next slot.
    private final func noteLoadedID(_ hash: UInt64) {
        precondition(slotCount < Int(UInt32.max), "a table holds at most four billion ids")
        loadedIDs.append(IDEntry.make(hash, Slot((partStart ?? 0) + slotCount)))
    }

    /// Makes the ids known that were loaded.
    package final func finishLoading() {
        ids.insert(contentsOf: loadedIDs)
        loadedIDs = []
    }

    private final func noteLoaded(_ slot: Slot, ordinal: UInt64) {
        if partStart == nil {
            didInsert(slot, ordinal: ordinal)
        } else {
            liveCount += 1
            order.noteInPart(slot.rawValue, ordinal: ordinal)
        }
        nextOrdinal = max(nextOrdinal, ordinal + 1)
    }

    // MARK: - Rows

    /// Appends a slot with an id, or takes a known one without a row, and puts a row there where there are row bytes. For
    /// filling a new table: there is no way back.
    ///
    /// - Throws: also of a row whose id has bytes behind it: the row of a packed leaf is read from there.
    package final func load(
        at known: Slot?, id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer?,
        metadata: RowMetadata
    ) throws(CodecError) -> Slot {
        let slot = known ?? Slot(slotCount)
        let hash =
            if let row {
                try descriptor.operations.loadValue(
                    self, LoadedEntity(id: id, row: row, metadata: metadata), slot)
            } else { try descriptor.operations.loadVacantID(self, id, slot) }
        if known == nil { appendLoadedSlot(hash: hash) }
        if row != nil {
            clearVacantID(of: slot)
            noteLoaded(slot, ordinal: metadata.ordinal)
        } else if metadata.isFormer {
            setStamps(metadata, of: slot)
        }
        return slot
    }

    /// Appends entities that are all there. Many at a time: nothing is looked up that is the same for all of
    /// them. Their ids are found only after ``finishLoading()``.
    ///
    /// Each is made once, for what the indexes hold of it and to know that it can be read, and then kept as its
    /// bytes.
    package final func load(
        _ entities: UnsafeBufferPointer<LoadedEntity>
    ) throws(CodecError) {
        // Leaves that are made for another table are in no index.
        if loadedEntries.isEmpty, !indexContents.isEmpty { makeLoadedEntries() }
        let notes = RowNotes(indexDefinitions, loadedEntries, shift: partStart ?? 0)
        var rest = entities[...]
        while !rest.isEmpty {
            let room = PackedLeaf.width - slotCount & (PackedLeaf.width - 1)
            let leaf = UnsafeBufferPointer(rebasing: rest.prefix(room))
            // A part of a leaf would be unpacked again by what comes next.
            if leaf.count == PackedLeaf.width, descriptor.mayBePacked, PackedLeaf.serves(leaf) {
                try loadPacked(leaf, notes)
            } else {
                try loadValues(of: leaf, notes)
            }
            rest = rest.dropFirst(leaf.count)
        }
    }

    /// The entities of one leaf, which keeps their bytes.
    private final func loadPacked(
        _ entities: UnsafeBufferPointer<LoadedEntity>, _ notes: borrowing RowNotes
    ) throws(CodecError) {
        let first = slotCount
        for entity in entities {
            // One at a time: what one row took from the heap is at hand for the next.
            try descriptor.operations.decode(entity) { row, hash in
                noteLoadedID(hash)
                notes.note(row, at: slotCount, ordinal: entity.metadata.ordinal)
            }
            slotCount += 1
        }
        cells.placeLeaf(PackedLeaf.make(of: entities), at: first)
        // When they are there: what is noted depends on the rows beside.
        for (position, entity) in entities.enumerated() {
            noteLoaded(Slot(first + position), ordinal: entity.metadata.ordinal)
        }
    }

    /// Entities that are kept as values.
    private final func loadValues(
        of entities: UnsafeBufferPointer<LoadedEntity>, _ notes: borrowing RowNotes
    ) throws(CodecError) {
        for entity in entities {
            let slot = Slot(slotCount)
            noteLoadedID(try descriptor.operations.loadValue(self, entity, slot))
            withRawRow(at: slot) {
                notes.note($0, at: slotCount, ordinal: entity.metadata.ordinal)
            }
            slotCount += 1
            noteLoaded(slot, ordinal: entity.metadata.ordinal)
        }
    }

    // MARK: - Indexes

    private final func makeLoadedEntries() {
        loadedEntries = ContiguousArray(indexDefinitions.map { _ in LoadedEntries() })
        guard partStart != nil else { return }
        loadedIDs.reserveCapacity(1 << AnyTable.partShift)
        for (noted, definition) in zip(loadedEntries, indexDefinitions)
        where definition.textFields == nil {
            noted.entries.reserveCapacity(1 << AnyTable.partShift)
        }
    }

    /// The entries of an index for all rows, in the order of their slots, if they were noted while
    /// the rows were loaded. They are given away. Several threads may ask, each for another index.
    final func takeLoadedEntries(_ index: Int) -> [ContiguousArray<IndexEntry>]? {
        guard index < loadedEntries.count else { return nil }
        let parts = loadedEntries[index].takeAll()
        // Rows that were not loaded many at a time are read again.
        return parts.reduce(0, { $0 + $1.count }) == liveCount ? parts : nil
    }

    // MARK: - Parts

    /// A new table to be loaded, to become the part of this one from a slot on.
    package final func makePart(at start: Int) -> AnyTable {
        let part = descriptor.operations.makeTable(descriptor)
        part.partStart = start
        // Of no use: the table that takes the rows over makes one for all parts.
        part.cells.dropDirectory()
        return part
    }

    /// Appends parts that were loaded at the same time, by several threads: each but the last has as many
    /// slots as a part takes.
    package final func append(_ parts: [AnyTable]) {
        var isOrdered = order.slotsByOrdinal == nil
        loadedIDs.reserveCapacity(parts.reduce(loadedIDs.count) { $0 + $1.slotCount })
        cells.attach(parts.lazy.map(\.cells), at: slotCount, span: AnyTable.partShift)
        vacantIDs.attach(parts.lazy.map(\.vacantIDs), at: slotCount, span: AnyTable.partShift)
        for part in parts {
            precondition(part.partStart == slotCount, "a part of another place")
            loadedIDs.append(contentsOf: part.loadedIDs)
            part.loadedIDs = []
            appendEntries(of: part)
            isOrdered = isOrdered && part.isOrdered(behind: order.greatestOrdinal)
            if part.order.greatestSlot >= 0 {
                order.greatestSlot = slotCount + part.order.greatestSlot
                order.greatestOrdinal = max(order.greatestOrdinal, part.order.greatestOrdinal)
            }
            slotCount += part.slotCount
            liveCount += part.liveCount
            nextOrdinal = max(nextOrdinal, part.nextOrdinal)
        }
        if !isOrdered { materializeOrder() }
    }

    private final func appendEntries(of part: AnyTable) {
        if loadedEntries.isEmpty { makeLoadedEntries() }
        for (index, noted) in part.loadedEntries.enumerated() {
            loadedEntries[index].parts += noted.takeAll()
        }
    }

    /// Whether slot order is the order of ordinals, all of which are above another one.
    private final func isOrdered(behind ordinal: UInt64) -> Bool {
        guard order.slotsByOrdinal == nil else { return false }
        let first = (0..<slotCount).first { isLive(Slot($0)) }
        return first.map { metadata(of: Slot($0)).ordinal > ordinal } ?? true
    }
}

extension PackedLeaf {
    /// Whether the bytes of entities, at most as many as a leaf has, serve better than their values.
    static func serves(_ entities: UnsafeBufferPointer<LoadedEntity>) -> Bool {
        var total = 0
        for entity in entities {
            guard entity.byteCount > 0 else { return false }
            total += entity.byteCount
        }
        return total <= byteCountMax
    }

    /// A leaf of entities' bytes.
    static func make(of entities: UnsafeBufferPointer<LoadedEntity>) -> PackedLeaf {
        make(
            count: entities.count,
            byteCounts: { (entities[$0].id.count, entities[$0].byteCount) },
            metadata: { entities[$0].metadata }
        ) { place in
            var place = place
            for entity in entities { entity.write(to: &place) }
        }
    }
}

extension LoadedEntity {
    fileprivate var byteCount: Int { id.count + row.count }

    /// Writes the id and the row behind it, and moves the place behind both.
    fileprivate func write(to place: inout UnsafeMutableRawPointer) {
        if let start = id.baseAddress { place.copyMemory(from: start, byteCount: id.count) }
        place += id.count
        if let start = row.baseAddress { place.copyMemory(from: start, byteCount: row.count) }
        place += row.count
    }
}
