/// Declares a relation of an entity.
///
/// The property itself reads what is loaded; its projected value, `$name`, is the ``Relation``
/// that is set before a save.
@propertyWrapper
public struct Relationship<Entity: EntityModelProtocol, Directionality, Cardinality, Constraints>:
    Sendable
where Cardinality: CardinalityProtocol, Cardinality.Entity == Entity {
    // The only stored property, so that a relation stands at its wrapper's address.
    @usableFromInline var relation: Relation<Entity, Directionality, Cardinality, Constraints>

    @inlinable
    init(_ relation: Relation<Entity, Directionality, Cardinality, Constraints>) {
        self.relation = relation
    }

    /// The relation itself, `$name`: what it says, and what to set before a save.
    @inlinable
    public var projectedValue: Relation<Entity, Directionality, Cardinality, Constraints> {
        get { relation }
        set { relation = newValue }
    }

    /// What is loaded: the related entity or entities. Nil where nothing was asked for; of a
    /// to-many relation an empty list where there are none, or where ids only are loaded.
    @inlinable public var wrappedValue: Cardinality.Value? { relation.loadedValue }
}

// MARK: - Declaring

extension Relationship
where
    Directionality == Relations.Mutual, Cardinality == Relations.ToOne<Entity>,
    Constraints: ConstraintsProtocol
{
    /// A mutual relation to at most one entity.
    ///
    /// - Parameters:
    ///   - constraint: `.required` where it cannot be nullified.
    ///   - deleteRule: what happens to the related entity when this one is deleted.
    ///   - inverse: the relation of the other side.
    public init<Inverse>(
        _ constraint: Constraint<Constraints>,
        deleteRule: DeleteRule = .nullify, inverse: KeyPath<Entity, Inverse?>
    ) { self.init(.none) }
    /// A mutual relation to at most one entity, with the inverse named first.
    public init<Inverse>(
        _ constraint: Constraint<Constraints>,
        inverse: KeyPath<Entity, Inverse?>, deleteRule: DeleteRule
    ) { self.init(.none) }
}

extension Relationship
where
    Directionality == Relations.Mutual, Cardinality == Relations.ToOne<Entity>,
    Constraints == Relations.Optional
{
    /// A mutual relation to at most one entity, which may be nullified.
    public init<Inverse>(
        deleteRule: DeleteRule = .nullify, inverse: KeyPath<Entity, Inverse?>
    ) { self.init(.none) }
    /// A mutual relation to at most one entity, which may be nullified, with the inverse named first.
    public init<Inverse>(
        inverse: KeyPath<Entity, Inverse?>, deleteRule: DeleteRule
    ) { self.init(.none) }
}

extension Relationship
where
    Directionality == Relations.Mutual, Cardinality == Relations.ToMany<Entity>,
    Constraints == Relations.Required
{
    /// A mutual relation to a list of entities.
    ///
    /// - Parameters:
    ///   - deleteRule: what happens to the listed entities when this one is deleted.
    ///   - orphans: what happens to an entity that leaves the list. `.delete` goes with `deleteRule: .cascade`.
    ///   - inverse: the relation of the other side.
    public init<Inverse>(
        deleteRule: DeleteRule = .nullify, orphans: OrphanRule = .keep,
        inverse: KeyPath<Entity, Inverse?>
    ) { self.init(.none) }
    /// A mutual relation to a list of entities, with the inverse named first.
    public init<Inverse>(
        inverse: KeyPath<Entity, Inverse?>, deleteRule: DeleteRule, orphans: OrphanRule = .keep
    ) { self.init(.none) }
    /// A mutual relation to a list of entities, with `.required` written out, which says nothing of a list.
    public init<Inverse>(
        _ constraint: Constraint<Relations.Required>, deleteRule: DeleteRule = .nullify,
        orphans: OrphanRule = .keep, inverse: KeyPath<Entity, Inverse?>
    ) { self.init(.none) }
}

// The value that a declaration gives, and that a memberwise initializer takes, is a relation: ids,
// fragments and slices can be given as well as entities.

