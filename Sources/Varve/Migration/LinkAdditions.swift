internal import VarveEvents

/// One list of links of an entity.
struct LinkListKey: Hashable {
    let place: EntityPlace
    /// The position of the relation.
    let relation: Int
}

/// Links that come to lists. Each list is read once and set once: many entities may share one, whose list is long.
struct LinkAdditions {
    private struct List {
        var slots: [UInt32]
        var known: Set<UInt32>
        var isChanged = false

        mutating func add(_ slot: UInt32, isToMany: Bool) -> Bool {
            if known.contains(slot) { return true }
            guard isToMany || slots.isEmpty else { return false }
            slots.append(slot)
            known.insert(slot)
            isChanged = true
            return true
        }
    }

    private var lists: [LinkListKey: List] = [:]
    /// The lists that have other links, in the order in which they were looked at first.
    var changed: [LinkListKey] { keys.filter { lists[$0]?.isChanged == true } }
    private var keys: [LinkListKey] = []

    /// Adds a link where the list does not have it.
    ///
    /// - Parameter current: what the list has before the first link is added.
    /// - Returns: false where the relation is to-one, and has another link.
    mutating func add(
        _ slot: UInt32, to relation: ReversalRelation, of place: EntityPlace,
        _ current: () -> [UInt32]
    ) -> Bool {
        let key = LinkListKey(place: place, relation: relation.index)
        if lists[key] == nil {
            let slots = current()
            lists[key] = List(slots: slots, known: Set(slots))
            keys.append(key)
        }
        return lists[key]?.add(slot, isToMany: relation.isToMany) ?? false
    }

    /// What a list has by now; nil where none of its links was added here.
    func slots(of relation: Int, at place: EntityPlace) -> [UInt32]? {
        let list = lists[LinkListKey(place: place, relation: relation)]
        return list?.isChanged == true ? list?.slots : nil
    }
}
