extension EntityModelProtocol {
    /// Deletes the entity with this id and what its delete rules take along; nothing happens
    /// where there is none. What remains is a ``Deleted`` entity of the same id.
    @inlinable
    public func delete(from context: inout Context) throws {
        try context._deleteLive(Self.self, id: id)
    }

    /// Deletes the entity with this id and what its delete rules take along; nothing happens
    /// where there is none.
    @inlinable
    public static func delete(id: ID, from context: inout Context) throws {
        try context._deleteLive(Self.self, id: id)
    }

    /// Unlinks everything that a relation leads to. The entities stay.
    @inlinable
    public func detach<Child, Direction, Cardinality, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        in context: inout Context
    ) {
        context.detach(self.id, relation)
    }

    /// Unlinks everything that a mutual relation leads to, on both sides. The entities stay.
    @inlinable
    public func detach<Child, Cardinality, Rule, InverseCardinality, InverseRule>(
        _ relation: KeyPath<Self, Relation<Child, Relations.Mutual, Cardinality, Rule>>,
        inverse: KeyPath<Child, Relation<Self, Relations.Mutual, InverseCardinality, InverseRule>>,
        in context: inout Context
    ) {
        context.detach(self.id, relation)
    }

    /// Deletes everything that a relation leads to.
    @inlinable
    public func delete<Child, Direction, Cardinality, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        from context: inout Context
    ) throws {
        try context.deleteChildren(of: self.id, relation)
    }

    /// Deletes everything that a mutual relation leads to.
    @inlinable
    public func delete<Child, Cardinality, Rule, InverseCardinality, InverseRule>(
        _ relation: KeyPath<Self, Relation<Child, Relations.Mutual, Cardinality, Rule>>,
        inverse: KeyPath<Child, Relation<Self, Relations.Mutual, InverseCardinality, InverseRule>>,
        from context: inout Context
    ) throws {
        try context.deleteChildren(of: self.id, relation)
    }
}

extension Context {
    @inlinable
    public mutating func _deleteLive<Entity: EntityModelProtocol>(
        _ type: Entity.Type, id: Entity.ID
    ) throws {
        guard let slot = liveSlot(of: type, id: id) else { return }
        try deleteRow(at: slot, table: position(of: Entity._descriptor))
    }

    /// Deletes a row and, by delete rules, what depends on it.
    ///
    /// A list of steps instead of recursion: a cascade may be as long as the data is deep.
    @usableFromInline
    package mutating func deleteRow(
        at slot: Slot, table: Int, cause: DeleteCause? = nil
    ) throws {
        let mark = begin()
        do {
            var steps: [DeleteStep] = [
                .delete(table: table, slot: slot.rawValue, cause: cause)
            ]
            while let step = steps.popLast() { try perform(step, &steps) }
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark)
    }

    private enum DeleteStep {
        case delete(table: Int, slot: UInt32, cause: DeleteCause?)
        case detach(table: Int, slot: UInt32, relation: Int)
        case end(DeleteEnd)
    }

    private mutating func perform(_ step: DeleteStep, _ steps: inout [DeleteStep]) throws {
        switch step {
        case .end(let end): try end(&self)
        case .detach(let table, let slot, let relation):
            replaceLinks(with: [], of: slot, relation: relation, table: table)
        case .delete(let table, let slot, let cause):
            let operations = tables.tables[table].descriptor.operations
            guard let end = try operations.beginDelete(&self, Slot(slot)) else { return }
            if let cause, session.isTracking {
                tables.unique(at: table).deleteCauses[slot] = cause
            }
            // Pushed in reverse: the first relation is dealt with first, its children before it.
            steps.append(.end(end))
            for relation in tables.tables[table].relations.indices.reversed() {
                steps.append(.detach(table: table, slot: slot, relation: relation))
                let resolved = tables.tables[table].relations[relation]
                guard resolved.deleteRule == .cascade else { continue }
                let children = links(of: slot, relation: relation, table: table).slots
                for child in children.reversed() {
                    steps.append(
                        .delete(
                            table: resolved.childTable, slot: child,
                            cause: .cascade(table: table, slot: slot)))
                }
            }
        }
    }

    /// Runs `willDelete`, removes the row and leaves the tombstone. Answers what remains to be
    /// done at the end, or nil where there is no row.
    @inlinable
    mutating func beginDelete<Entity: EntityModelProtocol>(
        _ type: Entity.Type, at slot: Slot
    ) throws -> DeleteEnd? {
        guard let row = row(of: type, at: slot) else { return nil }
        let key = UInt64(position(of: Entity._descriptor)) << 32 | UInt64(slot.rawValue)
        // A hook that deletes the very entity finds it being deleted.
        guard !session.deleting.contains(key) else { return nil }
        let tombstone = row.asDeleted(in: self)
        precondition(
            tombstone.map { Entity._sameID($0.id, row.id) } ?? true,
            "asDeleted must keep the entity's id")
        session.deleting.append(key)
        try row.willDelete(from: &self)
        session.deleting.removeAll { $0 == key }
        removeRow(type, at: slot, keepsPlace: tombstone != nil)
        if let tombstone { _ = try put(tombstone, .replace) }
        return { context in try row.didDelete(from: &context) }
    }

    /// The place in its type's order of an entity that is not there; `isKept` false takes it away.
    @inlinable
    mutating func setPlace<Entity: EntityModelProtocol>(
        _ type: Entity.Type, id: Entity.ID, isKept: Bool
    ) -> UInt64 {
        let position = position(of: Entity._descriptor)
        let stamp = session.stamp
        session.journal.append(JournalEntry(table: position, isLink: false))
        let table = unsafeDowncast(tables.unique(at: position), to: Table<Entity>.self)
        return table.setPlace(of: table.internSlot(of: id), isKept: isKept, stamp: stamp)
    }

    @inlinable
    mutating func detach<Entity: EntityModelProtocol>(
        _ id: Entity.ID, _ path: PartialKeyPath<Entity>
    ) {
        guard let slot = knownSlot(of: Entity.self, id: id) else { return }
        let relation = relationIndex(path)
        let position = position(of: Entity._descriptor)
        let mark = begin()
        replaceLinks(with: [], of: slot.rawValue, relation: relation, table: position)
        end(mark)
    }

    @inlinable
    mutating func deleteChildren<Entity: EntityModelProtocol>(
        of id: Entity.ID, _ path: PartialKeyPath<Entity>
    ) throws {
        guard let slot = knownSlot(of: Entity.self, id: id) else { return }
        let relation = relationIndex(path)
        let position = position(of: Entity._descriptor)
        try deleteChildren(of: slot, relation: relation, table: position)
    }

    @usableFromInline
    mutating func deleteChildren(of slot: Slot, relation: Int, table: Int) throws {
        let childTable = tables.tables[table].relations[relation].childTable
        let mark = begin()
        do {
            for child in liveChildren(of: slot.rawValue, relation: relation, table: table) {
                try deleteRow(at: Slot(child), table: childTable)
            }
        } catch {
            rollBack(to: mark)
            throw error
        }
        replaceLinks(with: [], of: slot.rawValue, relation: relation, table: table)
        end(mark)
    }

    @inlinable
    func relationIndex<Entity: EntityModelProtocol>(_ path: PartialKeyPath<Entity>) -> Int {
        guard let index = Entity._descriptor.relationIndex(at: path) else {
            preconditionFailure("\(path) is no @Relationship of \(Entity.self)")
        }
        return index
    }
}
