extension Context {
    /// Lets the resolvers of unique indexes deal with entities that have the values of a row that
    /// is about to be stored. Answers whether any ran; then the row was merged anew, because the
    /// resolver may have changed what it merges with.
    ///
    /// - Parameters:
    ///   - row: what is to be stored, merged and normalized.
    ///   - entity: what is being saved.
    @inlinable
    mutating func resolveCollisions<Entity: EntityModelProtocol>(
        of row: inout Entity, from entity: Entity, _ options: MergeStrategy<Entity>,
        at slot: Slot, in position: Int
    ) throws -> Bool {
        guard let first = collision(of: row, at: slot, from: 0, in: position) else { return false }
        try resolve(first, of: &row, from: entity, options, at: slot, in: position)
        return true
    }

    /// The first unique index, from a number on, in which another entity has the row's values and
    /// its resolver is to be asked.
    @inlinable
    func collision<Entity: EntityModelProtocol>(
        of row: Entity, at slot: Slot, from start: Int, in position: Int
    ) -> Collision? {
        let table = unsafeDowncast(tables.tables[position], to: Table<Entity>.self)
        for index in start..<table.indexDefinitions.count
        where table.indexDefinitions[index].kind == .unique {
            let existing = withUnsafePointer(to: row) {
                table.firstSlot(sharing: index, with: $0, at: slot)
            }
            guard let existing else { continue }
            let uniqueness = table.indexDefinitions[index].uniqueness
            if uniqueness?.ignoresNil(in: row) == true { continue }
            return Collision(index: index, existing: existing)
        }
        return nil
    }

    /// Resolves a collision and all that follow.
    @usableFromInline
    mutating func resolve<Entity: EntityModelProtocol>(
        _ first: Collision, of row: inout Entity, from entity: Entity,
        _ options: MergeStrategy<Entity>, at slot: Slot, in position: Int
    ) throws {
        var next: Collision? = first
        // Each entity is dealt with once for an index: a resolver may leave it its value.
        var index = first.index
        var asked: Set<Slot> = []
        while let collision = next {
            if collision.index != index { asked = [] }
            index = collision.index
            guard asked.insert(collision.existing).inserted else {
                next = self.collision(of: row, at: slot, from: index + 1, in: position)
                continue
            }
            let new = merged(entity, options, at: slot)
            try resolve(collision, with: new, at: slot, in: position)
            row = merged(entity, options, at: slot)
            row._normalize()
            next = self.collision(of: row, at: slot, from: index, in: position)
        }
    }

    /// The entity merged with the row at its slot, its relations as they are.
    private func merged<Entity: EntityModelProtocol>(
        _ entity: Entity, _ options: MergeStrategy<Entity>, at slot: Slot
    ) -> Entity {
        guard !options.isReplacement, let old = row(of: Entity.self, at: slot) else {
            return entity
        }
        return options.merge(old, new: entity)
    }

    private mutating func resolve<Entity: EntityModelProtocol>(
        _ collision: Collision, with new: Entity, at slot: Slot, in position: Int
    ) throws {
        let table = unsafeDowncast(tables.tables[position], to: Table<Entity>.self)
        let definition = table.indexDefinitions[collision.index]
        let existing = table.id(of: collision.existing)
        guard let uniqueness = definition.uniqueness else { return }
        switch uniqueness.resolver.action {
        case .upsert:
            try deleteRow(
                at: collision.existing, table: position,
                cause: .upsert(table: position, slot: slot.rawValue))
        case .throw:
            throw ContextError.uniqueValueIndexViolation(
                type: Entity._descriptor.name, existing: String(describing: existing),
                new: String(describing: new.id), indexName: definition.name,
                value: uniqueness.value(new).map { String(describing: $0) } ?? "nil")
        case .custom(let resolve):
            try resolve(existing, new, UniqueIndexReference(definition), &self)
        }
    }
}

/// An entity that has the values of one that is being saved.
@usableFromInline
struct Collision {
    /// The number of the index among the type's.
    @usableFromInline let index: Int
    @usableFromInline let existing: Slot

    @inlinable
    init(index: Int, existing: Slot) {
        self.index = index
        self.existing = existing
    }
}

extension Uniqueness {
    /// Whether the constraint does not hold for an entity, as one of its values is nil.
    @usableFromInline
    func ignoresNil(in entity: Entity) -> Bool { resolver.ignoresNil && value(entity) == nil }
}
