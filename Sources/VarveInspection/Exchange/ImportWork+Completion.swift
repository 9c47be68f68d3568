internal import VarveEvents
internal import VarveTables

extension ImportWork {
    /// Completes mutual relations and makes all links.
    func finish() throws(ExchangeError) {
        gatherLinkRows()
        forEachRelation { checkTargets(of: $0, $1) }
        forEachRelation { complete($0, $1) }
        forEachRelation { releaseFormer($0, $1) }
        guard report.refusedCount == 0 else { return }
        try completeAssets()
        guard report.refusedCount == 0 else { return }
        for table in links.indices {
            for relation in links[table].indices { try makeLinks(table, relation) }
        }
        try flush(isLast: true)
    }

    private func completeAssets() throws(ExchangeError) {
        let refusals: [ImportedAssets.Refusal]
        do throws(LogError) {
            refusals = try isDryRun ? assets.verify() : assets.copy()
        } catch {
            throw .inspection(.log(error))
        }
        for refusal in refusals {
            guard let origin = refusal.origin else { throw .types([refusal.reason]) }
            refuse(ExchangeProblem(refusal.reason, at: 0), at: origin)
        }
    }

    private func forEachRelation(_ body: (_ table: Int, _ relation: Int) -> Void) {
        for table in links.indices {
            for relation in links[table].indices { body(table, relation) }
        }
    }

    private func checkTargets(of table: Int, _ relation: Int) {
        let definition = draft.definition(ofTable: table)
        let target = Int(definition.relations[relation].target.rawValue) - 1
        for list in links[table][relation].lists {
            let holder = EntityPlace(table: table, slot: list.holder)
            if !isThere(holder) {
                refuse(ExchangeProblem("there is no \(name(of: holder))", at: 0), at: list.origin)
            }
            for slot in links[table][relation].targets(of: list) {
                let place = EntityPlace(table: target, slot: slot)
                guard !isThere(place) else { continue }
                refuse(
                    ExchangeProblem(
                        "'\(definition.relations[relation].name)' leads to \(name(of: place)), "
                            + "which is not there", at: 0), at: list.origin)
            }
        }
    }

    private func isThere(_ place: EntityPlace) -> Bool {
        if draft.presence(of: place) == .live || declared.contains(place) { return true }
        // A type of tombstones has the ids of those that it is for.
        guard let base = draft.definition(ofTable: place.table).tombstoneOf else { return false }
        let number = draft.definition(ofTable: place.table).number
        guard let entry = state.entry(of: number, at: Slot(place.slot)),
            let slot = state.slot(of: base, id: entry.id)
        else { return false }
        let own = EntityPlace(table: Int(base.rawValue) - 1, slot: slot.rawValue)
        return draft.presence(of: own) == .tombstone
    }

    private func name(of place: EntityPlace) -> String {
        let name = draft.name(of: place)
        return name.type + " " + name.id
    }

    // MARK: Mutual relations

    /// The other side of a relation.
    private func inverse(_ table: Int, _ relation: Int) -> (table: Int, relation: Int)? {
        let found = draft.relation(at: relation, ofTable: table)
        return found.inverse.map { (found.target, $0) }
    }

    /// Gives the other side what this one says.
    private func complete(_ table: Int, _ relation: Int) {
        guard let other = inverse(table, relation) else { return }
        let isToMany = draft.definition(ofTable: other.table).relations[other.relation].isToMany
        // What the store links the targets to, of which many lines may name the same.
        var former: [UInt32: Set<UInt32>] = [:]
        for list in links[table][relation].lists {
            for target in links[table][relation].targets(of: list) {
                guard !links[other.table][other.relation].gives(list.holder, to: target) else {
                    continue
                }
                guard isToMany else {
                    complete(other, target, with: list.holder, of: (table, relation), list.origin)
                    continue
                }
                if !links[other.table][other.relation].isGiven(target) {
                    let place = EntityPlace(table: other.table, slot: target)
                    let old = former[target] ?? Set(draft.list(of: other.relation, at: place).slots)
                    former[target] = old
                    if old.contains(list.holder) { continue }
                }
                links[other.table][other.relation].append(list.holder, to: target)
            }
        }
    }

    /// Links the target, which can be linked to one, to the holder. Refuses that where another line links it to another
    /// one, whichever line comes first.
    private func complete(
        _ other: (table: Int, relation: Int), _ target: UInt32, with holder: UInt32,
        of own: (table: Int, relation: Int), _ origin: ImportOrigin
    ) {
        let place = EntityPlace(table: other.table, slot: target)
        if let claimant = links[other.table][other.relation].claimant(of: target) {
            let name = draft.definition(ofTable: other.table).relations[other.relation].name
            let first = EntityPlace(table: own.table, slot: claimant)
            return refuse(
                ExchangeProblem(
                    "\(self.name(of: place)) can be linked to one by '\(name)', "
                        + "and is linked to \(self.name(of: first))", at: 0), at: origin)
        }
        if !links[other.table][other.relation].isGiven(target),
            let former = draft.list(of: other.relation, at: place).slots.first
        {
            guard former != holder else {
                return links[other.table][other.relation].confirm(holder, of: target)
            }
            // It leaves the one that it was linked to in the store.
            links[other.table][other.relation].remove(former, from: target)
            links[own.table][own.relation].remove(target, from: former)
        }
        links[other.table][other.relation].append(holder, to: target)
    }

    /// Takes this side from what is not linked any more.
    private func releaseFormer(_ table: Int, _ relation: Int) {
        guard let other = inverse(table, relation) else { return }
        for list in links[table][relation].lists {
            let place = EntityPlace(table: table, slot: list.holder)
            let old = draft.list(of: relation, at: place).slots
            guard !old.isEmpty else { continue }
            let new = Set(links[table][relation].list(of: list.holder, before: old))
            for target in old
            where !new.contains(target)
                && !links[other.table][other.relation].isGiven(target)
            {
                links[other.table][other.relation].remove(list.holder, from: target)
            }
        }
    }

    private func makeLinks(_ table: Int, _ relation: Int) throws(ExchangeError) {
        for holder in links[table][relation].holders {
            let place = EntityPlace(table: table, slot: holder)
            let old = draft.list(of: relation, at: place)
            let new = links[table][relation].list(of: holder, before: old.slots)
            guard new != old.slots else { continue }
            draft.setList(SlotArray(slots: new), of: relation, at: place)
            noteList()
            if unchanged.remove(place) != nil {
                report.unchanged -= 1
                report.updated += 1
            }
            try flush()
        }
    }
}
