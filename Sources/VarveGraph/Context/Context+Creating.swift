extension Context {
    /// Saves an entity and returns what the context holds of it then: what hooks, the merge strategy and the deletion of
    /// orphans made of it.
    ///
    /// Inside a hook, orphans are deleted when the outermost change ends, which is later.
    ///
    /// - Throws: what the save throws, and ``ContextError/noSuchEntity(type:id:)`` where the save has deleted the entity
    ///   again. Nothing is changed then.
    @discardableResult
    @inlinable
    public mutating func create<Entity: EntityModelProtocol>(_ entity: Entity) throws -> Entity {
        let mark = begin()
        let stored: Entity
        do {
            let slot = try saveOne(entity, .default, nil, isNested: false)
            // Before the row is read: the entity may be an orphan, or change as others go.
            if !session.orphans.isEmpty { try deleteOrphans(behind: mark) }
            stored = try createdRow(of: Entity.self, at: slot)
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark, of: Entity.self)
        return stored
    }

    /// Completes an entity, saves it, and returns what the context holds of it then.
    ///
    /// The closure knows the id, also one that ``AutoIncrement()`` gives. It runs before the save, so that hooks run once.
    /// It has no context, and cannot use the one that it is called from: what needs one belongs into a hook, or behind
    /// the call.
    ///
    /// ```swift
    /// let invoice = try context.create(Invoice(total: 80)) { invoice in
    ///     invoice.number = "2026-\(invoice.id)"
    /// }
    /// ```
    ///
    /// - Throws: what the closure or the save throws. Nothing is changed then, and an id that ``AutoIncrement()`` gave
    ///   counts as given: no other entity gets it.
    @discardableResult
    @inlinable
    public mutating func create<Entity: EntityModelProtocol>(
        _ entity: Entity, _ complete: (inout Entity) throws -> Void
    ) throws -> Entity {
        var entity = entity
        try Entity._assignID(to: &entity, in: &self)
        try complete(&entity)
        return try create(entity)
    }

    /// Saves entities in their order and returns what the context holds of them when all are saved. All of them, or none.
    ///
    /// - Throws: what the saves throw, and ``ContextError/noSuchEntity(type:id:)`` where they have deleted one of the
    ///   entities again. Nothing is changed then.
    @discardableResult
    @inlinable
    public mutating func create<Entity: EntityModelProtocol>(
        _ entities: some Sequence<Entity>
    ) throws -> [Entity] {
        let mark = begin()
        let stored: [Entity]
        do {
            let slots = try entities.map { try save($0, .default) }
            if !session.orphans.isEmpty { try deleteOrphans(behind: mark) }
            stored = try slots.map { try createdRow(of: Entity.self, at: $0) }
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark)
        return stored
    }

    /// What a save has stored at a slot.
    @inlinable
    func createdRow<Entity: EntityModelProtocol>(
        of type: Entity.Type, at slot: Slot
    ) throws -> Entity {
        guard let stored = row(of: type, at: slot) else {
            // A hook deleted it again, or it was an orphan.
            throw ContextError.noSuchEntity(type: "\(type)", id: "\(id(of: type, at: slot))")
        }
        return stored
    }
}
