/// What a query found at one moment: a collection over a snapshot.
///
/// It holds the snapshot and the places of its rows, not the entities: taking over a change of one
/// entity costs the same for ten entities and for a hundred thousand, and an entity is copied out, with
/// what the query loads of its relations, when it is asked for.
public struct ResultList<Entity: EntityModelProtocol>: RandomAccessCollection, Sendable {
    /// The state that the list is part of.
    public let context: Context
    let slots: SlotList
    let shape: Shape<Entity>
    /// Of a page, what it is cut from, for the next state.
    let head: LiveHead?

    init(
        _ context: Context, _ slots: SlotList, _ shape: Shape<Entity>, head: LiveHead? = nil
    ) {
        self.context = context
        self.slots = slots
        self.shape = shape
        self.head = head
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of entities.
    public var endIndex: Int { slots.count }

    /// The entity at a position. O(log n).
    public subscript(position: Int) -> Entity {
        precondition(position >= 0 && position < slots.count, "a position outside of the list")
        let slot = slots.slot(at: position)
        // A long list that is displayed row by row must not decode all of a table that does not fit the memory budget.
        let table = context.rows(of: Entity.self)?.forOneReader().rows(of: Entity.self)
        if shape.isEmpty, let row = table?.copyOfRow(at: Slot(slot)) { return row }
        guard let entity = load([slot]).first else { preconditionFailure("a result without a row") }
        return entity
    }

    /// The id of the entity at a position. O(log n).
    public func id(at position: Int) -> Entity.ID {
        precondition(position >= 0 && position < slots.count, "a position outside of the list")
        guard let table = context.rows(of: Entity.self) else {
            preconditionFailure("a result without a table")
        }
        return table.forOneReader().rows(of: Entity.self).id(of: Slot(slots.slot(at: position)))
    }

    /// All entities, found and copied in one pass. O(n).
    public var entities: [Entity] { load(slots.slots) }

    func load(_ slots: ContiguousArray<UInt32>) -> [Entity] {
        var plan = RowPlan<Entity>()
        plan.shape = shape
        return plan.materialize(slots, in: context)
    }
}

extension ResultList {
    /// The list before anything was found.
    package static func empty(_ context: Context) -> ResultList {
        ResultList(context, .empty, Shape())
    }
}
