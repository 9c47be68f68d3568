extension Context {
    /// The entity with an id, its relations not loaded. O(log n).
    @inlinable @inline(__always)
    public func find<Entity: EntityModelProtocol>(_ id: Entity.ID) -> Entity? {
        // Inlined, so that a caller who reads one property copies one property.
        withExtendedLifetime(self) { copyOfRow(of: Entity.self, id: id) }
    }

    /// One element for each id, in order; nil where there is no entity.
    @inlinable
    public func findAll<Entity: EntityModelProtocol>(_ ids: [Entity.ID]) -> [Entity?] {
        guard let table = rows(of: Entity.self) else {
            return [Entity?](repeating: nil, count: ids.count)
        }
        var found: [Entity?] = []
        found.reserveCapacity(ids.count)
        table.forEachAhead(of: ids) { found.append(table.copyOfRow(of: $0)) }
        return found
    }

    /// The entities with these ids, in order; ids without an entity are left out.
    @inlinable
    public func findAllExisting<Entity: EntityModelProtocol>(_ ids: [Entity.ID]) -> [Entity] {
        guard let table = rows(of: Entity.self) else { return [] }
        var found: [Entity] = []
        found.reserveCapacity(ids.count)
        table.forEachAhead(of: ids) { id in
            if let row = table.copyOfRow(of: id) { found.append(row) }
        }
        return found
    }

    /// All entities of a type in insertion order. O(n).
    @inlinable
    public func all<Entity: EntityModelProtocol>() -> [Entity] {
        guard let table = table(of: Entity.self) else { return [] }
        var result: [Entity] = []
        result.reserveCapacity(table.liveCount)
        table.forEachRow(isTransient: true) { _, row in
            result.append(row.pointee)
            return true
        }
        return result
    }

    /// The ids of all entities of a type in insertion order. O(n).
    @inlinable
    public func ids<Entity: EntityModelProtocol>(_ type: Entity.Type) -> [Entity.ID] {
        guard let table = table(of: type) else { return [] }
        var result: [Entity.ID] = []
        result.reserveCapacity(table.liveCount)
        table.forEachRow(isTransient: true) { _, row in
            result.append(row.pointee.id)
            return true
        }
        return result
    }

    /// How many entities of a type there are. O(1).
    @inlinable
    public func count<Entity: EntityModelProtocol>(_ type: Entity.Type) -> Int {
        rows(of: type)?.liveCount ?? 0
    }

    /// The entity with every relation set to the ids that it is linked to.
    @usableFromInline
    func _withRelatedIDs<Entity: EntityModelProtocol>(_ entity: Entity) -> Entity {
        let descriptor = Entity._descriptor
        guard let position = tables.position(of: descriptor), !descriptor.relations.isEmpty,
            let slot = rows(of: Entity.self)?.slot(of: entity.id)
        else { return entity }
        var copy = entity
        withUnsafeMutableBytes(of: &copy) { bytes in
            guard let base = bytes.baseAddress else { return }
            for (index, relation) in descriptor.relations.enumerated() {
                let slots = links(of: slot.rawValue, relation: index, table: position).slots
                guard !slots.isEmpty else { continue }
                let child = tables.tables[
                    rows: tables.tables[rows: position].relations[index].childTable]
                relation.assignIDs(base + relation.offset, child, slots)
            }
        }
        return copy
    }
}
