// Saves of several entities, and look-ups of several ids, look at memory that is rarely in the processor's caches:
// pages of ids and of unique indexes, rows and their links. One after the other, each waits for its own. Asked
// for beforehand, what a group of them looks at comes while the processor goes on. Nothing else changes by it, but that
// a key that was made to ask by is kept for the save.

extension Context {
    /// Saves entities from one on, one after the other, handing the slot of each to the closure.
    ///
    /// - Parameter isNested: whether another entity holds these; see ``saveOne(_:_:_:isNested:)``.
    /// - Returns: how many are saved: all, or those up to the first of which something waits.
    @inlinable
    mutating func save<Entity: EntityModelProtocol>(
        _ entities: UnsafeBufferPointer<Entity>, from first: Int, _ options: MergeStrategy<Entity>,
        isNested: Bool, _ didSave: (Slot) -> Void
    ) throws -> Int {
        guard let base = entities.baseAddress else { return 0 }
        let waiting = session.pending.count
        return try withUnsafeTemporaryAllocation(
            of: UInt64.self, capacity: TableAhead.groupCount
        ) { keys in
            var start = first
            while start < entities.count {
                // What comes behind one that had to wait, in its group, was asked for with it.
                let offset = start % TableAhead.groupCount
                let count = min(TableAhead.groupCount - offset, entities.count - start)
                let group = UnsafeBufferPointer(start: base + start, count: count)
                let index = offset == 0 && count > 1 ? askAhead(of: group, keys) : nil
                // By position: a loop over the elements would copy each once more.
                for position in 0..<count {
                    // Exact, as all that is foreseeable: it stands by hash.
                    let foreseen = index.map {
                        ForeseenKey(
                            of: base + start + position, KnownKey(of: $0, (keys[position], true)))
                    }
                    didSave(try saveOne(group[position], options, foreseen, isNested: isNested))
                    if session.pending.count > waiting { return start + position + 1 }
                }
                start += count
            }
            return start
        }
    }

    /// Asks the processor for what saves of these entities will look at.
    ///
    /// - Parameter keys: room for a key of each entity.
    /// - Returns: the number of the unique index that they are keys of then: the last that is foreseeable, if one is.
    @inlinable
    func askAhead<Entity: EntityModelProtocol>(
        of entities: UnsafeBufferPointer<Entity>, _ keys: UnsafeMutableBufferPointer<UInt64>
    ) -> Int? {
        guard let position = tables.position(of: Entity._descriptor),
            let base = entities.baseAddress
        else { return nil }
        let stride = MemoryLayout<Entity>.stride
        var index: Int?
        if tables.tables[rows: position].isLarge {
            if Entity._descriptor.hasForeseeableID {
                for place in entities.indices {
                    keys.initializeElement(at: place, to: Entity._hashID(base[place].id))
                }
            }
            index = tables.tables[rows: position].prefetchSaves(
                at: base, stride: stride, count: entities.count, keys)
        }
        askAhead(ofRelationsOf: position, at: base, stride: stride, count: entities.count)
        return index
    }

    /// Asks for what the save of one entity will look at, where the save before it was of an id that was not there: the
    /// places of the id and of unique values come side by side then. Of an id that is there mostly the first alone is
    /// looked at.
    ///
    /// Ids and unique values are read, and hashed, as they are before `willSave` runs.
    @inlinable
    func prefetch<Entity: EntityModelProtocol>(probablyNew entity: Entity) {
        guard Entity._descriptor.hasUniqueIndexes,
            let position = tables.position(of: Entity._descriptor)
        else { return }
        let table = tables.tables[rows: position]
        guard table.lastSaveWasNew, table.isLarge else { return }
        let idHash = Entity._descriptor.hasForeseeableID ? Entity._hashID(entity.id) : 0
        // The key is not kept: a copy of the entity to compare with would cost as much as making it anew.
        withUnsafePointer(to: entity) { table.prefetchSave(of: $0, idHash: idHash) }
    }

    /// Asks for the rows that relations lead to, and for their links back.
    @usableFromInline
    func askAhead(
        ofRelationsOf position: Int, at base: UnsafeRawPointer, stride: Int, count: Int
    ) {
        for relation in tables.tables[rows: position].descriptor.relations.indices {
            askAhead(
                ofRelation: relation, of: position, at: base, stride: stride, count: count)
        }
    }

    private func askAhead(
        ofRelation index: Int, of position: Int, at base: UnsafeRawPointer, stride: Int, count: Int
    ) {
        let resolved = tables.tables[rows: position].relations[index]
        let child = tables.tables[rows: resolved.childTable]
        guard child.isFilled, child.isLarge, child.descriptor.hasPlainID else { return }
        let collectHashes = tables.tables[rows: position].descriptor.relations[index].collectHashes
        let base = base + tables.tables[rows: position].descriptor.relations[index].offset
        var hashes = ContiguousArray<UInt64>()
        hashes.reserveCapacity(count)
        for entity in 0..<count where hashes.count < TableAhead.relatedCount {
            collectHashes(base + entity * stride, &hashes, TableAhead.relatedCount)
        }
        guard !hashes.isEmpty else { return }
        let slots = child.findAhead(hashes)
        child.askForRows(at: slots)
        guard let inverse = resolved.inverse else { return }
        child.askForLinks(of: slots, relation: inverse)
    }
}

