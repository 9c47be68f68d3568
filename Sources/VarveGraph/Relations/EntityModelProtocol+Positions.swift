// Changing the order of a to-many relation without handing over all of its ids. Positions are those of
// `related(_:)`: they count the entities that are in the context. The calls are made with `try`, as those
// that save and detach are.

extension EntityModelProtocol {
    /// Moves an entity of a to-many relation to another position.
    ///
    /// The log keeps the move alone, whatever the length of the list. O(log n) in the length of the list, O(n) while
    /// the context has links to entities of this type that are not there.
    ///
    /// - Parameters:
    ///   - source: where the entity is. Stops the program where the list has no such position.
    ///   - destination: where it is afterwards.
    /// - Throws: ``ContextError/noSuchEntity(type:id:)`` where the context does not know this entity, as its siblings do.
    @inlinable
    public func move<Child, Direction, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        from source: Int, to destination: Int, in context: inout Context
    ) throws {
        try context.changeList(of: self.id, relation) { context, slot, relation, table in
            context.moveLink(
                from: source, to: destination, of: slot, relation: relation, table: table)
        }
    }

    /// Moves several entities of a to-many relation, which keep their order, before the entity that is at an offset:
    /// what SwiftUI's `onMove` hands over.
    ///
    /// - Parameters:
    ///   - sources: the positions of the entities, as an `IndexSet` has them.
    ///   - offset: the position, before anything is moved, of the entity that they come before; the count of the list
    ///     for its end.
    @inlinable
    public func move<Child, Direction, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        fromOffsets sources: some Sequence<Int>, toOffset offset: Int, in context: inout Context
    ) throws {
        let sources = Set(sources).sorted()
        try context.changeList(of: self.id, relation) { context, slot, relation, table in
            // Those before the offset first, the last of them first: each takes the place before the one moved last.
            let isBefore = sources.partitioningCount(below: offset)
            for (moved, source) in sources[..<isBefore].reversed().enumerated() {
                context.moveLink(
                    from: source, to: offset - 1 - moved, of: slot, relation: relation,
                    table: table)
            }
            for (moved, source) in sources[isBefore...].enumerated() {
                context.moveLink(
                    from: source, to: offset + moved, of: slot, relation: relation, table: table)
            }
        }
    }

    /// Saves an entity and links it at a position of a to-many relation. One that the relation leads to already moves there.
    ///
    /// - Parameter position: where it is afterwards. One behind the end of the list means its end.
    /// - Throws: what the save throws; nothing is changed then.
    @inlinable
    public func insert<Child, Direction, Rule>(
        _ child: Child, at position: Int,
        relation: KeyPath<Self, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        in context: inout Context
    ) throws {
        try context.atomically { context in
            let slot = try context.save(child, .default)
            let id = context.id(of: Child.self, at: slot)
            try insert([id], at: position, relation: relation, in: &context)
        }
    }

    /// Links entities by their ids from a position of a to-many relation on. Those that it leads to already move there.
    ///
    /// - Parameter position: of the first of them, afterwards. One behind the end of the list means its end.
    /// - Throws: ``ContextError/noSuchEntity(type:id:)`` for an entity whose id is still to be given.
    @inlinable
    public func insert<Child, Direction, Rule>(
        _ ids: [Child.ID], at position: Int,
        relation: KeyPath<Self, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        in context: inout Context
    ) throws {
        try context.atomically { context in
            // A link may lead from an entity that is still to be saved.
            let slots = context.internSlots(Self.self, [self.id])
            try context.checkAreGiven(slots, of: Self._descriptor)
            let children = context.internSlots(Child.self, ids)
            try context.checkAreGiven(children, of: Child._descriptor)
            try context.changeList(of: self.id, relation) { context, slot, relation, table in
                context.insertLinks(
                    children, at: position, of: slot, relation: relation, table: table)
            }
        }
    }

    /// Unlinks the entity at a position of a to-many relation, on both sides of a mutual one. The entity stays.
    @inlinable
    public func detach<Child, Direction, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        at position: Int, in context: inout Context
    ) throws {
        try context.changeList(of: self.id, relation) { context, slot, relation, table in
            context.removeLink(at: position, of: slot, relation: relation, table: table)
        }
    }

    /// Puts the entities of a to-many relation in an order, once: what is linked later comes where it is put.
    ///
    /// Entities that compare equal keep their order. O(n log n).
    @inlinable
    public func sort<Child, Direction, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        in context: inout Context, by areInIncreasingOrder: (Child, Child) throws -> Bool
    ) throws {
        let children = context.children(Child.self, of: self.id, relation)
        let order = try children.sorted { try areInIncreasingOrder($0.row, $1.row) }.map(\.slot)
        try context.changeList(of: self.id, relation) { context, slot, relation, table in
            context.reorderLinks(
                to: ContiguousArray(order), of: slot, relation: relation, table: table)
        }
    }

    /// Puts the entities of a to-many relation in the order of a property, once.
    @inlinable
    public func sort<Child, Direction, Rule, Value: Comparable>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Relations.ToMany<Child>, Rule>>,
        by property: KeyPath<Child, Value>, in context: inout Context
    ) throws {
        try sort(relation, in: &context) { $0[keyPath: property] < $1[keyPath: property] }
    }
}

extension [Int] {
    /// How many elements of this ascending array are below a bound.
    @inlinable
    func partitioningCount(below bound: Int) -> Int { firstIndex { $0 >= bound } ?? count }
}

extension Context {
    /// Runs a change of one list of an entity, as one change of the context. Throws where the context does not know it.
    @inlinable
    mutating func changeList<Entity: EntityModelProtocol>(
        of id: Entity.ID, _ path: PartialKeyPath<Entity>,
        _ body: (inout Context, _ slot: UInt32, _ relation: Int, _ table: Int) -> Void
    ) throws {
        let relation = relationIndex(path)
        guard let slot = knownSlot(of: Entity.self, id: id) else {
            throw ContextError.noSuchEntity(type: "\(Entity.self)", id: "\(id)")
        }
        let table = position(of: Entity._descriptor)
        try changeLinks { body(&$0, slot.rawValue, relation, table) }
    }

    /// The entities that a relation of an entity leads to, with their slots, in order.
    @inlinable
    func children<Entity: EntityModelProtocol, Child: EntityModelProtocol>(
        _ type: Child.Type, of id: Entity.ID, _ path: PartialKeyPath<Entity>
    ) -> [(slot: UInt32, row: Child)] {
        guard let slot = knownSlot(of: Entity.self, id: id),
            let table = tables.position(of: Entity._descriptor)
        else { return [] }
        let slots = liveChildren(of: slot.rawValue, relation: relationIndex(path), table: table)
        return slots.compactMap { slot in
            row(of: Child.self, at: Slot(slot)).map { (slot, $0) }
        }
    }
}
