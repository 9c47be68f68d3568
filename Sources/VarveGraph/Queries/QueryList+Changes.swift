// Changes of everything that a query finds. All of it happens or, when anything throws, nothing;
// hooks, unique indexes and delete rules work as for a single entity.

extension QueryList {
    /// Changes and saves every entity that the query finds, and returns how many.
    ///
    /// What `body` leaves is stored as it is, with nil where it says nil, whatever merge strategy
    /// the type has by default. Relations that `body` does not set stay as they are. An entity
    /// that a hook deletes before its turn is left out.
    ///
    /// - Precondition: `body` does not change the id.
    @inlinable
    @discardableResult
    public func update(
        in context: inout Context, _ body: (inout Entity) throws -> Void
    ) throws -> Int {
        try context.update(Entity.self, distinct().slots(in: context), body)
    }

    /// Deletes every entity that the query finds with what its delete rules take along, and
    /// returns how many of those it found are gone.
    @inlinable
    @discardableResult
    public func delete(from context: inout Context) throws -> Int {
        try context.delete(Entity.self, distinct().slots(in: context))
    }
}

extension Query {
    /// Changes and saves the entity, and returns whether there was one.
    @inlinable
    @discardableResult
    public func update(
        in context: inout Context, _ body: (inout Entity) throws -> Void
    ) throws -> Bool {
        try list.update(in: &context, body) > 0
    }

    /// Deletes the entity with what its delete rules take along, and returns whether there was
    /// one.
    @inlinable
    @discardableResult
    public func delete(from context: inout Context) throws -> Bool {
        try list.delete(from: &context) > 0
    }
}

extension EntityModelProtocol {
    /// Changes and saves every entity that meets the condition, and returns how many:
    /// `try User.update(where: \.age < 18, in: &context) { $0.isMinor = true }`.
    @inlinable
    @discardableResult
    public static func update(
        where predicate: QueryPredicate<Self>, in context: inout Context,
        _ body: (inout Self) throws -> Void
    ) throws -> Int {
        try filter(predicate).update(in: &context, body)
    }

    /// Deletes every entity that meets the condition, and returns how many of them are gone.
    @inlinable
    @discardableResult
    public static func delete(
        where predicate: QueryPredicate<Self>, from context: inout Context
    ) throws -> Int {
        try filter(predicate).delete(from: &context)
    }
}

extension Context {
    @inlinable
    mutating func update<Entity: EntityModelProtocol>(
        _ type: Entity.Type, _ slots: ContiguousArray<UInt32>,
        _ body: (inout Entity) throws -> Void
    ) throws -> Int {
        try atomically { context in
            var count = 0
            for slot in slots {
                guard var entity = context.row(of: type, at: Slot(slot)) else { continue }
                let id = entity.id
                try body(&entity)
                precondition(
                    Entity._sameID(id, entity.id), "an update must not change an entity's id")
                _ = try context.save(entity, .replace)
                count += 1
            }
            return count
        }
    }

    @inlinable
    mutating func delete<Entity: EntityModelProtocol>(
        _ type: Entity.Type, _ slots: ContiguousArray<UInt32>
    ) throws -> Int {
        guard let position = tables.position(of: Entity._descriptor) else { return 0 }
        return try atomically { context in
            for slot in slots {
                // Another one's delete rule may have taken it along.
                guard context.isLive(slot, table: position) else { continue }
                try context.deleteRow(at: Slot(slot), table: position)
            }
            return slots.count { !context.isLive($0, table: position) }
        }
    }

    /// Lets the body change the context; takes all of it back when the body throws.
    @inlinable
    mutating func atomically<Result>(_ body: (inout Context) throws -> Result) throws -> Result {
        let mark = begin()
        do {
            let result = try body(&self)
            if !session.orphans.isEmpty { try deleteOrphans(behind: mark) }
            end(mark)
            return result
        } catch {
            rollBack(to: mark)
            throw error
        }
    }

    @usableFromInline
    func isLive(_ slot: UInt32, table: Int) -> Bool {
        tables.tables[rows: table].isLive(Slot(slot))
    }
}
