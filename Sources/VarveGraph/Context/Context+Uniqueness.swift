extension Context {
    /// The first unique index, from a number on, in which another entity has the row's values and
    /// whose resolver is to be asked.
    ///
    /// - Parameters:
    ///   - foreseen: a key that the row may have.
    ///   - known: a key of the row in one of these indexes, for whoever adds the row to them next.
    @usableFromInline
    func collision(
        of row: UnsafeRawPointer, at slot: Slot?, from start: Int = 0, in position: Int,
        _ foreseen: ForeseenKey?, noting known: inout KnownKey
    ) -> Collision? {
        let table = tables.tables[values: position]
        for index in table.uniqueIndexes where index >= start {
            guard
                let existing = table.rival(of: row, at: slot, in: index, foreseen, noting: &known)
            else { continue }
            let uniqueness = table.indexDefinitions[index].uniqueness
            if uniqueness?.ignoresNil(in: row) == true { continue }
            return Collision(index: index, existing: existing)
        }
        return nil
    }

    /// The first unique index that collides, without its key.
    @usableFromInline
    func collision(
        of row: UnsafeRawPointer, at slot: Slot?, from start: Int = 0, in position: Int
    ) -> Collision? {
        var key = KnownKey()
        return collision(of: row, at: slot, from: start, in: position, nil, noting: &key)
    }

    /// The first other entity with a value of the row at a slot that a unique index holds, from an index on.
    package func rival(ofRowAt slot: Slot, table position: Int, from first: Int) -> Collision? {
        tables.tables[rows: position].withRawRow(at: slot) {
            collision(of: $0, at: slot, from: first, in: position)
        } ?? nil
    }

    /// Lets the resolvers of unique indexes deal with entities that have the values of a row that
    /// is about to be stored. Afterwards the row is merged anew, because a resolver may have
    /// changed what it merges with.
    ///
    /// - Parameters:
    ///   - row: what is to be stored, merged and normalized.
    ///   - entity: what is being saved.
    @usableFromInline
    mutating func resolve<Entity: EntityModelProtocol>(
        _ first: Collision, of row: inout Entity, from entity: Entity, _ hash: UInt64,
        _ options: MergeStrategy<Entity>, in position: Int
    ) throws -> (slot: Slot?, isNew: Bool) {
        var known: (slot: Slot?, isNew: Bool) = (nil, true)
        var next: Collision? = first
        // Each entity is dealt with once for an index: a resolver may leave it its value.
        var index = first.index
        var asked: Set<Slot> = []
        while let collision = next {
            if collision.index != index { asked = [] }
            index = collision.index
            guard asked.insert(collision.existing).inserted else {
                change(Entity.self, at: position) { $0.expectEqual(in: collision.index) }
                next = self.collision(
                    of: row, at: known.slot, from: index + 1, table: position)
                continue
            }
            row = entity
            _ = merge(&row, id: entity.id, hash: hash, options, in: position)
            try resolve(collision, with: row, in: position)
            row = entity
            known = merge(&row, id: entity.id, hash: hash, options, in: position)
            row._normalize()
            next = self.collision(of: row, at: known.slot, from: index, table: position)
        }
        return known
    }

    private func collision<Entity: EntityModelProtocol>(
        of row: Entity, at slot: Slot?, from start: Int, table position: Int
    ) -> Collision? {
        withUnsafePointer(to: row) { collision(of: $0, at: slot, from: start, in: position) }
    }

    private mutating func resolve<Entity: EntityModelProtocol>(
        _ collision: Collision, with new: Entity, in position: Int
    ) throws {
        // Not held as a table: a second reference would make the next change copy it.
        let (definition, existing) = { (table: Table<Entity>) in
            (table.indexDefinitions[collision.index], table.id(of: collision.existing))
        }(tables.tables[rows: position].rows(of: Entity.self))
        guard let uniqueness = definition.uniqueness else { return }
        guard let resolver = uniqueness.resolver as? CollisionResolver<Entity> else {
            preconditionFailure("a resolver of another type")
        }
        switch resolver.action {
        case .upsert:
            // The event names both by their slots.
            let slot = internSlot(of: Entity.self, new.id, in: position)
            try deleteRow(
                at: collision.existing, table: position,
                cause: .upsert(table: position, slot: slot.rawValue))
        case .throw:
            throw CollisionResolver<Entity>.Errors.uniqueValueIndexViolation(
                existing: existing, new: new.id, indexName: definition.name)
        case .custom(let resolve):
            try resolve(existing, new, UniqueIndexReference(definition), &self)
        }
    }
}

/// An entity that has the values of one that is being saved.
@usableFromInline
package struct Collision {
    /// The number of the index among the type's.
    @usableFromInline package let index: Int
    @usableFromInline package let existing: Slot

    @inlinable
    init(index: Int, existing: Slot) {
        self.index = index
        self.existing = existing
    }
}

extension AnyTable {
    /// Whether the row at a slot has the values of another one in all unique indexes. Needs none of these.
    final func keepsUniqueValues(of row: UnsafeRawPointer, at slot: Slot) -> Bool {
        withRawRow(at: slot) { hasSameUniqueValues($0, row) } ?? false
    }

    /// Whether the row at a slot has other values in a unique index than before the running transaction, or none was there.
    package final func hasNewUniqueValues(at slot: Slot) -> Bool {
        guard let first = firstChange(of: slot), first.before >= 0 else { return true }
        var isSame = false
        descriptor.operations.withBefore(self, first.before) { before in
            isSame = keepsUniqueValues(of: before, at: slot)
        }
        return !isSame
    }

    private final func hasSameUniqueValues(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer
    ) -> Bool {
        uniqueIndexes.allSatisfy { indexDefinitions[$0].isSame(first, second) }
    }
}
