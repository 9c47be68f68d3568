internal import VarveEvents
internal import VarveGraph

extension DraftApplication {
    /// Tombstones keep the links among entities that go together, so all are made before the first link is cut. What
    /// one deletion denies, another one may take along, so all have been done before one is denied.
    ///
    /// - Parameter held: the links that tombstones keep.
    func applyDeletions(
        to state: inout StoreState, keeping held: [[ContiguousArray<UInt32>]]
    ) throws {
        let present = linksOfDeleted(in: state)
        for (deletion, lists) in zip(plan.deletions, held) {
            try bury(deletion, lists, in: &state)
            let place = deletion.place
            if let cause = deletion.cause, isThere(cause, of: place, in: state) {
                state.context.changeTable(at: place.table) { $0.deleteCauses[place.slot] = cause }
            }
        }
        var links: [UnseenLinks] = []
        for (deletion, lists) in zip(plan.deletions, present) {
            links += unseen(of: deletion, lists, in: state)
        }
        try state.context.deleteRows(links.flatMap(\.cascades))
        for deletion in plan.deletions {
            let place = deletion.place
            for (relation, waiting) in deletion.waiting.enumerated() {
                let links = state.context.tables.tables[rows: place.table]
                    .linkList(relation: relation, of: place.slot).slots
                state.context.replaceLinks(
                    with: links.filter(waiting.contains), of: place.slot, relation: relation,
                    table: place.table)
            }
        }
        for link in links where link.rule == .deny { try deny(link, in: state) }
    }

    /// Whether the state has the cause of a deletion, too: what takes the entity along goes with it, or stays and has a
    /// list that deletes what leaves it.
    private func isThere(
        _ cause: DeleteCause, of place: EntityPlace, in state: borrowing StoreState
    ) -> Bool {
        if deleted.contains(cause.entity) || cause.isUpsert { return true }
        let owner = state.context.tables.tables[rows: cause.entity.table]
        return owner.isLive(Slot(cause.entity.slot)) && !plan.spared.contains(cause.entity)
            && owner.relations.contains { $0.childTable == place.table && $0.deletesOrphans }
    }

    /// By deletion and relation, what the entity is linked to.
    func linksOfDeleted(in state: borrowing StoreState) -> [[ContiguousArray<UInt32>]] {
        let tables = state.context.tables.tables
        return plan.deletions.map { deletion in
            let table = tables[rows: deletion.place.table]
            return table.relations.indices.map {
                table.linkList(relation: $0, of: deletion.place.slot).slots
            }
        }
    }

    /// What others have linked to an entity that the draft deleted, by a relation.
    private struct UnseenLinks {
        let owner: EntityPlace
        let relation: Int
        let rule: DeleteRule
        let childTable: Int
        let children: [UInt32]

        /// What the delete rule takes along.
        var cascades: [(table: Int, slot: UInt32, cause: DeleteCause)] {
            guard rule == .cascade else { return [] }
            let cause = DeleteCause.cascade(table: owner.table, slot: owner.slot)
            return children.map { (childTable, $0, cause) }
        }
    }

    /// What was linked since is not what the draft decided about. What it deleted, and what stays after all, denies as
    /// well.
    private func unseen(
        of deletion: DraftPlan.Deletion, _ lists: [ContiguousArray<UInt32>],
        in state: borrowing StoreState
    ) -> [UnseenLinks] {
        let relations = state.context.tables.tables[rows: deletion.place.table].relations
        return relations.indices.compactMap { index in
            let relation = relations[index]
            let children = lists[index].filter { slot in
                let child = EntityPlace(table: relation.childTable, slot: slot)
                if deleted.contains(child) { return false }
                if relation.deleteRule == .deny, plan.spared.contains(child) { return true }
                return !deletion.seen[index].contains(slot)
                    && !deletion.waiting[index].contains(slot)
            }
            guard !children.isEmpty else { return nil }
            return UnseenLinks(
                owner: deletion.place, relation: index, rule: relation.deleteRule,
                childTable: relation.childTable, children: Array(children))
        }
    }

    private func deny(_ link: UnseenLinks, in state: borrowing StoreState) throws {
        let table = state.context.tables.tables[rows: link.childTable]
        let live = link.children.filter { table.isLive(Slot($0)) }
        guard !live.isEmpty else { return }
        let owner = state.context.tables.tables[rows: link.owner.table]
        throw ContextError.deleteDenied(
            type: owner.descriptor.name, id: owner.idText(of: Slot(link.owner.slot)),
            relation: owner.descriptor.relations[link.relation].name,
            children: live.map { table.idText(of: Slot($0)) })
    }

    /// Puts the entity into the trash, without a look at its links.
    private func bury(
        _ deletion: DraftPlan.Deletion, _ lists: [ContiguousArray<UInt32>],
        in state: inout StoreState
    ) throws {
        let place = deletion.place
        let target = ReversedState(taking: &state)
        defer { target.hand(to: &state) }
        if let tombstone = deletion.tombstone {
            try target.set(tombstone, of: place)
        } else {
            let table = target.table(place.table)
            var row = ByteWriter()
            try target.writeRow(of: place, into: &row)
            let children = lists.enumerated().map { index, slots in
                (
                    relation: index,
                    entities: slots.map {
                        EntityPlace(table: table.relations[index].childTable, slot: $0)
                    }
                )
            }
            try target.set(.row(row.copyBytes(), lists: children), of: place)
        }
        if let value = target.refused { throw StoreError.unreadable(value) }
    }
}

extension DeleteCause {
    fileprivate var entity: EntityPlace {
        switch self {
        case .cascade(let table, let slot), .upsert(let table, let slot):
            EntityPlace(table: table, slot: slot)
        }
    }

    fileprivate var isUpsert: Bool {
        if case .upsert = self { true } else { false }
    }
}
