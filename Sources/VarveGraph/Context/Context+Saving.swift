extension EntityModelProtocol {
    /// Saves the entity, its loaded related entities and its links: all of it or, when anything
    /// throws, nothing.
    ///
    /// - Parameters:
    ///   - context: what the entity is saved into.
    ///   - options: how values merge with stored ones; `.fragment` keeps stored values where the new ones are nil.
    /// - Returns: the id, and whether the entity was inserted, which of its properties and relations have other values
    ///   now, or that nothing has changed.
    /// - Complexity: of an entity that is there, a comparison of its properties with what they were, also where the result
    ///   is not used. The save of an array makes none, and neither does one whose result is `Void`: `let _: Void = try
    ///   note.save(to: &context)`.
    // Inlinable, because the save that it calls is compiled for each entity: from here it would run unspecialized.
    @inlinable
    @discardableResult
    public func save(
        to context: inout Context, options: MergeStrategy<Self> = .default
    ) throws -> SaveResult<Self> {
        context.prefetch(probablyNew: self)
        return try context.saveReporting(self, options)
    }

    // A form of its own, for places that take no result: a function that returns nothing may end with
    // `return try note.save(to: &context)`. Disfavoured, so that a statement and `let result =` mean the other.

    /// Saves the entity as the form with a result does, which is not made.
    @inlinable
    @_disfavoredOverload
    public func save(
        to context: inout Context, options: MergeStrategy<Self> = .default
    ) throws {
        context.prefetch(probablyNew: self)
        _ = try context.save(self, options)
    }
}

extension Sequence where Element: EntityModelProtocol {
    /// Saves all entities, one after the other: all of them or, when anything throws, none.
    ///
    /// In a large context an array of many is saved faster than the same entities one by one: what the
    /// next ones will look at is asked of memory ahead.
    @inlinable
    public func save(
        to context: inout Context, options: MergeStrategy<Element> = .default
    ) throws {
        let mark = context.begin()
        do {
            let count = try withContiguousStorageIfAvailable {
                try context.save($0, from: 0, options, isNested: false) { _ in }
            }
            if count == nil {
                for entity in self { _ = try context.save(entity, options) }
            }
            if !context.session.orphans.isEmpty { try context.deleteOrphans(behind: mark) }
        } catch {
            context.rollBack(to: mark)
            throw error
        }
        context.end(mark)
    }
}

extension Relation {
    /// Saves the entities that the relation holds, without linking them to anything.
    @inlinable
    public func save(to context: inout Context) throws {
        try entities.save(to: &context, options: isFragment ? .fragment : .default)
    }

    /// Saves the entities that the relation holds, without linking them to anything.
    @inlinable
    public func save(_ context: inout Context) throws { try save(to: &context) }
}

extension Context {
    @inlinable
    mutating func saveReporting<Entity: EntityModelProtocol>(
        _ entity: consuming Entity, _ options: MergeStrategy<Entity>
    ) throws -> SaveResult<Entity> {
        let mark = begin()
        let result: SaveResult<Entity>
        do {
            let slot = try saveOne(entity, options, nil, isNested: false)
            if !session.orphans.isEmpty { try deleteOrphans(behind: mark) }
            let outcome = saveOutcome(Entity._descriptor, at: slot, since: mark)
            result = SaveResult(id: id(of: Entity.self, at: slot), outcome)
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark, of: Entity.self)
        return result
    }

    @inlinable
    func id<Entity: EntityModelProtocol>(of type: Entity.Type, at slot: Slot) -> Entity.ID {
        guard let table = rows(of: type) else {
            preconditionFailure("a slot of a table that is missing")
        }
        return table.id(of: slot)
    }

    /// - Parameter foreseen: a key of the entity, as it was handed over.
    @inlinable
    mutating func save<Entity: EntityModelProtocol>(
        _ entity: consuming Entity, _ options: MergeStrategy<Entity>,
        _ foreseen: ForeseenKey? = nil
    ) throws -> Slot {
        let mark = begin()
        let slot: Slot
        do {
            slot = try saveOne(entity, options, foreseen, isNested: false)
            if !session.orphans.isEmpty { try deleteOrphans(behind: mark) }
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark, of: Entity.self)
        return slot
    }

    /// Saves an entity, its relations and what they hold, inside a change that has begun.
    ///
    /// - Parameter isNested: whether another entity holds this one. Where this one holds entities itself, they wait in
    ///   ``Session/pending`` then, and so do its last hooks.
    @inlinable
    mutating func saveOne<Entity: EntityModelProtocol>(
        _ entity: consuming Entity, _ options: MergeStrategy<Entity>,
        _ foreseen: ForeseenKey?, isNested: Bool
    ) throws -> Slot {
        try Entity._assignID(to: &entity, in: &self)
        try entity.willSave(to: &self)
        // The hook may have taken it away again.
        try Entity._assignID(to: &entity, in: &self)
        let isOutdated = isOutdated(entity, options)
        let (slot, isNew) = try put(entity, options, foreseen)
        let start = session.pending.count
        session.isDeferring = false
        if isOutdated {
            saveChildren(ofOutdated: entity)
        } else {
            try entity._saveRelations(to: &self, at: slot)
        }
        if session.isDeferring {
            if isNested {
                deferEnd(of: entity, isNew: isNew, behind: start)
                return slot
            }
            try savePending(from: start)
        }
        try entity.runHooks(behindSaveTo: &self, isNew: isNew)
        return slot
    }

