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

    /// Appends entities that are all there. Many at a time: the table's own path is walked once for
    /// each leaf, and nothing is looked up that is the same for all of them. Their ids are found only
    /// after ``finishLoading()``.
    @inlinable
    func load(_ entities: UnsafeBufferPointer<LoadedEntity>) throws(CodecError) {
        let leafMask = (1 &<< cells.leafShift) &- 1
        let first = slotCount
        let start = partStart ?? 0
        var cell: UnsafeMutablePointer<Cell>?
        for entity in entities {
            var idReader = ByteReader(entity.id)
            let id = try Entity._loadID(from: &idReader)
            precondition(slotCount < Int(UInt32.max), "a table holds at most four billion ids")
            let slot = Slot(slotCount)
            slotCount += 1
            loadedIDs.append(IDEntry.make(Entity._hashID(id), Slot(start + slot.index)))
            var reader = ByteReader(entity.row)
            let row = try Entity(_id: consume id, from: &reader)
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
        noteEntries(from: first)
    }

    /// Notes what the indexes hold of rows that were just loaded, while they and
    /// their texts are in the cache.
    @inlinable
    func noteEntries(from first: Int) {
        if loadedEntries.isEmpty { makeLoadedEntries() }
        for index in indexDefinitions.indices where indexDefinitions[index].textFields == nil {
            noteEntries(from: first, indexDefinitions[index].key, in: loadedEntries[index])
        }
    }

    @inlinable
    func noteEntries(
        from first: Int, _ key: (UnsafePointer<Entity>) -> (key: UInt64, isExact: Bool),
        in noted: LoadedEntries
    ) {
        let start = partStart ?? 0
        // Moved out meanwhile: an array inside of an object is checked at each entry.
        var entries = ContiguousArray<IndexEntry>()
        swap(&entries, &noted.entries)
        var slot = first
        while slot < slotCount {
            // The path is walked once for each leaf.
            let end = min(slotCount, (slot | ((1 &<< cells.leafShift) &- 1)) + 1)
            defer { slot = end }
            guard let place = cells.pointer(at: slot) else { continue }
            for offset in 0..<end - slot {
                guard let row = Table.row(in: place + offset) else { continue }
                entries.append(
                    IndexEntry(
                        key: key(row).key, ordinal: Table.metadata(besideRow: row).ordinal,
                        slot: UInt32(truncatingIfNeeded: start + slot + offset)))
            }
        }
        swap(&entries, &noted.entries)
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

    /// The entries of an index for all rows, in the order of their ordinals, if they were noted while
    /// the rows were loaded. They are given away. Several threads may ask, each for another index.
    @inlinable
    func takeLoadedEntries(_ index: Int) -> [ContiguousArray<IndexEntry>]? {
        guard index < loadedEntries.count else { return nil }
        let parts = loadedEntries[index].takeAll()
        // Rows that were not loaded many at a time are read again.
        guard parts.reduce(0, { $0 + $1.count }) == liveCount else { return nil }
        // Sorting what was noted in the order of slots takes a fraction of what reading rows here and there does.
        return order.slotsByOrdinal == nil ? parts : [PostingTree.inOrderOfOrdinals(parts)]
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

    /// Whether slot order is the order of ordinals, all of which are above another one.
    @inlinable
    func isOrdered(behind ordinal: UInt64) -> Bool {
        guard order.slotsByOrdinal == nil else { return false }
        var isBehind = true
        forEachRow { _, row in
            isBehind = Table.metadata(besideRow: row).ordinal > ordinal
            return false
        }
        return isBehind
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
