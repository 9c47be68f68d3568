/// Says how one relation of a query's entities is loaded, or several of them at once.
public struct ShapeStep: Sendable {
    @usableFromInline
    enum Content: Sendable {
        /// One relation, by its position among the type's relations.
        case relation(Int, RelationShape)
        /// All relations, down to a depth.
        case nested([Nested])
    }

    @usableFromInline let content: Content

    @inlinable
    init(_ content: Content) { self.content = content }
}

/// How one relation is loaded, before a context is known.
@usableFromInline
struct RelationShape: Sendable {
    /// Returns what fills the relation of one entity after another, for a context and the
    /// position of the parent's table in it; nil where there is nothing to fill.
    @usableFromInline let prepare: @Sendable (Context, Int, NestedLoaders) -> ShapeFill?
    /// How many levels of entities inside one another are loaded at most, with this one.
    @usableFromInline let depth: Int

    @inlinable
    init(
        depth: Int, prepare: @escaping @Sendable (Context, Int, NestedLoaders) -> ShapeFill?
    ) {
        self.depth = depth
        self.prepare = prepare
    }
}

/// Fills one relation of an entity that was copied out.
@usableFromInline
struct ShapeFill {
    /// What it looks at first, if it looks at an entity's links.
    @usableFromInline let links: LinkReader?
    /// What loads the related rows.
    @usableFromInline let rows: RelationRows
    /// Given are the entity's address and slot.
    @usableFromInline let fill: (UnsafeMutableRawPointer, UInt32) -> Void

    @inlinable
    init(
        reading links: LinkReader?, _ rows: RelationRows,
        _ fill: @escaping (UnsafeMutableRawPointer, UInt32) -> Void
    ) {
        self.links = links
        self.rows = rows
        self.fill = fill
    }
}

/// Where a relation stands: its position among the type's relations, and its bytes in a value.
@frozen
@usableFromInline
struct RelationPlace: Sendable {
    @usableFromInline let index: Int
    @usableFromInline let offset: Int

    @inlinable
    init(index: Int, offset: Int) {
        self.index = index
        self.offset = offset
    }

    /// - Complexity: linear in the number of the type's relations.
    @inlinable
    init<Entity: EntityModelProtocol>(_ path: PartialKeyPath<Entity>) {
        let descriptor = Entity._descriptor
        guard let index = descriptor.relationIndex(at: path) else {
            preconditionFailure("\(path) is no @Relationship of \(Entity.self)")
        }
        self.init(index: index, offset: descriptor.relations[index].offset)
    }
}

/// What is loaded of a relation, and what saving it back means.
@frozen
@usableFromInline
struct LoadedForm: Sendable {
    @usableFromInline let isFragment: Bool
    @usableFromInline let isSlice: Bool

    @inlinable
    init(isFragment: Bool = false, isSlice: Bool = false) {
        self.isFragment = isFragment
        self.isSlice = isSlice
    }
}

extension ShapeStep {
    /// Loads related entities through a plan of their own.
    @inlinable
    static func entities<Child, Direction, Cardinality, Rule>(
        _ type: Relation<Child, Direction, Cardinality, Rule>.Type, at place: RelationPlace,
        plan: RowPlan<Child>, as form: LoadedForm
    ) -> ShapeStep {
        typealias Value = Relation<Child, Direction, Cardinality, Rule>
        let shape = RelationShape(depth: plan.shape.depth + 1) { context, table, loaders in
            let rows = RelatedRows<Child>(plan, form, place.index, table, context, loaders)
            return ShapeFill(reading: rows.links, rows) { address, slot in
                let content = Cardinality.isToMany ? rows.list(of: slot) : rows.one(of: slot)
                guard let content else { return }
                (address + place.offset).assumingMemoryBound(to: Value.self).pointee =
                    Value(content)
            }
        }
        return ShapeStep(.relation(place.index, shape))
    }

    /// Loads only ids: without conditions those of entities that are there and of those that are
    /// still to come, with conditions those of the entities that meet them.
    @inlinable
    static func ids<Child, Direction, Cardinality, Rule>(
        _ type: Relation<Child, Direction, Cardinality, Rule>.Type, at place: RelationPlace,
        plan: RowPlan<Child>, as form: LoadedForm
    ) -> ShapeStep {
        typealias Value = Relation<Child, Direction, Cardinality, Rule>
        let shape = RelationShape(depth: 1) { context, table, loaders in
            let rows = RelatedRows<Child>(plan, form, place.index, table, context, loaders)
            return ShapeFill(reading: rows.links, rows) { address, slot in
                let content = Cardinality.isToMany ? rows.idList(of: slot) : rows.oneID(of: slot)
                guard let content else { return }
                (address + place.offset).assumingMemoryBound(to: Value.self).pointee =
                    Value(content)
            }
        }
        return ShapeStep(.relation(place.index, shape))
    }

    /// Loads all entities of the related type, whatever the links say, in the order in which they
    /// were last changed. A to-one relation is left alone.
    @inlinable
    static func wholeType<Child, Direction, Cardinality, Rule>(
        _ type: Relation<Child, Direction, Cardinality, Rule>.Type, at place: RelationPlace,
        plan: RowPlan<Child>, as form: LoadedForm
    ) -> ShapeStep {
        typealias Value = Relation<Child, Direction, Cardinality, Rule>
        let shape = RelationShape(depth: plan.shape.depth + 1) { context, _, loaders in
            guard Cardinality.isToMany else { return nil }
            let rows = TypeRows<Child>(plan, form, context, loaders)
            return ShapeFill(reading: nil, rows) { address, _ in
                (address + place.offset).assumingMemoryBound(to: Value.self).pointee =
                    Value(rows.content)
            }
        }
        return ShapeStep(.relation(place.index, shape))
    }
}
