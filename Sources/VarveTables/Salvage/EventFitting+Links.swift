import VarveEvents

extension EventFitting {
    /// A change of a list that is another than the event says: what is to go goes where it is there,
    /// what is to come comes, at its place or at the end.
    func fit(_ event: LinkEvent) throws -> Bool {
        let (type, slot) = try place(of: event.parent)
        let definition = state.tables[type].definition
        guard let position = definition.position(of: event.relation) else { return false }
        let relation = definition.relations[position]
        let removed = try slots(of: event.removals, relation)
        let inserted = try slots(of: event.insertions, relation)
        let old = state.targets(of: slot, relation: position, in: type)
        let new =
            relation.isToMany
            ? Self.list(old, removing: removed, inserting: inserted)
            : Self.target(old, removing: removed, inserting: inserted)
        guard try set(type, position, slot, from: old, to: new) else { return false }
        // The other side of a target that was lost sight of still leads here.
        let gone = Set(removed.map(\.slot))
        for target in old where !new.contains(target) && !gone.contains(target) {
            try detach(slot, from: target, relation)
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
        let (type, slot) = try place(of: event.parent)
        let definition = state.tables[type].definition
        guard let position = definition.position(of: event.relation),
            let inverse = definition.relations[position].inverse,
            let targets = state.tablePosition(of: definition.relations[position].target),
            let back = state.tables[targets].definition.position(of: inverse)
        else { return }
        let relation = definition.relations[position]
        let mirror = state.tables[targets].definition.relations[back]
        let linked = state.targets(of: slot, relation: position, in: type)
        for target in linked {
            let old = state.targets(of: target, relation: back, in: targets)
            guard !old.contains(slot) else { continue }
            if mirror.isToMany {
                _ = try set(targets, back, target, from: old, to: old + [slot])
            } else {
                for owner in old { try detach(target, from: owner, mirror) }
                _ = try set(targets, back, target, from: old, to: [slot])
            }
        }
        for (_, target) in try slots(of: event.removals, relation)
        where !linked.contains(target) {
            try detach(slot, from: target, relation)
        }
    }

    private typealias Member = (position: Int, slot: Slot)

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
        _ old: [Slot], removing removed: [Member], inserting inserted: [Member]
    ) -> [Slot] {
        let gone = Set(removed.map(\.slot))
        var list = old.filter { !gone.contains($0) }
        var members = Set(list)
        for (position, slot) in inserted where members.insert(slot).inserted {
            list.insert(slot, at: min(position, list.count))
        }
        return list
    }

    private static func target(
        _ old: [Slot], removing removed: [Member], inserting inserted: [Member]
    ) -> [Slot] {
        if let target = inserted.last { return [target.slot] }
        return old.filter { target in !removed.contains { $0.slot == target } }
    }

    /// Takes a slot out of the list that the other side of a relation keeps at `target`.
    private func detach(
        _ slot: Slot, from target: Slot, _ relation: RelationDefinition
    ) throws {
        guard let inverse = relation.inverse,
            let type = state.tablePosition(of: relation.target),
            let position = state.tables[type].definition.position(of: inverse)
        else { return }
        let old = state.targets(of: target, relation: position, in: type)
        _ = try set(type, position, target, from: old, to: old.filter { $0 != slot })
    }

    /// Writes the event that leads from one list to the other, and applies it; false where they are
    /// the same.
    private func set(
        _ type: Int, _ position: Int, _ slot: Slot, from old: [Slot], to new: [Slot]
    ) throws -> Bool {
        let difference = ListDifference(from: old, to: new)
        let definition = state.tables[type].definition
        let relation = definition.relations[position]
        guard !difference.isEmpty, let targets = state.tablePosition(of: relation.target) else {
            return false
        }
        guard relation.isToMany || new.count <= 1 else {
            throw EntityFault.tooManyTargets(relation: relation.name)
        }
        func change(_ change: (position: Int, element: Slot)) -> ListChange {
            ListChange(
                position: change.position,
                entity: encoder.entity(
                    relation.target, state.entry(targets, change.element).id))
        }
        let parent = encoder.entity(definition.number, state.entry(type, slot).id)
        encoder.link(
            parent, relation: relation.number, oldCount: old.count,
            removals: difference.removals.map(change),
            insertions: difference.insertions.map(change))
        state.setLinks(of: slot, relation: position, in: type, to: new)
        return true
    }
}
