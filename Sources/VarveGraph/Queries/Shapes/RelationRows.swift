/// What loads one relation for one parent after another, without the type that it leads to.
@usableFromInline
class RelationRows {
    @inlinable
    init() {}

    /// Tells the loader of the children which ones the relation of a parent is going to hold.
    func expect(childrenOf parent: UInt32) {}
}

/// Loads a relation that holds all entities of its type, in the order in which they were last changed.
@usableFromInline
final class TypeRows<Child: EntityModelProtocol>: RelationRows {
    private let query: QueryList<Child>
    private let form: LoadedForm
    private let context: Context
    private let loaders: NestedLoaders
    private var slots: ContiguousArray<UInt32>?
    private var made: RelationContent<Child>?

    @usableFromInline
    init(
        _ plan: RowPlan<Child>, _ form: LoadedForm, _ context: Context, _ loaders: NestedLoaders
    ) {
        query = QueryList<Child>(.all, plan: plan).sorted(by: .lastSave)
        self.form = form
        self.context = context
        self.loaders = loaders
    }

    /// What every relation of this kind holds, made for the first.
    @usableFromInline var content: RelationContent<Child> {
        if let made { return made }
        let slots = foundSlots()
        let entities = loader?.load(slots) ?? []
        let content = RelationContent<Child>(
            .entities(entities, isFragment: form.isFragment), isSlice: form.isSlice)
        made = content
        return content
    }

    override func expect(childrenOf parent: UInt32) {
        // All parents expect the same.
        guard slots == nil else { return }
        loader?.expect(foundSlots())
    }

    private func foundSlots() -> ContiguousArray<UInt32> {
        if let slots { return slots }
        let found = query.slots(in: context)
        slots = found
        return found
    }

    private var loader: RowLoader<Child>? {
        context.rows(of: Child.self).map {
            query.plan.shape.loader(of: $0, in: context, loaders)
        }
    }
}