    /// Whether the strategy says that the value is older than the stored one.
    @inlinable
    func isOutdated<Entity: EntityModelProtocol>(
        _ entity: Entity, _ options: MergeStrategy<Entity>
    ) -> Bool {
        guard let isOutdated = options.isOutdated, let table = rows(of: Entity.self),
            let slot = table.slot(of: entity.id), let row = table.copyOfRow(at: slot)
        else { return false }
        return isOutdated(row, entity)
    }

    /// Starts to save the entities that an outdated value has loaded, and links nothing.
    @usableFromInline
    mutating func saveChildren<Entity: EntityModelProtocol>(ofOutdated entity: Entity) {
        withUnsafePointer(to: entity) { address in
            for relation in Entity._descriptor.relations {
                relation.saveEntities(UnsafeRawPointer(address) + relation.offset, &self)
            }
        }
    }

    /// Merges the value with the stored one and stores the result, normalized. Returns where it is, and whether there
    /// was no entity before.
    @inlinable
    mutating func put<Entity: EntityModelProtocol>(
        _ entity: Entity, _ options: MergeStrategy<Entity>, _ foreseen: ForeseenKey? = nil
    ) throws -> (slot: Slot, isNew: Bool) {
        let position = position(of: Entity._descriptor)
        // Read once: each time it is counted.
        let id = entity.id
        let hash = Entity._hashID(id)
        var row = entity
        var known = merge(&row, id: id, hash: hash, options, in: position)
        row._normalize()
        var key = KnownKey()
        if Entity._descriptor.hasUniqueIndexes,
            let collision = withUnsafePointer(
                to: row,
                { collision(of: $0, at: known.slot, in: position, foreseen, noting: &key) })
        {
            known = try resolve(collision, of: &row, from: entity, hash, options, in: position)
            key = KnownKey()
        }
        let ordinal = Entity._place(of: id, in: &self)
        // What has a tombstone has a slot.
        if known.isNew, known.slot != nil {
            Entity._clearTombstone(of: id, in: position, of: &self)
        }
        let slot = store(
            consume row, at: known.slot, hash: hash, ordinal: ordinal, key, in: position)
        return (slot, known.isNew)
    }

    /// Stores a row in the table at a position. Returns where it is.
    ///
    /// - Parameter known: the slot of the row's id, which has this hash; nil for an id that the table does not know.
    @inlinable
    mutating func store<Entity: EntityModelProtocol>(
        _ row: consuming Entity, at known: Slot?, hash: UInt64, ordinal: UInt64?,
        _ key: KnownKey = KnownKey(), in position: Int
    ) -> Slot {
        session.noteChange(of: position)
        let stamp = session.stamp
        if let known { prepareToChange(at: known, in: position) }
        // As `change` does, whose body could not consume the row.
        let table = tableToChange(at: position)._withUnsafeGuaranteedRef {
            $0.rows(of: Entity.self)
        }
        defer { unlockFormer() }
        // No code of the application ran since the look-up, so an unknown id is still unknown.
        let slot = known ?? table.appendSlot(hash: hash)
        table.put(consume row, at: slot, stamp: stamp, ordinal: ordinal, key)
        return slot
    }

    /// The slot of the entity, if its id is known, after merging the value with the row there.
    @inlinable
    mutating func merge<Entity: EntityModelProtocol>(
        _ entity: inout Entity, id: Entity.ID, hash: UInt64, _ options: MergeStrategy<Entity>,
        in position: Int
    ) -> (slot: Slot?, isNew: Bool) {
        let table = tables.unretained(at: position, as: Table<Entity>.self)
        let slot = table._withUnsafeGuaranteedRef { $0.slotToChange(of: id, hash: hash) }
        guard let slot else { return (nil, true) }
        guard table._withUnsafeGuaranteedRef({ $0.hasRow(at: slot) }) else { return (slot, true) }
        if !options.isReplacement,
            let old = table._withUnsafeGuaranteedRef({ $0.copyOfRow(at: slot) })
        {
            let merged = options.merge(old, new: entity)
            precondition(Entity._sameID(merged.id, id), "a merge strategy must not change an id")
            entity = merged
        }
        return (slot, false)
    }

