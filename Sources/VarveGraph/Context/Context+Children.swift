// What the calls that change a single relation are made of.

extension Context {
    @inlinable
    func relationIndex<Entity: EntityModelProtocol>(_ path: PartialKeyPath<Entity>) -> Int {
        guard let index = Entity._descriptor.relationIndex(at: path) else {
            preconditionFailure("\(path) is no @Relationship of \(Entity.self)")
        }
        return index
    }

    /// Traps where `inverse` is not the other side of the relation: links would be changed that
    /// the caller does not mean.
    @inlinable
    mutating func checkInverse<Entity: EntityModelProtocol, Child: EntityModelProtocol>(
        of path: PartialKeyPath<Entity>, _ inverse: PartialKeyPath<Child>
    ) {
        let table = position(of: Entity._descriptor)
        precondition(
            tables.tables[rows: table].inverse(of: relationIndex(path)) == relationIndex(inverse),
            "\(inverse) is not the inverse of \(path)")
    }

    @inlinable
    mutating func saveRelation<Entity: EntityModelProtocol, Child, Direction, Cardinality, Rule>(
        _ path: KeyPath<Entity, Relation<Child, Direction, Cardinality, Rule>>, of entity: Entity
    ) throws {
        let value = entity[keyPath: path]
        guard value.content != nil else { return }
        let relation = relationIndex(path)
        let mark = begin()
        do {
            let slots = internSlots(Entity.self, [entity.id])
            try checkAreGiven(slots, of: Entity._descriptor)
            let start = session.pending.count
            session.isDeferring = false
            try _save(value, relation: relation, of: Entity.self, at: Slot(slots[0]))
            try savePending(from: start)
            if !session.orphans.isEmpty { try deleteOrphans(behind: mark) }
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark)
    }

    @inlinable
    mutating func detach<Entity: EntityModelProtocol>(
        _ id: Entity.ID, _ path: PartialKeyPath<Entity>
    ) throws {
        guard let slot = knownSlot(of: Entity.self, id: id) else { return }
        let relation = relationIndex(path)
        let position = position(of: Entity._descriptor)
        try changeLinks {
            $0.replaceLinks(with: [], of: slot.rawValue, relation: relation, table: position)
        }
    }

    @inlinable
    mutating func detach<Entity: EntityModelProtocol, Child: EntityModelProtocol>(
        _ child: Child.Type, _ ids: [Child.ID], from id: Entity.ID, _ path: PartialKeyPath<Entity>
    ) throws {
        guard let slot = knownSlot(of: Entity.self, id: id) else { return }
        let children = knownSlots(Child.self, ids)
        let relation = relationIndex(path)
        let position = position(of: Entity._descriptor)
        try changeLinks {
            $0.unlink(children, from: slot.rawValue, relation: relation, table: position)
        }
    }

    @inlinable
    mutating func deleteChildren<Entity: EntityModelProtocol>(
        of id: Entity.ID, _ path: PartialKeyPath<Entity>
    ) throws {
        guard let slot = knownSlot(of: Entity.self, id: id) else { return }
        let relation = relationIndex(path)
        let position = position(of: Entity._descriptor)
        try deleteChildren(nil, of: slot.rawValue, relation: relation, table: position)
    }

    @inlinable
    mutating func deleteChildren<Entity: EntityModelProtocol, Child: EntityModelProtocol>(
        _ child: Child.Type, _ ids: [Child.ID], of id: Entity.ID, _ path: PartialKeyPath<Entity>
    ) throws {
        guard let slot = knownSlot(of: Entity.self, id: id) else { return }
        let children = knownSlots(Child.self, ids)
        let relation = relationIndex(path)
        let position = position(of: Entity._descriptor)
        try deleteChildren(children, of: slot.rawValue, relation: relation, table: position)
    }

    /// The slots of those of the ids that the context knows.
    @inlinable
    func knownSlots<Child: EntityModelProtocol>(
        _ type: Child.Type, _ ids: [Child.ID]
    ) -> Set<UInt32> {
        Set(ids.compactMap { knownSlot(of: Child.self, id: $0)?.rawValue })
    }

    /// Removes some children from one relation of one parent, on both sides.
    @usableFromInline
    mutating func unlink(
        _ children: Set<UInt32>, from slot: UInt32, relation: Int, table: Int
    ) {
        var kept = links(of: slot, relation: relation, table: table).slots
        kept.removeAll { children.contains($0) }
        replaceLinks(with: kept, of: slot, relation: relation, table: table)
    }

    /// Deletes children of one relation of one parent, all or some, and unlinks them.
    @usableFromInline
    mutating func deleteChildren(
        _ chosen: Set<UInt32>?, of slot: UInt32, relation: Int, table: Int
    ) throws {
        let childTable = tables.tables[rows: table].relations[relation].childTable
        var children = links(of: slot, relation: relation, table: table).slots
        if let chosen { children.removeAll { !chosen.contains($0) } }
        let mark = begin()
        do {
            for child in children { try deleteRow(at: Slot(child), table: childTable) }
            unlink(Set(children), from: slot, relation: relation, table: table)
            if !session.orphans.isEmpty { try deleteOrphans(behind: mark) }
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark)
    }

    /// Changes links as one change of the context, with what becomes of orphans.
    @usableFromInline
    mutating func changeLinks(_ change: (inout Context) -> Void) throws {
        let mark = begin()
        change(&self)
        do {
            if !session.orphans.isEmpty { try deleteOrphans(behind: mark) }
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark)
    }
}

extension AnyTable {
    @usableFromInline
    func inverse(of relation: Int) -> Int? { relations[relation].inverse }
}
