/// What a query does with the rows that its source names: steps in order, then the shape.
@usableFromInline
struct RowPlan<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline var list = StepList<RowStep>()
    /// Fills relations of a copied row. Kept apart from the steps, so that no later filter or
    /// sort can lose it.
    @usableFromInline var shape = Shape<Entity>()

    @inlinable
    init() {}

    @inlinable var steps: [RowStep] { list.steps }
    @inlinable var hasSteps: Bool { list.hasSteps }

    @inlinable
    mutating func add(_ step: RowStep) { list.add(step) }

    /// Passes slots, all of which have rows, through the steps.
    @inlinable
    func apply(
        to slots: ContiguousArray<UInt32>, in context: Context
    ) -> ContiguousArray<UInt32> {
        guard hasSteps, let table = context.tables.position(of: Entity._descriptor) else {
            return slots
        }
        return list.apply(to: slots, in: context, table: table)
    }
}
