/// The phantom types that say what kind of relation a property is.
public enum Relations {
    /// The other side knows nothing of the relation.
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
    }
    /// An ordered list of distinct related entities.
    public enum ToMany<Entity: EntityModelProtocol>: RelationCardinality {
        public typealias Value = [Entity]
        @inlinable public static var isToMany: Bool { true }
    }
}

/// How many entities a relation leads to.
public protocol RelationCardinality: SendableMetatype {
    associatedtype Value: Sendable
    static var isToMany: Bool { get }
}

/// What happens to related entities when the entity is deleted.
public enum DeleteRule: Sendable, Hashable {
    /// They stay; the links to them go.
    case nullify
    /// They are deleted too.
    case cascade
}

/// The `.required` of `@Relationship(.required)`.
public struct RelationConstraint<Rule>: Sendable {
    init() {}
}

extension RelationConstraint where Rule == Relations.Required {
    /// The relation cannot be set to `.null`.
    public static var required: RelationConstraint<Relations.Required> { .init() }
}

public typealias ToOneRelation<Entity: EntityModelProtocol, Directionality, Constraint> =
    Relation<Entity, Directionality, Relations.ToOne<Entity>, Constraint>
public typealias ToManyRelation<Entity: EntityModelProtocol, Directionality, Constraint> =
    Relation<Entity, Directionality, Relations.ToMany<Entity>, Constraint>
