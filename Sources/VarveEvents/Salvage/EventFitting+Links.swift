extension EventFitting {
    /// A change of a list that is another than the event says: what is to go goes where it is there,
    /// what is to come comes, at its place or at the end.
    func fit(_ event: LinkEvent) throws -> Bool {
        let (table, slot) = try place(of: event.parent)
        guard let position = table.definition.position(of: event.relation) else { return false }
        let column = table.links[position]
        let removed = try slots(of: event.removals, column.definition)
        let inserted = try slots(of: event.insertions, column.definition)
        let old = column.list(of: slot)
        let new =
            column.definition.isToMany
            ? Self.list(old, removing: removed, inserting: inserted)
            : Self.target(old, removing: removed, inserting: inserted)
        guard try set(table, position, slot, from: old, to: new) else { return false }
        // The other side of a target that was lost sight of still leads here.
        let gone = Set(removed.map(\.slot))
        for target in old where !new.contains(target) && !gone.contains(target) {
            try detach(slot, from: target, column.definition)
        }
        return true
    }

    /// Makes both sides of what the transaction links or cuts say the same: what told one of them may
    /// be lost, as where this one only moved an element. Called behind the last event.
    func alignSides() throws(EventError) {
        var events = view.events
        while let event = try events.next() {
            guard case .link(let link) = event else { continue }
            do {
                try alignSides(of: link)
            } catch {
                // Of a type that is lost too: no side of it is there.
                continue
            }
        }
    }

    private func alignSides(of event: LinkEvent) throws {
        let (table, slot) = try place(of: event.parent)
        guard let position = table.definition.position(of: event.relation),
            let inverse = table.links[position].definition.inverse,
            let targets = state.table(table.links[position].definition.target),
            let back = targets.definition.position(of: inverse)
        else { return }
        let relation = table.links[position].definition
        let linked = table.links[position].list(of: slot)
        for target in linked {
            let old = targets.links[back].list(of: target)
            guard !old.contains(slot) else { continue }
            if targets.links[back].definition.isToMany {
                _ = try set(targets, back, target, from: old, to: old + [slot])
            } else {
                for owner in old {
                    try detach(target, from: owner, targets.links[back].definition)
                }
                _ = try set(targets, back, target, from: old, to: [slot])
            }
        }
        for (_, target) in try slots(of: event.removals, relation)
        where !linked.contains(target) {
            try detach(slot, from: target, relation)
        }
    }

    private typealias Member = (position: Int, slot: UInt32)

    private func slots(
        of changes: ListChangeSequence, _ relation: RelationDefinition
    ) throws -> [Member] {
        var members: [Member] = []
        for change in changes
        where view.entities[Int(change.entity.rawValue)].type == relation.target {
            members.append((change.position, try place(of: change.entity).1))
        }
        return members
    }

    private static func list(
        _ old: [UInt32], removing removed: [Member], inserting inserted: [Member]
    ) -> [UInt32] {
        let gone = Set(removed.map(\.slot))
        var list = old.filter { !gone.contains($0) }
        var members = Set(list)
        for (position, slot) in inserted where members.insert(slot).inserted {
            list.insert(slot, at: min(position, list.count))
        }
        return list
    }

    private static func target(
        _ old: [UInt32], removing removed: [Member], inserting inserted: [Member]
    ) -> [UInt32] {
        if let target = inserted.last { return [target.slot] }
        return old.filter { target in !removed.contains { $0.slot == target } }
    }

    /// Takes a slot out of the list that the other side of a relation keeps at `target`.
    private func detach(
        _ slot: UInt32, from target: UInt32, _ relation: RelationDefinition
    ) throws {
        guard let inverse = relation.inverse, let table = state.table(relation.target),
            let position = table.definition.position(of: inverse)
        else { return }
        let old = table.links[position].list(of: target)
        _ = try set(table, position, target, from: old, to: old.filter { $0 != slot })
    }

    /// Writes the event that leads from one list to the other, and applies it; false where they are
    /// the same.
    private func set(
        _ table: ReplayTable, _ position: Int, _ slot: UInt32, from old: [UInt32],
        to new: [UInt32]
    ) throws -> Bool {
        let difference = ListDifference(from: old, to: new)
        let relation = table.links[position].definition
        guard !difference.isEmpty, let targets = state.table(relation.target) else { return false }
        func change(_ change: (position: Int, element: UInt32)) -> ListChange {
            ListChange(
                position: change.position,
                entity: encoder.entity(
                    relation.target, targets.records[Int(change.element)].idBytes))
        }
        let parent = encoder.entity(table.definition.number, table.records[Int(slot)].idBytes)
        encoder.link(
            parent, relation: relation.number, oldCount: old.count,
            removals: difference.removals.map(change),
            insertions: difference.insertions.map(change))
        try table.modifyLinks(position) { column throws(EntityFault) in
            try column.apply(
                slot, oldCount: old.count,
                removals: difference.removals.map {
                    .init(position: $0.position, slot: $0.element)
                },
                insertions: difference.insertions.map {
                    .init(position: $0.position, slot: $0.element)
                })
        }
        return true
    }
}
