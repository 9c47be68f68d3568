/// What a query loads of its entities' relations. Kept apart from the query's other steps, so that
/// no later filter or sort can lose it.
@usableFromInline
struct Shape<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline var list = StepList<ShapeStep>()

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { list.isEmpty }

    @inlinable
    mutating func add(_ step: ShapeStep) { list.append(step) }

    /// How many levels of entities inside one another are loaded at most.
    @usableFromInline var depth: Int { list.all.reduce(0) { max($0, $1.depth) } }

    /// The depth list that the shape is, where it is nothing else.
    @usableFromInline var depthList: [Nested]? {
        let steps = list.all
        guard steps.count == 1, case .nested(let nested) = steps[0].content else { return nil }
        return nested
    }

    /// What fills the relations of one entity after another. Tables and relations are looked up
    /// here, once for a query and not once for an entity.
    ///
    /// Of several steps for one relation the last one counts.
    @inlinable
    func fills(in context: Context, _ loaders: NestedLoaders) -> [ShapeFill] {
        guard !isEmpty, let table = context.tables.position(of: Entity._descriptor) else {
            return []
        }
        return relationShapes(in: context).compactMap { $0.prepare(context, table, loaders) }
    }

    @inlinable
    func loader(
        of table: Table<Entity>, in context: Context, _ loaders: NestedLoaders
    ) -> RowLoader<Entity> {
        guard let nested = depthList else {
            return RowLoader(table, fills: fills(in: context, loaders))
        }
        return loaders.loader(of: table, nested, self, in: context)
    }

    @usableFromInline
    func relationShapes(in context: Context) -> [RelationShape] {
        var shapes: [RelationShape?] = Array(
            repeating: nil, count: Entity._descriptor.relations.count)
        for step in list.all {
            switch step.content {
            case .relation(let index, let shape): shapes[index] = shape
            case .nested(let nested):
                let query = Entity.nestedQueryModifier(
                    Query<Entity>(QueryList(.ids([]))), in: context, nested: nested)
                for step in query.list.plan.shape.list.all {
                    // A type's own modifier may ask for a depth list again: that one is taken
                    // literally, or it would ask for ever.
                    for (index, shape) in step.relations(of: Entity.self) { shapes[index] = shape }
                }
            }
        }
        return shapes.compactMap { $0 }
    }
}

extension ShapeStep {
    fileprivate var depth: Int {
        switch content {
        case .relation(_, let shape): shape.depth
        case .nested(let nested): nested.count
        }
    }

    fileprivate func relations<Entity: EntityModelProtocol>(
        of type: Entity.Type
    ) -> [(Int, RelationShape)] {
        switch content {
        case .relation(let index, let shape): [(index, shape)]
        case .nested(let nested):
            Nested.steps(of: type, nested).flatMap { $0.relations(of: type) }
        }
    }
}

extension RowPlan {
    /// Copies rows out and fills what the shape asks for.
    @inlinable
    func materialize(_ slots: ContiguousArray<UInt32>, in context: Context) -> [Entity] {
        guard let table = context.rows(of: Entity.self) else { return [] }
        guard !shape.isEmpty else { return RowLoader(table, fills: []).load(slots) }
        let loaders = NestedLoaders(depth: shape.depth)
        defer { loaders.end() }
        return shape.loader(of: table, in: context, loaders).load(slots, in: loaders)
    }

    /// Copies the rows of several lists out and fills what the shape asks for.
    @inlinable
    func materialize(groups: [ContiguousArray<UInt32>], in context: Context) -> [[Entity]] {
        guard let table = context.rows(of: Entity.self) else { return groups.map { _ in [] } }
        let loaders = NestedLoaders(depth: shape.depth)
        defer { loaders.end() }
        let loader = shape.loader(of: table, in: context, loaders)
        return groups.map { loader.load($0, in: loaders) }
    }
}
