// Changing one relation of an entity without saving the entity itself. `inverse:` may be given or
// left out: the relation knows its other side.

extension EntityModelProtocol {
    // MARK: - Saving

    /// Saves the entities that a relation of this value holds, and links them. The entity itself is
    /// not saved.
    @inlinable
    public func save<Child, Direction, Cardinality, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        to context: inout Context
    ) throws {
        try context.saveRelation(relation, of: self)
    }

    /// Saves the entities that a relation of this value holds, and links them on both sides. The
    /// entity itself is not saved.
    @inlinable
    public func save<
        Child, Direction, Cardinality, Rule, InverseDirection, InverseCardinality, InverseRule
    >(
        _ relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        inverse: KeyPath<Child, Relation<Self, InverseDirection, InverseCardinality, InverseRule>>,
        to context: inout Context
    ) throws {
        context.checkInverse(of: relation, inverse)
        try context.saveRelation(relation, of: self)
    }

    // MARK: - Detaching

    /// Unlinks everything that a relation leads to, on both sides of a mutual one. The entities
    /// stay, unless the relation deletes orphans.
    @inlinable
    public func detach<Child, Direction, Cardinality, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        in context: inout Context
    ) throws {
        try context.detach(self.id, relation)
    }

    /// Unlinks everything that a relation leads to, on both sides. The entities stay.
    @inlinable
    public func detach<
        Child, Direction, Cardinality, Rule, InverseDirection, InverseCardinality, InverseRule
    >(
        _ relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        inverse: KeyPath<Child, Relation<Self, InverseDirection, InverseCardinality, InverseRule>>,
        in context: inout Context
    ) throws {
        context.checkInverse(of: relation, inverse)
        try context.detach(self.id, relation)
    }

    /// Unlinks some of what a relation leads to, on both sides of a mutual one. The entities stay;
    /// ids that it does not lead to change nothing.
    @inlinable
    public func detach<Child, Direction, Cardinality, Rule>(
        _ ids: [Child.ID],
        relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        in context: inout Context
    ) throws {
        try context.detach(Child.self, ids, from: self.id, relation)
    }

    /// Unlinks some of what a relation leads to, on both sides of a mutual one.
    @inlinable
    public func detach<Child, Direction, Cardinality, Rule>(
        _ ids: Child.ID...,
        relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        in context: inout Context
    ) throws {
        try context.detach(Child.self, ids, from: self.id, relation)
    }

    /// Unlinks some of what a relation leads to, on both sides.
    @inlinable
    public func detach<
        Child, Direction, Cardinality, Rule, InverseDirection, InverseCardinality, InverseRule
    >(
        _ ids: [Child.ID],
        relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        inverse: KeyPath<Child, Relation<Self, InverseDirection, InverseCardinality, InverseRule>>,
        in context: inout Context
    ) throws {
        context.checkInverse(of: relation, inverse)
        try context.detach(Child.self, ids, from: self.id, relation)
    }

    /// Unlinks some of what a relation leads to, on both sides.
    @inlinable
    public func detach<
        Child, Direction, Cardinality, Rule, InverseDirection, InverseCardinality, InverseRule
    >(
        _ ids: Child.ID...,
        relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        inverse: KeyPath<Child, Relation<Self, InverseDirection, InverseCardinality, InverseRule>>,
        in context: inout Context
    ) throws {
        context.checkInverse(of: relation, inverse)
        try context.detach(Child.self, ids, from: self.id, relation)
    }

    // MARK: - Deleting

    /// Deletes everything that a relation leads to, and unlinks it.
    @inlinable
    public func delete<Child, Direction, Cardinality, Rule>(
        _ relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        from context: inout Context
    ) throws {
        try context.deleteChildren(of: self.id, relation)
    }

    /// Deletes everything that a relation leads to, and unlinks it on both sides.
    @inlinable
    public func delete<
        Child, Direction, Cardinality, Rule, InverseDirection, InverseCardinality, InverseRule
    >(
        _ relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        inverse: KeyPath<Child, Relation<Self, InverseDirection, InverseCardinality, InverseRule>>,
        from context: inout Context
    ) throws {
        context.checkInverse(of: relation, inverse)
        try context.deleteChildren(of: self.id, relation)
    }

    /// Deletes some of what a relation leads to, and unlinks it. Ids that the relation does not
    /// lead to are left alone.
    @inlinable
    public func delete<Child, Direction, Cardinality, Rule>(
        _ ids: [Child.ID],
        relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        from context: inout Context
    ) throws {
        try context.deleteChildren(Child.self, ids, of: self.id, relation)
    }

    /// Deletes some of what a relation leads to, and unlinks it.
    @inlinable
    public func delete<Child, Direction, Cardinality, Rule>(
        _ ids: Child.ID...,
        relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        from context: inout Context
    ) throws {
        try context.deleteChildren(Child.self, ids, of: self.id, relation)
    }

    /// Deletes some of what a relation leads to, and unlinks it on both sides.
    @inlinable
    public func delete<
        Child, Direction, Cardinality, Rule, InverseDirection, InverseCardinality, InverseRule
    >(
        _ ids: [Child.ID],
        relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        inverse: KeyPath<Child, Relation<Self, InverseDirection, InverseCardinality, InverseRule>>,
        from context: inout Context
    ) throws {
        context.checkInverse(of: relation, inverse)
        try context.deleteChildren(Child.self, ids, of: self.id, relation)
    }

    /// Deletes some of what a relation leads to, and unlinks it on both sides.
    @inlinable
    public func delete<
        Child, Direction, Cardinality, Rule, InverseDirection, InverseCardinality, InverseRule
    >(
        _ ids: Child.ID...,
        relation: KeyPath<Self, Relation<Child, Direction, Cardinality, Rule>>,
        inverse: KeyPath<Child, Relation<Self, InverseDirection, InverseCardinality, InverseRule>>,
        from context: inout Context
    ) throws {
        context.checkInverse(of: relation, inverse)
        try context.deleteChildren(Child.self, ids, of: self.id, relation)
    }
}
