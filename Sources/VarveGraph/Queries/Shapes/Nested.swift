/// One level of a depth list: how all relations at this depth are loaded.
///
/// `User.query("1").with(.entities, .fragments, .ids)` loads every relation of the user as
/// entities, every relation of those as fragments, and of those the ids.
public struct Nested: Sendable, Hashable {
    @usableFromInline
    enum Kind: Sendable, Hashable {
        case ids, entities, fragments
    }

    @usableFromInline let kind: Kind
    /// Whether a to-many relation means all entities of its type.
    @usableFromInline var isSchema = false
    @usableFromInline var filter: MetadataPredicate?

    @usableFromInline
    init(_ kind: Kind, isSchema: Bool = false, filter: MetadataPredicate? = nil) {
        self.kind = kind
        self.isSchema = isSchema
        self.filter = filter
    }

    /// The ids of related entities. No level can follow.
    public static var ids: Nested { Nested(.ids) }
    /// The related entities.
    public static var entities: Nested { Nested(.entities) }
    /// The related entities, marked as fragments.
    public static var fragments: Nested { Nested(.fragments) }
    /// All entities of each to-many relation's type, whatever the links say, in the order of
    /// their last changes. To-one relations stay unset.
    public static var schemaEntities: Nested { Nested(.entities, isSchema: true) }
    /// As ``schemaEntities``, marked as fragments.
    public static var schemaFragments: Nested { Nested(.fragments, isSchema: true) }

    /// The related entities that meet the condition, as slices.
    public static func entities(filter: MetadataPredicate) -> Nested {
        Nested(.entities, filter: filter)
    }

    /// The related entities that meet the condition, marked as fragments, as slices.
    public static func fragments(filter: MetadataPredicate) -> Nested {
        Nested(.fragments, filter: filter)
    }

    /// As ``schemaEntities``, only those that meet the condition, as slices.
    public static func schemaEntities(filter: MetadataPredicate) -> Nested {
        Nested(.entities, isSchema: true, filter: filter)
    }

    /// As ``schemaFragments``, only those that meet the condition, as slices.
    public static func schemaFragments(filter: MetadataPredicate) -> Nested {
        Nested(.fragments, isSchema: true, filter: filter)
    }
}

extension Nested {
    /// Makes the step that loads one relation: given are its place, the level and those below.
    @usableFromInline
    typealias Maker = @Sendable (RelationPlace, Nested, [Nested]) -> ShapeStep

    /// What generated code gives to the description of a relation.
    @inlinable
    static func maker<Entity, Child, Direction, Cardinality, Rule>(
        for path: KeyPath<Entity, Relation<Child, Direction, Cardinality, Rule>>
    ) -> Maker {
        { place, level, deeper in
            typealias Value = Relation<Child, Direction, Cardinality, Rule>
            var plan = RowPlan<Child>()
            if let filter = level.filter {
                plan.add(.filter(filter.condition(on: Child.self).condition))
            }
            if level.kind == .ids {
                return .ids(Value.self, at: place, plan: plan, as: LoadedForm())
            }
            if !deeper.isEmpty { plan.shape.add(ShapeStep(.nested(deeper))) }
            let form = LoadedForm(
                isFragment: level.kind == .fragments, isSlice: level.filter != nil)
            return level.isSchema
                ? .wholeType(Value.self, at: place, plan: plan, as: form)
                : .entities(Value.self, at: place, plan: plan, as: form)
        }
    }

    /// The steps for all relations of a type, in order of declaration.
    static func steps<Entity: EntityModelProtocol>(
        of type: Entity.Type, _ nested: [Nested]
    ) -> [ShapeStep] {
        guard let level = nested.first else { return [] }
        let deeper = Array(nested.dropFirst())
        return Entity._descriptor.relations.enumerated().map { index, relation in
            relation.nestedStep(
                RelationPlace(index: index, offset: relation.offset), level, deeper)
        }
    }
}

extension ShapedQuery {
    /// Loads all relations down to a depth: the first level says how those of the query's
    /// entities are loaded, the next one those of the related entities, and so on. Calls for
    /// single relations may follow and replace what the list says of them.
    ///
    /// Each level costs as much as there are different entities on it, by whatever ways they are reached. A query that
    /// is scanned, as by `forEach(in:)`, may load an entity again where some 16,000 others of its level came since.
    @inlinable
    public func with(_ nested: Nested...) -> Self { with(nested) }

    /// Loads all relations down to a depth.
    @inlinable
    public func with(_ nested: [Nested]) -> Self { _loading(ShapeStep(.nested(nested))) }
}

extension EntityModelProtocol {
    /// All entities of the type in insertion order, with their relations down to a depth.
    @inlinable
    public static func queryAll(with nested: Nested...) -> QueryList<Self> {
        query().with(nested)
    }

    /// All entities of the type in insertion order, with their relations down to a depth. The
    /// query is resolved in whatever context it is given; this one is not kept.
    @inlinable
    public static func queryAll(with nested: Nested..., in context: Context) -> QueryList<Self> {
        query().with(nested)
    }

    /// Every relation, as the first level says, with the others inside.
    public static func nestedQueryModifier(
        _ query: Query<Self>, in context: Context, nested: [Nested]
    ) -> Query<Self> {
        Nested.steps(of: Self.self, nested).reduce(query) { $0._loading($1) }
    }
}
