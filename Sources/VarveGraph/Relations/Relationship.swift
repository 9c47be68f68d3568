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
    /// - Parameter constraint: `.required` where it cannot be nullified.
    public init<Inverse>(
        _ constraint: Constraint<Constraints>,
        deleteRule: DeleteRule = .nullify, inverse: KeyPath<Entity, Inverse?>
    ) { self.init(.none) }
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
    public init<Inverse>(
        deleteRule: DeleteRule = .nullify, inverse: KeyPath<Entity, Inverse?>
    ) { self.init(.none) }
    public init<Inverse>(
        inverse: KeyPath<Entity, Inverse?>, deleteRule: DeleteRule
    ) { self.init(.none) }
    public init<Inverse>(
        _ constraint: Constraint<Relations.Required>,
        deleteRule: DeleteRule = .nullify, inverse: KeyPath<Entity, Inverse?>
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
    /// - Parameter constraint: `.required` where it cannot be nullified.
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
    public static func id(_ id: Entity.ID) -> Self { Self(.id(id)) }
    public static func relation(_ entity: Entity) -> Self { Self(.relation(entity)) }
    public static func fragment(_ entity: Entity) -> Self { Self(.fragment(entity)) }
}

extension Relationship
where Cardinality == Relations.ToOne<Entity>, Constraints == Relations.Optional {
    public static var null: Self { Self(.null) }
}

extension Relationship where Cardinality == Relations.ToMany<Entity> {
    public static func ids(_ ids: [Entity.ID]) -> Self { Self(.ids(ids)) }
    public static func relation(_ entities: [Entity]) -> Self { Self(.relation(entities)) }
    public static func fragment(_ entities: [Entity]) -> Self { Self(.fragment(entities)) }
    public static func appending(relation entities: [Entity]) -> Self {
        Self(.appending(relation: entities))
    }
    public static func appending(fragment entities: [Entity]) -> Self {
        Self(.appending(fragment: entities))
    }
    public static func appending(ids: [Entity.ID]) -> Self { Self(.appending(ids: ids)) }
}
