internal import VarveEvents
internal import VarveTables

/// A to-many relation that became to-one: another relation has one link of each list.
struct Narrowing: Sendable {
    let type: TypeNumber
    let from: RelationNumber
    let to: RelationNumber
    /// The other side of that, as the migration has defined it.
    let inverse: RelationNumber?
    let choice: LinkChoice

    /// The position of the type's table in a state.
    var table: Int { Int(type.rawValue) - 1 }

    /// Which link of a list stays.
    func kept(of slots: [UInt32]) -> UInt32? {
        switch choice {
        case .first: slots.first
        case .last: slots.last
        }
    }
}

extension StateDraft {
    /// Moves one link of each list to the relation that replaces it, and cuts the others on both sides.
    func narrow(_ narrowing: Narrowing) {
        let table = narrowing.table
        guard let from = relation(narrowing.from, ofTable: table),
            let to = relation(narrowing.to, ofTable: table)
        else { return }
        let inverse = narrowing.inverse.flatMap { relation($0, ofTable: to.target)?.index }
        var removals = LinkRemovals()
        for slot in 0..<UInt32(truncatingIfNeeded: slotCount(ofTable: table)) {
            let place = EntityPlace(table: table, slot: slot)
            let list = list(of: from.index, at: place).slots
            guard let kept = narrowing.kept(of: list) else { continue }
            setList(SlotArray(slots: []), of: from.index, at: place)
            setList(SlotArray(slots: [kept]), of: to.index, at: place)
            guard let inverse else { continue }
            for cut in list where cut != kept {
                removals.remove(slot, from: inverse, of: EntityPlace(table: to.target, slot: cut))
            }
        }
        removals.perform(on: self)
    }

    /// The lists that a tombstone keeps, by the relations that there are now: without those of relations that are gone,
    /// and with one link of those that became to-one.
    func keptLists(
        of place: EntityPlace, _ narrowings: [Narrowing]
    ) -> (lists: [(relation: Int, entities: [EntityPlace])], isChanged: Bool) {
        var lists: [(relation: Int, entities: [EntityPlace])] = []
        var isChanged = false
        for var (number, slots) in keptLists(of: place) {
            for narrowing in narrowings
            where narrowing.table == place.table && narrowing.from == number {
                number = narrowing.to
                slots = narrowing.kept(of: slots).map { [$0] } ?? []
                isChanged = true
            }
            guard let relation = relation(number, ofTable: place.table) else {
                isChanged = true
                continue
            }
            lists.append(
                (relation.index, slots.map { EntityPlace(table: relation.target, slot: $0) }))
        }
        return (lists, isChanged)
    }

    func unreadableRow(at place: EntityPlace, _ error: CodecError) -> StoreError {
        let (type, id) = name(of: place)
        return .unreadable(UnreadableValue(type: type, id: id, error))
    }

    /// Gives a live entity, or a tombstone, another row.
    func replace(
        _ place: EntityPlace, with row: [UInt8],
        lists: [(relation: Int, entities: [EntityPlace])], ordinal: UInt64,
        version: PreviousVersion?
    ) throws(CodecError) {
        try set(
            place, row, isLive: presence(of: place) == .live, lists: lists, ordinal: ordinal,
            version: version)
    }

    /// Makes an entity live, or a tombstone, with a row.
    func set(
        _ place: EntityPlace, _ row: [UInt8], isLive: Bool,
        lists: [(relation: Int, entities: [EntityPlace])], ordinal: UInt64,
        version: PreviousVersion?
    ) throws(CodecError) {
        try row.withReader { reader throws(CodecError) in
            if isLive {
                try setRow(of: place, to: reader.rest, ordinal: ordinal, version: version)
            } else {
                try setTombstone(
                    of: place, row: reader.rest, ordinal: ordinal, lists: lists, version: version)
            }
        }
    }
}