/// The key that an entity has in a unique index, made before its save: it counts as long as the value is the same. A
/// value whose hash changes while it stays equal to itself, as that of an object may, is none for an index.
@usableFromInline
struct ForeseenKey {
    /// The entity as it was then, which is there until its save has returned.
    let entity: UnsafeRawPointer
    let key: KnownKey

    @usableFromInline
    init(of entity: UnsafeRawPointer, _ key: KnownKey) {
        self.entity = entity
        self.key = key
    }
}

/// How far saves and look-ups look ahead.
@usableFromInline
enum TableAhead {
    /// How many saves are looked ahead of. What one of them looks at is up to 4 KiB; more of that than a core's
    /// own caches hold would be gone again when its turn comes.
    @inlinable static var groupCount: Int { 16 }
    /// How many related entities are asked for, for a group.
    static var relatedCount: Int { 64 }
    /// Smaller tables are in the caches anyway.
    @inlinable static var leastSlotCount: Int { 1 << 14 }
}

extension AnyTable {
    /// Whether looking something up in the table waits for memory.
    @inlinable var isLarge: Bool { slotCount >= TableAhead.leastSlotCount }
}

extension AnyTable {
    /// Asks for the pages of ids and of unique indexes that saves of these entities will look at.
    ///
    /// What is computed is not asked for: it may be made of what a hook sets before the save.
    ///
    /// - Parameters:
    ///   - keys: room for a key of each entity. The hashes of their ids are there, where these are foreseeable.
    ///   - stride: from one entity to the next, in bytes.
    /// - Returns: the number of the unique index that they are keys of then: the last that is foreseeable, if one is.
    @usableFromInline
    final func prefetchSaves(
        at base: UnsafeRawPointer, stride: Int, count: Int,
        _ keys: UnsafeMutableBufferPointer<UInt64>
    ) -> Int? {
        // One that waits has the places of its changes alone.
        guard isFilled else { return nil }
        let made = UnsafeBufferPointer(rebasing: keys[..<count])
        if descriptor.hasForeseeableID { ids.ask(for: made) }
        var last: Int?
        for index in uniqueIndexes where indexDefinitions[index].isForeseeable {
            let definition = indexDefinitions[index]
            for position in 0..<count {
                keys.initializeElement(
                    at: position, to: definition.key(base + position * stride).key)
            }
            ask(for: made, in: index)
            last = index
        }
        return last
    }

    /// Asks for what the save of one entity will look at in the table.
    ///
    /// - Parameter idHash: of its id, where that is foreseeable.
    @usableFromInline
    final func prefetchSave(of entity: UnsafeRawPointer, idHash: UInt64) {
        guard isFilled else { return }
        guard descriptor.hasForeseeableID else { return askForUniqueValues(of: entity) }
        ids.ask(for: idHash) { askForUniqueValues(of: entity) }
    }

    /// - Parameter start: the first of the unique indexes to look at. The next ones are looked at while it is waited for.
    private final func askForUniqueValues(of entity: UnsafeRawPointer, from start: Int = 0) {
        guard start < uniqueIndexes.count else { return }
        let index = uniqueIndexes[start]
        guard indexDefinitions[index].isForeseeable else {
            return askForUniqueValues(of: entity, from: start + 1)
        }
        ask(for: indexDefinitions[index].key(entity).key, in: index) {
            askForUniqueValues(of: entity, from: start + 1)
        }
    }

    /// Asks for the ids that have these hashes; returns their slots.
    final func findAhead(_ hashes: ContiguousArray<UInt64>) -> ContiguousArray<UInt32> {
        hashes.withUnsafeBufferPointer { ids.askToFind($0) }
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(hashes.count)
        for hash in hashes {
            // The first of several with equal tags is nearly always the one, and else nothing is lost.
            if let entry = ids.candidates(for: hash).first {
                slots.append(IDEntry.slot(entry).rawValue)
            }
        }
        return slots
    }

    /// Prefetches the rows whose ids have these hashes.
    @usableFromInline
    final func askForRows(ofHashes hashes: ContiguousArray<UInt64>) {
        askForRows(at: findAhead(hashes))
    }

    final func askForRows(at slots: ContiguousArray<UInt32>) {
        _ = countRows(at: slots)
    }
}

extension Table {
    /// Calls `body` with each id in order, having asked for its page and its row well before.
    @inlinable
    func forEachAhead(of ids: [Entity.ID], _ body: (Entity.ID) -> Void) {
        guard isLarge, ids.count > 1, descriptor.hasPlainID else { return ids.forEach(body) }
        var hashes = ContiguousArray<UInt64>()
        hashes.reserveCapacity(TableAhead.groupCount)
        var start = 0
        while start < ids.count {
            let end = min(start + TableAhead.groupCount, ids.count)
            hashes.removeAll(keepingCapacity: true)
            for position in start..<end { hashes.append(Entity._hashID(ids[position])) }
            askForRows(ofHashes: hashes)
            for position in start..<end { body(ids[position]) }
            start = end
        }
    }
}
