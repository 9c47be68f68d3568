/// What a query loads of its entities' relations. Kept apart from the query's other steps, so that
/// no later filter or sort can lose it.
@usableFromInline
struct Shape<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline var steps: [ShapeStep] = []

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { steps.isEmpty }

    /// What fills the relations of one entity after another. Tables and relations are looked up
    /// here, once for a query and not once for an entity.
    ///
    /// Of several steps for one relation the last one counts.
    @inlinable
    func fills(in context: Context) -> [ShapeFill] {
        guard !steps.isEmpty, let table = context.tables.position(of: Entity._descriptor) else {
            return []
        }
        return relationShapes(in: context).compactMap { $0.prepare(context, table) }
    }

    @usableFromInline
    func relationShapes(in context: Context) -> [RelationShape] {
        var shapes: [RelationShape?] = Array(
            repeating: nil, count: Entity._descriptor.relations.count)
        for step in steps {
            switch step.content {
            case .relation(let index, let shape): shapes[index] = shape
            case .nested(let nested):
                let query = Entity.nestedQueryModifier(
                    Query<Entity>(QueryList(.ids([]))), in: context, nested: nested)
                for step in query.list.plan.shape.steps {
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
        guard let table = context.table(of: Entity.self) else { return [] }
        return RowLoader(table, fills: shape.fills(in: context)).load(slots)
    }

    /// The same for each of several lists.
    @inlinable
    func materialize(groups: [ContiguousArray<UInt32>], in context: Context) -> [[Entity]] {
        guard let table = context.table(of: Entity.self) else { return groups.map { _ in [] } }
        let loader = RowLoader(table, fills: shape.fills(in: context))
        return groups.map { loader.load($0) }
    }

    /// Whether every row that comes in goes out, in whatever order.
    @usableFromInline var keepsAllRows: Bool {
        steps.allSatisfy { step in
            switch step {
            case .sort, .distinct: true
            case .transform(let transform): transform.keepsAllRows
            default: false
            }
        }
    }
}