    /// Links what a relation holds to the parent at `slot`. Entities are saved for that first, one of the steps that
    /// the save of the parent does next, and so are the relations behind such a one.
    ///
    /// `.none` leaves the links alone, a slice is appended, and everything else replaces them.
    @inlinable
    public mutating func _save<Entity: EntityModelProtocol, Child, Direction, Cardinality, Rule>(
        _ value: Relation<Child, Direction, Cardinality, Rule>, relation: Int,
        of type: Entity.Type, at slot: Slot
    ) throws {
        guard let content = value.content else { return }
        let parent = position(of: Entity._descriptor)
        if content.hasEntities || session.isDeferring {
            return deferSave(
                PendingRelation(content, linkedTo: (slot.rawValue, relation, parent)))
        }
        let links = links(of: slot.rawValue, relation: relation, table: parent)
        if let id = value.onlyID, !content.isSlice {
            // What most relations to one entity say, and nothing need be made to follow it.
            let child = internSlot(of: Child.self, id, expecting: links.first)
            if Child._descriptor.numbersIDs { try checkAreGiven([child], of: Child._descriptor) }
            return replaceLinks(
                withOnly: child, of: slot.rawValue, relation: relation, table: parent)
        }
        let children = internSlots(
            Child.self, content.ids, expecting: content.isSlice ? [] : links.slots)
        try checkAreGiven(children, of: Child._descriptor)
        if content.isSlice {
            appendLinks(children, to: slot.rawValue, relation: relation, table: parent)
        } else {
            replaceLinks(with: children, of: slot.rawValue, relation: relation, table: parent)
        }
    }

    /// The slot of an id, given out now where the id is new.
    ///
    /// - Parameter expected: a slot that the id probably stands for: comparing two ids is cheaper than looking one up.
    @inlinable
    mutating func internSlot<Child: EntityModelProtocol>(
        of type: Child.Type, _ id: Child.ID, expecting expected: UInt32?
    ) -> UInt32 {
        if let table = rows(of: Child.self) {
            if let expected, table.hasID(id, at: Slot(expected)) { return expected }
            if let slot = table.slot(of: id) { return slot.rawValue }
        }
        return change(Child.self, at: position(of: Child._descriptor)) {
            $0.internSlot(of: id).rawValue
        }
    }

    /// The slots of ids, given out now where the ids are new; each id once, in first order.
    ///
    /// - Parameter expected: slots that the ids probably stand for, place by place: comparing two ids
    ///   is cheaper than looking one up.
    @inlinable
    mutating func internSlots<Child: EntityModelProtocol>(
        _ type: Child.Type, _ ids: [Child.ID], expecting expected: ContiguousArray<UInt32> = []
    ) -> ContiguousArray<UInt32> {
        let position = position(of: Child._descriptor)
        if let slots = internSlots(ofWaiting: Child.self, ids, in: position) {
            return slots
        }
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(ids.count)
        change(Child.self, at: position) { table in
            var surprises = 0
            for (index, id) in ids.enumerated() {
                if index < expected.count, surprises < 4 {
                    if table.hasID(id, at: Slot(expected[index])) {
                        slots.append(expected[index])
                        continue
                    }
                    surprises += 1
                }
                slots.append(table.internSlot(of: id).rawValue)
            }
        }
        return Context.distinct(slots)
    }

    /// The slots of ids of a stored table, each once, in first order; nil for a filled table. One id after the other is
    /// looked up, which may read files, before the lock is taken that readers wait for.
    @usableFromInline @inline(never)
    mutating func internSlots<Child: EntityModelProtocol>(
        ofWaiting type: Child.Type, _ ids: [Child.ID], in position: Int
    ) -> ContiguousArray<UInt32>? {
        guard !tables.tables.unfilled[position].isFilled else { return nil }
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(ids.count)
        for id in ids { slots.append(internSlot(of: Child.self, id, expecting: nil)) }
        return Context.distinct(slots)
    }

    /// The slots without repetitions, each at its first place. O(n).
    @usableFromInline
    static func distinct(_ slots: ContiguousArray<UInt32>) -> ContiguousArray<UInt32> {
        var greatest: UInt32 = 0
        var isAscending = true
        for (index, slot) in slots.enumerated() {
            if index > 0, slot <= greatest { isAscending = false }
            greatest = max(greatest, slot)
        }
        // What was saved or listed in order of creation: most lists.
        if isAscending { return slots }
        let wordCount = Int(greatest >> 6) + 1
        var result = slots
        if wordCount <= 32 * slots.count {
            var seen = ContiguousArray<UInt64>(repeating: 0, count: wordCount)
            result.removeAll { slot in
                let bit: UInt64 = 1 << UInt64(slot & 63)
                defer { seen[Int(slot >> 6)] |= bit }
                return seen[Int(slot >> 6)] & bit != 0
            }
        } else {
            var seen = Set<UInt32>(minimumCapacity: slots.count)
            result.removeAll { !seen.insert($0).inserted }
        }
        return result
    }

    /// A live entity has no tombstone: its save takes the tombstone away.
    @inlinable
    mutating func clearTombstone<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID, table: Int
    ) {
        let position = tables.unretained(at: table, as: AnyTable.self)
            ._withUnsafeGuaranteedRef { $0.tombstoneTable }
        guard position >= 0, tables.tables[rows: position].liveCount > 0,
            let slot = tables.unretained(at: position, as: Table<Entity>.self)
                ._withUnsafeGuaranteedRef({ $0.liveSlot(of: id) })
        else { return }
        removeRow(at: slot, in: position, keepsPlace: false)
    }
}
