internal import VarveEvents
internal import VarveTables

// Entities whose values others have taken over.
extension EntityMoves {
    /// Cuts the links that were joined by, and deletes what nothing else refers to.
    func takeJoined() throws(StoreError) {
        var candidates: Set<EntityPlace> = []
        var removals = LinkRemovals()
        for pending in joins {
            try cut(pending, &removals)
            guard !pending.join.isTargetRemoved else { continue }
            for other in pending.others.map(place(now:)) {
                switch draft.presence(of: other) {
                case .live where !pending.isDeleted, .tombstone: candidates.insert(other)
                default: break
                }
            }
        }
        removals.perform(on: draft)
        let referred = referred(in: Set(candidates.map(\.table)))
        let taken = candidates.subtracting(referred)
        removals = LinkRemovals()
        for place in taken.sorted(by: { ($0.table, $0.slot) < ($1.table, $1.slot) }) {
            counts[draft.name(of: place).type, default: 0] += 1
            cutAll(at: place, &removals)
            try clear(place)
        }
        removals.perform(on: draft)
    }

    /// Cuts the links of one entity that were joined by, on both sides.
    private func cut(
        _ pending: PendingJoin, _ removals: inout LinkRemovals
    ) throws(StoreError) {
        let former = pending.join.relation
        let number = plan.moved[pending.join.holder]?[former.number] ?? former.number
        let parent = pending.parent
        if pending.isDeleted {
            guard let relation = draft.relation(number, ofTable: parent.table) else { return }
            let lists = draft.keptLists(of: parent, []).lists
            do {
                try keep(lists.filter { $0.relation != relation.index }, at: parent)
            } catch {
                throw pending.join.step.failure(id: draft.name(of: parent).id, error)
            }
            return
        }
        if let relation = draft.relation(number, ofTable: parent.table) {
            draft.setList(SlotArray(slots: []), of: relation.index, at: parent)
        }
        guard let inverse = former.inverse else { return }
        for other in pending.others.map(place(now:)) {
            let number = plan.moved[former.target]?[inverse] ?? inverse
            guard let relation = draft.relation(number, ofTable: other.table) else { continue }
            removals.remove(parent.slot, from: relation.index, of: other)
        }
    }

    /// What entities that are not deleted refer to, of some tables.
    private func referred(in targets: Set<Int>) -> Set<EntityPlace> {
        var referred: Set<EntityPlace> = []
        guard !targets.isEmpty else { return referred }
        for definition in draft.catalog.definitions {
            let table = Int(definition.number.rawValue) - 1
            let relations = (0..<draft.relationCount(ofTable: table)).map {
                draft.relation(at: $0, ofTable: table)
            }.filter { targets.contains($0.target) }
            guard !relations.isEmpty else { continue }
            for slot in 0..<UInt32(truncatingIfNeeded: draft.slotCount(ofTable: table)) {
                let place = EntityPlace(table: table, slot: slot)
                guard draft.presence(of: place) == .live else { continue }
                for relation in relations {
                    for target in draft.list(of: relation.index, at: place).slots {
                        referred.insert(EntityPlace(table: relation.target, slot: target))
                    }
                }
            }
        }
        return referred
    }

    /// Cuts all links of an entity, on both sides.
    private func cutAll(at place: EntityPlace, _ removals: inout LinkRemovals) {
        let type = TypeNumber(UInt32(truncatingIfNeeded: place.table + 1))
        for known in plan.after[type]?.relations ?? [] {
            guard let relation = draft.relation(known.number, ofTable: place.table) else {
                continue
            }
            let list = draft.list(of: relation.index, at: place).slots
            guard !list.isEmpty else { continue }
            draft.setList(SlotArray(slots: []), of: relation.index, at: place)
            guard let number = known.inverse,
                let inverse = draft.relation(number, ofTable: relation.target)
            else { continue }
            for slot in list {
                let other = EntityPlace(table: relation.target, slot: slot)
                removals.remove(place.slot, from: inverse.index, of: other)
            }
        }
    }
}
