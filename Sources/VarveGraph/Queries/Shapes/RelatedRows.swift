/// Loads what one relation leads to, for one parent after another.
///
/// It lives as long as one resolution of a query, on one thread. What a relation holds once it is
/// loaded is immutable, so parents that lead to the same child share it.
@usableFromInline
final class RelatedRows<Child: EntityModelProtocol>: RelationRows {
    @usableFromInline typealias Content = RelationContent<Child>

    @usableFromInline let links: LinkReader
    @usableFromInline let table: Table<Child>
    @usableFromInline let plan: RowPlan<Child>
    @usableFromInline let form: LoadedForm
    @usableFromInline let context: Context
    @usableFromInline let loaders: NestedLoaders
    /// Whether conditions of the plan may hide linked entities.
    @usableFromInline let mayHide: Bool
    @exclusivity(unchecked) @usableFromInline var rows: RowCursor
    // Made when the first child is met, or a depth list would prepare every branch of the model.
    @exclusivity(unchecked) @usableFromInline var preparedLoader: RowLoader<Child>?
    @exclusivity(unchecked) @usableFromInline var slots: ContiguousArray<UInt32> = []
    @exclusivity(unchecked) @usableFromInline var emptyList: Content?
    /// The children loaded last by a to-one relation, each at the place that its slot's low bits
    /// name.
    @exclusivity(unchecked) @usableFromInline var recent: ContiguousArray<(UInt32, Content?)> = []

    @usableFromInline static var recentCount: Int { 32 }

    @inlinable
    init(
        _ plan: RowPlan<Child>, _ form: LoadedForm, _ relation: Int, _ parent: Int,
        _ context: Context, _ loaders: NestedLoaders
    ) {
        links = LinkReader(relation: relation, table: parent, in: context)
        table = links.child.rows(of: Child.self)
        rows = RowCursor(table)
        mayHide = !plan.list.keepsAllRows
        self.plan = plan
        self.form = form
        self.context = context
        self.loaders = loaders
    }

    @inlinable var loader: RowLoader<Child> {
        if let preparedLoader { return preparedLoader }
        let loader = plan.shape.loader(of: table, in: context, loaders)
        preparedLoader = loader
        return loader
    }

    override func expect(childrenOf parent: UInt32) {
        guard !plan.shape.isEmpty else { return }
        links.read(parent, into: &slots)
        if slots.isEmpty { return }
        let live = liveSlots()
        loader.expect(plan.hasSteps ? plan.apply(to: live, in: context) : live)
    }

    /// What a to-many relation holds.
    ///
    /// It is a slice where it does not show all that is linked: saved back it must not cut what
    /// it does not show.
    @inlinable
    func list(of parent: UInt32) -> Content? {
        links.read(parent, into: &slots)
        let linked = slots.count
        guard linked > 0 else { return empty }
        if plan.hasSteps { slots = plan.apply(to: liveSlots(), in: context) }
        let entities = loader.load(slots)
        return Content(
            .entities(entities, isFragment: form.isFragment),
            isSlice: form.isSlice || mayHide || entities.count < linked)
    }

    @inlinable var empty: Content {
        if let emptyList { return emptyList }
        let content = Content(
            .entities([], isFragment: form.isFragment), isSlice: form.isSlice || mayHide)
        emptyList = content
        return content
    }

    /// What a to-one relation holds; nil where there is no child.
    @inlinable
    func one(of parent: UInt32) -> Content? {
        guard let slot = links.first(of: parent) else { return nil }
        return shared(slot) { load(slot) }
    }

    /// The content for a child, made now unless it is among the recent ones.
    @inlinable
    func shared(_ slot: UInt32, _ make: () -> Content?) -> Content? {
        let place = Int(slot) & (RelatedRows.recentCount - 1)
        if recent.isEmpty {
            // No table gives out this slot.
            recent = ContiguousArray(repeating: (.max, nil), count: RelatedRows.recentCount)
        }
        if recent[place].0 != slot { recent[place] = (slot, make()) }
        return recent[place].1
    }

    @inlinable
    func load(_ slot: UInt32) -> Content? {
        let entities: [Child]
        if !plan.hasSteps {
            entities = loader.load(slot)
        } else {
            guard rows.hasRow(at: slot) else { return nil }
            entities = loader.load(plan.apply(to: [slot], in: context))
        }
        guard !entities.isEmpty else { return nil }
        return Content(.entities(entities, isFragment: form.isFragment), isSlice: form.isSlice)
    }

    /// The ids that a to-many relation holds.
    @inlinable
    func idList(of parent: UInt32) -> Content? {
        links.read(parent, into: &slots)
        let linked = slots.count
        guard linked > 0 else { return noIDs }
        if plan.hasSteps { slots = plan.apply(to: liveSlots(), in: context) }
        // See RowLoader.load.
        let ids =
            slots.isEmpty
            ? []
            : [Child.ID](unsafeUninitializedCapacity: slots.count) {
                buffer, count in
                guard let base = buffer.baseAddress else { return }
                for slot in slots {
                    guard let id = shownID(slot) else { continue }
                    (base + count).initialize(to: id)
                    count += 1
                }
            }
        return Content(.holding(ids), isSlice: form.isSlice || mayHide || ids.count < linked)
    }

    @inlinable var noIDs: Content {
        if let emptyList { return emptyList }
        let content = Content(.ids([]), isSlice: form.isSlice || mayHide)
        emptyList = content
        return content
    }

    /// The id that a to-one relation holds; nil where there is none.
    @inlinable
    func oneID(of parent: UInt32) -> Content? {
        guard let slot = links.first(of: parent) else { return nil }
        return shared(slot) {
            if plan.hasSteps {
                guard rows.hasRow(at: slot), !plan.apply(to: [slot], in: context).isEmpty
                else { return nil }
            }
            return shownID(slot).map { Content(.id($0), isSlice: form.isSlice) }
        }
    }

    /// The id of an entity that is there or still to come; nil for one that was deleted.
    @inlinable
    func shownID(_ slot: UInt32) -> Child.ID? {
        if let place = rows.place(at: slot), Table<Child>.hasRow(at: place) {
            return Table<Child>.id(at: table.layout.settled(place))
        }
        return links.isDeleted(slot) ? nil : table.id(of: Slot(slot))
    }

    /// The linked slots that have rows.
    @inlinable
    func liveSlots() -> ContiguousArray<UInt32> {
        var live = slots
        live.removeAll { !rows.hasRow(at: $0) }
        return live
    }
}
