internal import VarveEvents
internal import VarveGraph

/// Finds the places that a draft's entities have in another state.
///
/// A slot means an id inside one context only. A published state and all that follow it share their slots; otherwise
/// ids say what is the same.
struct SlotTranslation {
    private let mine: Context
    /// By the position of a table: how many slots the target has in common with the draft.
    private var sharedCounts: [Int: Int] = [:]
    private var tables: [Int: Int] = [:]
    private var known: [EntityPlace: UInt32] = [:]

    /// Adds tables to the target for types that it lacks.
    init(of content: DraftContent, into target: inout StoreState) {
        mine = content.state.context
        let base = content.base.context.tables.tables.unfilled
        for (position, table) in mine.tables.tables.unfilled.enumerated() {
            let found = target.context.position(of: table.descriptor)
            tables[position] = found
            // What leads to one that waits goes by its ids.
            guard content.sharesSlots, position < base.count, base[position].isFilled,
                base[position].isCopy(of: target.context.tables.tables.unfilled[found])
            else { continue }
            sharedCounts[position] = base[position].slotCount
        }
    }

    /// The position of a table in the target.
    func table(_ position: Int) -> Int {
        guard let found = tables[position] else {
            preconditionFailure("a table of the draft that the target was not given")
        }
        return found
    }

    /// Whether the target has the draft's slots of a table, as far as its base had them.
    func sharesSlots(ofTable position: Int) -> Bool { sharedCounts[position] != nil }

    /// The place of an entity in the target, given out now if the id is new there.
    mutating func place(
        of entity: EntityPlace, in target: inout StoreState
    ) throws(CodecError) -> EntityPlace {
        let position = table(entity.table)
        if let shared = sharedCounts[entity.table], entity.slot < shared {
            return EntityPlace(table: position, slot: entity.slot)
        }
        if let slot = known[entity] { return EntityPlace(table: position, slot: slot) }
        let table = mine.tables.tables[rows: entity.table]
        let operations = table.descriptor.operations
        var id = ByteWriter()
        try operations.storeID(table, Slot(entity.slot), &id)
        let slot = try id.withBytes { id throws(CodecError) in
            try operations.intern(&target.context, position, id)
        }
        known[entity] = slot.rawValue
        return EntityPlace(table: position, slot: slot.rawValue)
    }

    /// The slots in the target of entities of one table.
    mutating func slots(
        of slots: ContiguousArray<UInt32>, ofTable position: Int, in target: inout StoreState
    ) throws(CodecError) -> ContiguousArray<UInt32> {
        if let shared = sharedCounts[position], slots.allSatisfy({ $0 < shared }) { return slots }
        var found: ContiguousArray<UInt32> = []
        found.reserveCapacity(slots.count)
        for slot in slots {
            found.append(
                try place(of: EntityPlace(table: position, slot: slot), in: &target).slot)
        }
        return found
    }
}
