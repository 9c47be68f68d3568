/// The phantom types that say what kind of relation a property is.
public enum Relations {
    /// The other side knows nothing of the relation, unless it names this one as its inverse.
    public enum OneWay {}
    /// The other side has a relation back; the library keeps both in step.
    public enum Mutual {}
    /// The relation may be nullified.
    public enum Optional {}
    /// The relation cannot be nullified explicitly.
    public enum Required {}

    /// At most one related entity.
    public enum ToOne<Entity: EntityModelProtocol>: RelationCardinality {
        public typealias Value = Entity
        @inlinable public static var isToMany: Bool { false }
        @inlinable public static func _value(of entities: [Entity]) -> Entity? { entities.first }
    }

    /// An ordered list of distinct related entities.
    public enum ToMany<Entity: EntityModelProtocol>: RelationCardinality {
        public typealias Value = [Entity]
        @inlinable public static var isToMany: Bool { true }
        @inlinable public static func _value(of entities: [Entity]) -> [Entity]? { entities }
    }
}

/// How many entities a relation leads to.
public protocol RelationCardinality: SendableMetatype {
    associatedtype Entity: EntityModelProtocol
    /// What the property of the relation holds: one entity, or a list.
    associatedtype Value: Sendable
    static var isToMany: Bool { get }
    /// What the property shows of the entities that are loaded.
    static func _value(of entities: [Entity]) -> Value?
}

/// What happens to related entities when the entity is deleted.
public enum DeleteRule: Sendable, Hashable {
    /// They stay; the links to them go.
    case nullify
    /// They are deleted too.
    case cascade
    /// As long as there are any, the entity cannot be deleted: the delete throws
    /// ``ContextError/deleteDenied(type:id:relation:children:)`` and changes nothing.
    case deny
}

/// The `.required` of `@Relationship(.required)`.
public struct RelationConstraint<Rule>: Sendable {
    init() {}
}

extension RelationConstraint where Rule == Relations.Required {
    /// The relation cannot be set to `.null`.
    public static var required: RelationConstraint<Relations.Required> { .init() }
}

// MARK: - Names for kinds of relations

/// A relation to at most one entity.
public typealias ToOneRelation<Entity: EntityModelProtocol, Directionality, Constraint> =
    Relation<Entity, Directionality, Relations.ToOne<Entity>, Constraint>
/// A relation to a list of entities.
public typealias ToManyRelation<Entity: EntityModelProtocol, Directionality, Constraint> =
    Relation<Entity, Directionality, Relations.ToMany<Entity>, Constraint>

/// A relation that the other side knows nothing of.
public typealias OneWayRelation<
    Entity: EntityModelProtocol, Cardinality: RelationCardinality, Constraint
> = Relation<Entity, Relations.OneWay, Cardinality, Constraint>
where Cardinality.Entity == Entity
/// A relation whose other side has a relation back.
public typealias MutualRelation<
    Entity: EntityModelProtocol, Cardinality: RelationCardinality, Constraint
> = Relation<Entity, Relations.Mutual, Cardinality, Constraint>
where Cardinality.Entity == Entity

// What the other side is does not show in a relation's type: these say how many there are on this
// side, behind the "to".

/// A relation of one entity to at most one other.
public typealias OneToOneRelation<Entity: EntityModelProtocol, Directionality, Constraint> =
    ToOneRelation<Entity, Directionality, Constraint>
/// A relation of one entity to a list of others.
public typealias OneToManyRelation<Entity: EntityModelProtocol, Directionality, Constraint> =
    ToManyRelation<Entity, Directionality, Constraint>
/// A relation of entities of which several share one other.
public typealias ManyToOneRelation<Entity: EntityModelProtocol, Directionality, Constraint> =
    ToOneRelation<Entity, Directionality, Constraint>
/// A relation of entities to a list of others, each of which has several.
public typealias ManyToManyRelation<Entity: EntityModelProtocol, Directionality, Constraint> =
    ToManyRelation<Entity, Directionality, Constraint>
