extension EntityModelProtocol {
    /// Saves the entity, its loaded related entities and its links: all of it or, when anything
    /// throws, nothing.
    ///
    /// - Parameter options: how values merge with stored ones; `.fragment` keeps stored values
    ///   where the new ones are nil.
    @inlinable
    public func save(
        to context: inout Context, options: MergeStrategy<Self> = .default
    ) throws {
        try context.save(self, options)
    }
}

extension Relation {
    /// Saves the entities that the relation holds, without linking them to anything.
    @inlinable
    public func save(to context: inout Context) throws {
        let options: MergeStrategy<Entity> = isFragment ? .fragment : .default
        for entity in entities { try entity.save(to: &context, options: options) }
    }
}

extension Context {
    @inlinable
    mutating func save<Entity: EntityModelProtocol>(
        _ entity: Entity, _ options: MergeStrategy<Entity>
    ) throws {
        let mark = begin()
        do {
            var copy = entity
            try copy.willSave(to: &self)
            let slot = try put(copy, options)
            try copy._saveRelations(to: &self, at: slot)
            try copy.didSave(to: &self)
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark)
    }

    /// Merges the value with the stored one and stores the result, normalized.
    @inlinable
    mutating func put<Entity: EntityModelProtocol>(
        _ entity: Entity, _ options: MergeStrategy<Entity>
    ) throws -> Slot {
        let position = position(of: Entity._descriptor)
        let stamp = session.stamp
        var row = entity
        var (slot, isNew) = intern(&row, options, in: position)
        if Entity._descriptor.hasUniqueIndexes,
            try resolveCollisions(of: &row, from: entity, options, at: slot, in: position)
        {
            isNew = liveSlot(of: Entity.self, id: entity.id) == nil
        }
        let ordinal = Entity._place(of: entity.id, in: &self)
        if isNew { clearTombstone(of: Entity.self, id: entity.id) }
        session.journal.append(JournalEntry(table: position, isLink: false))
        unsafeDowncast(tables.unique(at: position), to: Table<Entity>.self)
            .put(row, at: slot, stamp: stamp, ordinal: ordinal)
        return slot
    }

    /// The slot of the entity, given out now if its id is new, after merging the value with the
    /// row there and taking its relations out.
    @inlinable
    mutating func intern<Entity: EntityModelProtocol>(
        _ entity: inout Entity, _ options: MergeStrategy<Entity>, in position: Int
    ) -> (slot: Slot, isNew: Bool) {
        let table = unsafeDowncast(tables.unique(at: position), to: Table<Entity>.self)
        let slot = table.internSlot(of: entity.id)
        let old = table.row(at: slot)
        if let old, !options.isReplacement {
            let merged = options.merge(old.pointee, new: entity)
            precondition(
                Entity._sameID(merged.id, entity.id), "a merge strategy must not change an id")
            entity = merged
        }
        entity._normalize()
        return (slot, old == nil)
    }

    /// Saves what a relation holds and links it to the parent at `slot`.
    ///
    /// `.none` leaves the links alone, a slice is appended, and everything else replaces them.
    @inlinable
    public mutating func _save<Entity: EntityModelProtocol, Child, Direction, Cardinality, Rule>(
        _ value: Relation<Child, Direction, Cardinality, Rule>, relation: Int,
        of type: Entity.Type, at slot: Slot
    ) throws {
        guard !value.isNone else { return }
        try value.save(to: &self)
        let parent = position(of: Entity._descriptor)
        let children = internSlots(Child.self, value.ids)
        if value.isSlice {
            appendLinks(children, to: slot.rawValue, relation: relation, table: parent)
        } else {
            replaceLinks(with: children, of: slot.rawValue, relation: relation, table: parent)
        }
    }

    /// The slots of ids, given out now where the ids are new; each id once, in first order.
    @inlinable
    mutating func internSlots<Child: EntityModelProtocol>(
        _ type: Child.Type, _ ids: [Child.ID]
    ) -> ContiguousArray<UInt32> {
        let position = position(of: Child._descriptor)
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(ids.count)
        let table = unsafeDowncast(tables.unique(at: position), to: Table<Child>.self)
        for id in ids { slots.append(table.internSlot(of: id).rawValue) }
        return slots.count > 1 ? Context.distinct(slots) : slots
    }

    /// The slots without repetitions, each at its first place.
    @usableFromInline
    static func distinct(_ slots: ContiguousArray<UInt32>) -> ContiguousArray<UInt32> {
        var seen = Set<UInt32>(minimumCapacity: slots.count)
        var result = slots
        result.removeAll { !seen.insert($0).inserted }
        return result
    }

    /// A live entity has no tombstone: its save takes the tombstone away.
    @inlinable
    mutating func clearTombstone<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) {
        guard Entity._descriptor.tombstoneOwner == nil, count(Deleted<Entity>.self) > 0,
            let slot = liveSlot(of: Deleted<Entity>.self, id: id)
        else { return }
        removeRow(Deleted<Entity>.self, at: slot, keepsPlace: false)
    }

    @inlinable
    mutating func removeRow<Entity: EntityModelProtocol>(
        _ type: Entity.Type, at slot: Slot, keepsPlace: Bool
    ) {
        let position = position(of: Entity._descriptor)
        session.journal.append(JournalEntry(table: position, isLink: false))
        let stamp = session.stamp
        unsafeDowncast(tables.unique(at: position), to: Table<Entity>.self)
            .remove(at: slot, stamp: stamp, keepsPlace: keepsPlace)
    }
}
