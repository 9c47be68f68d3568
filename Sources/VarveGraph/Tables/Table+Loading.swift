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

    /// A part's ids are found only in the table that it becomes a part of.
    @inlinable
    func appendLoadedSlot(hash: UInt64) -> Slot {
        guard let partStart else { return appendSlot(hash: hash) }
        let slot = Slot(slotCount)
        slotCount += 1
        loadedIDs.append(IDEntry.make(hash, Slot(partStart + slot.index)))
        return slot
    }

    /// Appends entities that are all there. Many at a time: nothing is looked up that is the same for all of
    /// them. Their ids are found only after ``finishLoading()``.
    ///
    /// Each is made once, for what the indexes hold of it and to know that it can be read, and then kept as its
    /// bytes.
    @inlinable
    func load(_ entities: UnsafeBufferPointer<LoadedEntity>) throws(CodecError) {
        if loadedEntries.isEmpty { makeLoadedEntries() }
        let notes = RowNotes(indexDefinitions, loadedEntries, shift: partStart ?? 0)
        var rest = entities[...]
        while !rest.isEmpty {
            let room = PackedLeaf.width - slotCount & (PackedLeaf.width - 1)
            let leaf = UnsafeBufferPointer(rebasing: rest.prefix(room))
            // A part of a leaf would be unpacked again by what comes next.
            if leaf.count == PackedLeaf.width, descriptor.mayBePacked, Table.servesPacked(leaf) {
                try loadPacked(leaf, notes)
            } else {
                try loadValues(of: leaf, notes)
            }
            rest = rest.dropFirst(leaf.count)
        }
    }

    /// The entities of one leaf, which keeps their bytes.
    @inlinable
    func loadPacked(
        _ entities: UnsafeBufferPointer<LoadedEntity>, _ notes: borrowing RowNotes<Entity>
    ) throws(CodecError) {
        let first = slotCount
        for entity in entities {
            // One at a time: what one row took from the heap is at hand for the next.
            var row: Entity? = try makeRow(entity)
            withUnsafePointer(to: &row) { row in
                let row = UnsafeRawPointer(row).assumingMemoryBound(to: Entity.self)
                notes.note(row, at: slotCount, ordinal: entity.metadata.ordinal)
            }
            slotCount += 1
        }
        cells.placeLeaf(Table.packed(entities), at: first)
        // When they are there: what is noted depends on the rows beside.
        for (position, entity) in entities.enumerated() {
            noteLoaded(Slot(first + position), ordinal: entity.metadata.ordinal)
        }
    }

    /// Entities that are kept as values.
    @inlinable
    func loadValues(
        of entities: UnsafeBufferPointer<LoadedEntity>, _ notes: borrowing RowNotes<Entity>
    ) throws(CodecError) {
        for entity in entities {
            let row = try makeRow(entity)
            let cell = cells.mutablePointer(at: slotCount)
            // Without `consume` the row is copied, which counts a reference to each of its texts.
            cell.pointee.row = consume row
            cell.pointee.metadata = entity.metadata
            notes.note(
                UnsafeRawPointer(cell).assumingMemoryBound(to: Entity.self), at: slotCount,
                ordinal: entity.metadata.ordinal)
            slotCount += 1
            noteLoaded(Slot(slotCount - 1), ordinal: entity.metadata.ordinal)
        }
    }

    /// Makes the row of the next slot, and notes its id.
    @inlinable
    func makeRow(_ entity: LoadedEntity) throws(CodecError) -> Entity {
        precondition(slotCount < Int(UInt32.max), "a table holds at most four billion ids")
        var idReader = ByteReader(entity.id)
        let id = try Entity._loadID(from: &idReader)
        // The row of a packed leaf is read behind its id.
        try idReader.expectEnd()
        loadedIDs.append(
            IDEntry.make(Entity._hashID(id), Slot((partStart ?? 0) + slotCount)))
        var reader = ByteReader(entity.row)
        return try Entity(_id: consume id, from: &reader)
    }

    @usableFromInline
    func makeLoadedEntries() {
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
    @inlinable
    func takeLoadedEntries(_ index: Int) -> [ContiguousArray<IndexEntry>]? {
        guard index < loadedEntries.count else { return nil }
        let parts = loadedEntries[index].takeAll()
        // Rows that were not loaded many at a time are read again.
        return parts.reduce(0, { $0 + $1.count }) == liveCount ? parts : nil
    }

    /// Appends parts that were loaded at the same time, by several threads: each but the last has as many
    /// slots as a part takes.
    @inlinable
    func append(_ parts: [AnyTable]) {
        var isOrdered = order.slotsByOrdinal == nil
        loadedIDs.reserveCapacity(parts.reduce(loadedIDs.count) { $0 + $1.slotCount })
        cells.attach(
            parts.lazy.map { unsafeDowncast($0, to: Table<Entity>.self).cells }, at: slotCount,
            span: AnyTable.partShift)
        for part in parts {
            let part = unsafeDowncast(part, to: Table<Entity>.self)
            precondition(part.partStart == slotCount, "a part of another place")
            let start = slotCount
            part.vacantIDs.forEachLeaf { first, ids in
                for offset in ids.indices where ids[offset] != nil {
                    vacantIDs[start + first + offset] = ids[offset]
                }
                return true
            }
            loadedIDs.append(contentsOf: part.loadedIDs)
            part.loadedIDs = []
            appendEntries(of: part)
            isOrdered = isOrdered && part.isOrdered(behind: order.greatestOrdinal)
            if part.order.greatestSlot >= 0 {
                order.greatestSlot = start + part.order.greatestSlot
                order.greatestOrdinal = max(order.greatestOrdinal, part.order.greatestOrdinal)
            }
            slotCount += part.slotCount
            liveCount += part.liveCount
            nextOrdinal = max(nextOrdinal, part.nextOrdinal)
        }
        if !isOrdered { materializeOrder() }
    }

    @usableFromInline
    func appendEntries(of part: Table<Entity>) {
        if loadedEntries.isEmpty { makeLoadedEntries() }
        for (index, noted) in part.loadedEntries.enumerated() {
            loadedEntries[index].parts += noted.takeAll()
        }
    }

    /// The first slot that has a row.
    @inlinable var firstSlot: Slot? {
        var found: Slot?
        cells.forEachNode { first, node in
            let position = (0..<PackedLeaf.width).first {
                Table.hasRow(at: Cell.place(at: $0, of: node))
            }
            found = position.map { Slot(first + $0) }
            return found == nil
        }
        return found
    }

    /// Whether slot order is the order of ordinals, all of which are above another one.
    @inlinable
    func isOrdered(behind ordinal: UInt64) -> Bool {
        guard order.slotsByOrdinal == nil else { return false }
        guard let first = firstSlot else { return true }
        return storedMetadata(of: first).ordinal > ordinal
    }

    /// Makes the ids known that were loaded.
    @inlinable
    func finishLoading() {
        ids.insert(contentsOf: loadedIDs)
        loadedIDs = []
    }

    @inlinable
    func noteLoaded(_ slot: Slot, ordinal: UInt64) {
        if partStart == nil {
            didInsert(slot, ordinal: ordinal)
        } else {
            liveCount += 1
            order.noteInPart(slot.rawValue, ordinal: ordinal)
        }
        nextOrdinal = max(nextOrdinal, ordinal + 1)
    }
}
