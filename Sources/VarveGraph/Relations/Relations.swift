/// The phantom types that say what kind of relation a property is.
public enum Relations {
    /// The other side knows nothing of the relation, unless it names this one as its inverse.
    public enum OneWay: DirectionalityProtocol {}
    /// The other side has a relation back; the library keeps both in step.
    public enum Mutual: DirectionalityProtocol {}
    /// The relation may be nullified.
    public enum Optional: ConstraintsProtocol {}
    /// The relation cannot be nullified explicitly.
    public enum Required: ConstraintsProtocol {}

    /// What happens to related entities when the entity is deleted.
    public typealias DeleteRule = VarveGraph.DeleteRule

    /// At most one related entity.
    public enum ToOne<Entity: EntityModelProtocol>: CardinalityProtocol {
        /// The related entity.
        public typealias Value = Entity
        /// Always false.
        @inlinable public static var isToMany: Bool { false }
        @inlinable public static func _value(of entities: [Entity]) -> Entity? { entities.first }
    }

    /// An ordered list of distinct related entities.
    public enum ToMany<Entity: EntityModelProtocol>: CardinalityProtocol {
        /// The related entities, in their order.
        public typealias Value = [Entity]
        /// Always true.
        @inlinable public static var isToMany: Bool { true }
        @inlinable public static func _value(of entities: [Entity]) -> [Entity]? { entities }
    }
}

/// Whether the other side has a relation back: ``Relations/OneWay`` or ``Relations/Mutual``.
public protocol DirectionalityProtocol {}

/// Whether a relation may be nullified: ``Relations/Optional`` or ``Relations/Required``.
public protocol ConstraintsProtocol {}

/// How many entities a relation leads to: ``Relations/ToOne`` or ``Relations/ToMany``.
public protocol CardinalityProtocol: SendableMetatype {
    /// The type that the relation leads to.
    associatedtype Entity: EntityModelProtocol
    /// What the property of the relation holds: one entity, or a list.
    associatedtype Value: Sendable
    /// Whether the relation leads to a list.
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

/// What happens to an entity that leaves a list.
public enum OrphanRule: Sendable, Hashable {
    /// It stays, without a link to where it was.
    case keep
    /// It is deleted, with its hooks and delete rules, when no entity's list of the same relation holds it any more. Other
    /// relations that lead to it do not count. That is decided when the save or the call that changed the list ends:
    /// what moves to another such list meanwhile stays.
    case delete
}

/// The `.required` of `@Relationship(.required)`, or its opposite.
public struct Constraint<Rule: ConstraintsProtocol>: Sendable {
    init() {}
}

extension Constraint where Rule == Relations.Required {
    /// The relation cannot be set to `.null`.
    public static var required: Constraint<Relations.Required> { .init() }
}

extension Constraint where Rule == Relations.Optional {
    /// The relation can be set to `.null`, as without a constraint.
    public static var optional: Constraint<Relations.Optional> { .init() }
}

// MARK: - Names for kinds of relations

/// A relation to at most one entity.
public typealias ToOneRelation<Entity: EntityModelProtocol, Directionality, Constraints> =
    Relation<Entity, Directionality, Relations.ToOne<Entity>, Constraints>
/// A relation to a list of entities.
public typealias ToManyRelation<Entity: EntityModelProtocol, Directionality, Constraints> =
    Relation<Entity, Directionality, Relations.ToMany<Entity>, Constraints>

/// A relation that the other side knows nothing of.
public typealias OneWayRelation<
    Entity: EntityModelProtocol, Cardinality: CardinalityProtocol, Constraints
> = Relation<Entity, Relations.OneWay, Cardinality, Constraints>
where Cardinality.Entity == Entity
/// A relation whose other side has a relation back.
public typealias MutualRelation<
    Entity: EntityModelProtocol, Cardinality: CardinalityProtocol, Constraints
> = Relation<Entity, Relations.Mutual, Cardinality, Constraints>
where Cardinality.Entity == Entity

// What the other side is does not show in a relation's type: these say how many there are on this
// side, behind the "to".

/// A mutual relation of one entity to at most one other.
public typealias OneToOneRelation<Entity: EntityModelProtocol, Constraints> =
    ToOneRelation<Entity, Relations.Mutual, Constraints>
/// A mutual relation of one entity to a list of others.
public typealias OneToManyRelation<Entity: EntityModelProtocol, Constraints> =
    ToManyRelation<Entity, Relations.Mutual, Constraints>
/// A mutual relation of entities of which several share one other.
public typealias ManyToOneRelation<Entity: EntityModelProtocol, Constraints> =
    ToOneRelation<Entity, Relations.Mutual, Constraints>
/// A mutual relation of entities to a list of others, each of which has several.
public typealias ManyToManyRelation<Entity: EntityModelProtocol, Constraints> =
    ToManyRelation<Entity, Relations.Mutual, Constraints>
