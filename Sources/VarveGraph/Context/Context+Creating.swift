extension Context {
    /// Saves an entity and returns what the context holds of it then: what hooks and the merge strategy made of it.
    ///
    /// - Throws: what the save throws; nothing is changed then.
    @discardableResult
    @inlinable
    public mutating func create<Entity: EntityModelProtocol>(_ entity: Entity) throws -> Entity {
        try atomically { context in
            let slot = try context.save(entity, .default)
            guard let stored = context.row(of: Entity.self, at: slot) else {
                // A hook deleted it again.
                let id = context.id(of: Entity.self, at: slot)
                throw ContextError.noSuchEntity(type: "\(Entity.self)", id: "\(id)")
            }
            return stored
        }
    }

    /// Completes an entity, saves it, and returns what the context holds of it then.
    ///
    /// The closure knows the id, also one that ``AutoIncrement()`` gives. It runs before the save, so that hooks run once.
    ///
    /// ```swift
    /// let invoice = try context.create(Invoice(total: 80)) { invoice in
    ///     invoice.number = "2026-\(invoice.id)"
    /// }
    /// ```
    ///
    /// - Throws: what the closure or the save throws; nothing is changed then.
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

    /// Saves entities in their order and returns what the context holds of them then. All of them, or none.
    ///
    /// - Throws: what the saves throw; nothing is changed then.
    @discardableResult
    @inlinable
    public mutating func create<Entity: EntityModelProtocol>(
        _ entities: some Sequence<Entity>
    ) throws -> [Entity] {
        try atomically { context in
            try entities.map { try context.create($0) }
        }
    }
}