extension Relationship
where
    Directionality == Relations.OneWay, Cardinality == Relations.ToOne<Entity>,
    Constraints: ConstraintsProtocol
{
    /// A one-way relation to at most one entity.
    ///
    /// - Parameters:
    ///   - constraint: `.required` where it cannot be nullified.
    ///   - deleteRule: what happens to the related entity when this one is deleted.
    public init(_ constraint: Constraint<Constraints>, deleteRule: DeleteRule = .nullify) {
        self.init(.none)
    }
    /// A one-way relation to at most one entity, with the value that it starts with.
    public init(
        wrappedValue: ToOneRelation<Entity, Relations.OneWay, Constraints>?,
        _ constraint: Constraint<Constraints>, deleteRule: DeleteRule = .nullify
    ) { self.init(wrappedValue ?? .none) }
}

extension Relationship
where
    Directionality == Relations.OneWay, Cardinality == Relations.ToOne<Entity>,
    Constraints == Relations.Optional
{
    /// A one-way relation to at most one entity, which may be nullified, with the value that it
    /// starts with: `= nil` for nothing.
    public init(
        wrappedValue: ToOneRelation<Entity, Relations.OneWay, Relations.Optional>?,
        deleteRule: DeleteRule = .nullify
    ) { self.init(wrappedValue ?? .none) }
    /// A one-way relation to at most one entity, which may be nullified.
    public init(deleteRule: DeleteRule = .nullify) { self.init(.none) }
}

extension Relationship
where
    Directionality == Relations.OneWay, Cardinality == Relations.ToMany<Entity>,
    Constraints == Relations.Required
{
    /// A one-way relation to a list of entities, with the value that it starts with: `= nil` for
    /// nothing.
    public init(
        wrappedValue: ToManyRelation<Entity, Relations.OneWay, Relations.Required>?,
        deleteRule: DeleteRule = .nullify
    ) { self.init(wrappedValue ?? .none) }
    /// A one-way relation to a list of entities.
    public init(
        _ constraint: Constraint<Relations.Required>, deleteRule: DeleteRule = .nullify
    ) { self.init(.none) }
    /// A one-way relation to a list of entities.
    public init(deleteRule: DeleteRule = .nullify) { self.init(.none) }
}

// MARK: - Setting through a memberwise initializer

extension Relationship {
    /// Says nothing: saving leaves the links as they are.
    @inlinable public static var none: Self { Self(.none) }
}

extension Relationship where Cardinality == Relations.ToOne<Entity> {
    /// Leads to the entity of this id, which a save does not save.
    public static func id(_ id: Entity.ID) -> Self { Self(.id(id)) }
    /// Leads to this entity, which a save saves too.
    public static func relation(_ entity: Entity) -> Self { Self(.relation(entity)) }
    /// Leads to this entity, which a save merges by its fragment strategy.
    public static func fragment(_ entity: Entity) -> Self { Self(.fragment(entity)) }
}

extension Relationship
where Cardinality == Relations.ToOne<Entity>, Constraints == Relations.Optional {
    /// Leads nowhere: a save removes the link.
    public static var null: Self { Self(.null) }
}

extension Relationship where Cardinality == Relations.ToMany<Entity> {
    /// Leads to the entities of these ids, in this order, and to no others.
    public static func ids(_ ids: [Entity.ID]) -> Self { Self(.ids(ids)) }
    /// Leads to these entities, in this order, and to no others. A save saves them too.
    public static func relation(_ entities: [Entity]) -> Self { Self(.relation(entities)) }
    /// Leads to these entities, in this order, and to no others. A save merges them by their fragment strategy.
    public static func fragment(_ entities: [Entity]) -> Self { Self(.fragment(entities)) }
    /// Leads to these entities as well, behind those that are linked. A save saves them too.
    public static func appending(relation entities: [Entity]) -> Self {
        Self(.appending(relation: entities))
    }
    /// Leads to these entities as well, behind those that are linked. A save merges them by their fragment
    /// strategy.
    public static func appending(fragment entities: [Entity]) -> Self {
        Self(.appending(fragment: entities))
    }
    /// Leads to the entities of these ids as well, behind those that are linked.
    public static func appending(ids: [Entity.ID]) -> Self { Self(.appending(ids: ids)) }
}
