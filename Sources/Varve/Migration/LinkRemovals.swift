internal import VarveEvents
internal import VarveTables

/// Links that go from lists. Each list is read once and set once.
struct LinkRemovals {
    private var slots: [LinkListKey: Set<UInt32>] = [:]
    private var keys: [LinkListKey] = []

    mutating func remove(_ slot: UInt32, from relation: Int, of place: EntityPlace) {
        let key = LinkListKey(place: place, relation: relation)
        if slots[key] == nil { keys.append(key) }
        slots[key, default: []].insert(slot)
    }

    /// Sets the lists, which have had no other changes meanwhile but that they became empty.
    consuming func perform(on draft: StateDraft) {
        for key in keys {
            let list = draft.list(of: key.relation, at: key.place).slots
            let rest = list.filter { slots[key]?.contains($0) != true }
            guard rest.count < list.count else { continue }
            draft.setList(SlotArray(slots: rest), of: key.relation, at: key.place)
        }
    }
}
