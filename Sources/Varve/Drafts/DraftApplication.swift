internal import VarveEvents
internal import VarveGraph

/// Does to a state what a draft's plan says, as changes of the running transaction.
///
/// Hooks, strategies and resolvers have run in the draft, and do not run again. Only what a delete rule takes along
/// that the draft did not know is deleted with its hooks.
struct DraftApplication {
    private let plan: DraftPlan
    private let deleted: Set<EntityPlace>
    /// Rows whose unique values are checked in the end.
    private var changed: [(entity: EntityPlace, place: EntityPlace)] = []

    init(_ plan: DraftPlan) {
        self.plan = plan
        deleted = Set(plan.deletions.map(\.place))
    }

    mutating func run(on state: inout StoreState) throws {
        let mark = state.context.begin()
        try applyRows(to: &state)
        for owner in plan.owners {
            state.context.replaceLinks(
                with: owner.target.map { [$0] } ?? [], of: owner.place.slot,
                relation: owner.relation, table: owner.place.table)
        }
        for list in plan.lists { apply(list, to: &state) }
        try applyDeletions(to: &state)
        try applyTombstones(to: &state)
        state.context.end(mark)
    }

    /// The entities that have a value of a unique index that another one has by now. Where the draft has both, its
    /// resolver left them.
    func uniqueConflicts(
        in state: borrowing StoreState, _ content: DraftContent
    ) -> [DraftConflict] {
        changed.compactMap { entity, place in
            let table = state.context.tables.tables[place.table]
            let slot = Slot(place.slot)
            guard table.descriptor.hasUniqueIndexes, table.isLive(slot),
                let (index, rival) = table.descriptor.operations.rival(state.context, slot),
                table.descriptor.operations.rival(content.state.context, Slot(entity.slot)) == nil
            else { return nil }
            return DraftConflict(
                type: table.descriptor.name, id: table.idText(of: slot),
                kind: .uniqueValueTaken(index: index, by: table.idText(of: rival)))
        }
    }

    // MARK: - Rows

    private mutating func applyRows(to state: inout StoreState) throws {
        guard !plan.insertions.isEmpty || !plan.updates.isEmpty else { return }
        let target = ReversedState(taking: &state)
        defer { target.hand(to: &state) }
        let insertions = plan.insertions.sorted {
            ($0.place.table, $0.ordinal) < ($1.place.table, $1.ordinal)
        }
        for insertion in insertions {
            let place = insertion.place
            let kept = target.stamps(of: place).ordinal
            let row = target.completed(insertion.row, of: place)
            try row.withReader { reader throws(CodecError) in
                try target.setRow(
                    of: place, to: reader.rest,
                    ordinal: kept == RowMetadata.noOrdinal
                        ? target.table(place.table).nextOrdinal : kept, version: nil)
            }
            changed.append((insertion.entity, place))
        }
        for update in plan.updates {
            try target.set(update.fields, of: update.place)
            changed.append((update.entity, update.place))
        }
        if let value = target.refused { throw StoreError.unreadable(value) }
    }

    private func applyTombstones(to state: inout StoreState) throws {
        guard !plan.tombstones.isEmpty else { return }
        let target = ReversedState(taking: &state)
        defer { target.hand(to: &state) }
        for change in plan.tombstones { try target.set(change.tombstone, of: change.place) }
        if let value = target.refused { throw StoreError.unreadable(value) }
    }

    // MARK: - Links

    private func apply(_ change: DraftPlan.ListChange, to state: inout StoreState) {
        let table = state.context.tables.tables[change.place.table]
        let now = table.linkList(relation: change.relation, of: change.place.slot).slots
        let resolved = table.relations[change.relation]
        var members = Set(now)
        let isDerived = resolved.inverse != nil && !resolved.inverseIsToMany
        if !isDerived {
            members.subtract(change.removed)
            members.formUnion(change.added)
        }
        let list: ContiguousArray<UInt32>
        if change.leads {
            let mine = ContiguousArray(change.mine.filter(members.contains))
            list = Self.merged(mine, with: now, members)
        } else {
            let others = now.filter { members.contains($0) && !change.added.contains($0) }
            list = Self.merged(ContiguousArray(others), with: change.mine, members)
        }
        guard list != now else { return }
        if isDerived {
            state.context.setLinkSlots(
                list, of: change.place.slot, relation: change.relation, table: change.place.table)
        } else {
            state.context.replaceLinks(
                with: list, of: change.place.slot, relation: change.relation,
                table: change.place.table)
        }
    }

    /// Adds to one list the members that only another one has, each behind what it follows there. What is behind all
    /// others there comes last.
    static func merged(
        _ lead: ContiguousArray<UInt32>, with other: ContiguousArray<UInt32>, _ members: Set<UInt32>
    ) -> ContiguousArray<UInt32> {
        let present = Set(lead)
        var behind: [UInt32?: [UInt32]] = [:]
        var previous: UInt32?
        for slot in other where members.contains(slot) {
            if present.contains(slot) {
                previous = slot
            } else {
                behind[previous, default: []].append(slot)
            }
        }
        guard !behind.isEmpty else { return lead }
        let last = behind.removeValue(forKey: previous) ?? []
        var merged = ContiguousArray(behind[nil] ?? [])
        for slot in lead {
            merged.append(slot)
            merged += behind[slot] ?? []
        }
        return merged + last
    }

    // MARK: - Deletions

    /// Tombstones keep the links among entities that go together, so all are made before the first link is cut.
    private func applyDeletions(to state: inout StoreState) throws {
        let held = plan.deletions.map { deletion in
            let table = state.context.tables.tables[deletion.place.table]
            return table.relations.indices.map {
                table.linkList(relation: $0, of: deletion.place.slot).slots
            }
        }
        for (deletion, lists) in zip(plan.deletions, held) {
            try bury(deletion, lists, in: &state)
            let place = deletion.place
            if let cause = deletion.cause, deleted.contains(cause.entity) || cause.isUpsert {
                state.context.changeTable(at: place.table) { $0.deleteCauses[place.slot] = cause }
            }
        }
        for (deletion, lists) in zip(plan.deletions, held) {
            try cut(deletion, lists, in: &state)
        }
    }

    /// Removes the links of an entity that is in the trash, and applies its delete rules to those that came since.
    private func cut(
        _ deletion: DraftPlan.Deletion, _ lists: [ContiguousArray<UInt32>],
        in state: inout StoreState
    ) throws {
        let place = deletion.place
        let relations = state.context.tables.tables[place.table].relations
        for (index, relation) in relations.enumerated() {
            // What was linked since is not what the draft decided about.
            let unseen = lists[index].filter {
                !deletion.seen[index].contains($0)
                    && !deleted.contains(EntityPlace(table: relation.childTable, slot: $0))
            }
            try apply(relation, index, to: ContiguousArray(unseen), of: place, in: &state)
            state.context.replaceLinks(
                with: [], of: place.slot, relation: index, table: place.table)
        }
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

    /// Applies a delete rule to what others have linked to a deleted entity.
    private func apply(
        _ relation: ResolvedRelation, _ index: Int, to children: ContiguousArray<UInt32>,
        of place: EntityPlace, in state: inout StoreState
    ) throws {
        let table = state.context.tables.tables[relation.childTable]
        let live = children.filter { table.isLive(Slot($0)) }
        guard !live.isEmpty else { return }
        switch relation.deleteRule {
        case .cascade:
            for slot in live {
                try state.context.deleteRow(
                    at: Slot(slot), table: relation.childTable,
                    cause: .cascade(table: place.table, slot: place.slot))
            }
        case .deny:
            let owner = state.context.tables.tables[place.table]
            throw ContextError.deleteDenied(
                type: owner.descriptor.name, id: owner.idText(of: Slot(place.slot)),
                relation: owner.descriptor.relations[index].name,
                children: live.map { table.idText(of: Slot($0)) })
        case .nullify: break
        }
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

extension ReversedState {
    /// A row as the app writes it, with what a new row has of fields that the app does not know.
    fileprivate func completed(_ row: [UInt8], of place: EntityPlace) -> [UInt8] {
        row + (definitions.schema.unknownFields[place.table]?[place.slot] ?? [])
    }

    /// Gives fields of a live row other values.
    fileprivate func set(_ fields: [Int: [UInt8]], of place: EntityPlace) throws(CodecError) {
        let definition = definition(ofTable: place.table)
        var row = ByteWriter()
        try writeRow(of: place, into: &row)
        var changed = ByteWriter()
        try row.withBytes { bytes throws(CodecError) in
            var reader = ByteReader(bytes)
            for (index, field) in definition.fields.enumerated() {
                let value = try field.type.readSlice(&reader)
                if let new = fields[index] { changed.write(new) } else { changed.write(value) }
            }
        }
        try changed.withBytes { row throws(CodecError) in
            try setRow(of: place, to: row, ordinal: stamps(of: place).ordinal, version: nil)
        }
    }

    /// Makes the trash have a tombstone of an entity that is not there from here on, or none.
    fileprivate func set(_ tombstone: DraftTombstone, of place: EntityPlace) throws(CodecError) {
        switch tombstone {
        case .none: clear(place, as: .goes)
        case .row(let row, let lists):
            let kept = stamps(of: place).ordinal
            try row.withReader { reader throws(CodecError) in
                try setTombstone(
                    of: place, row: reader.rest,
                    ordinal: kept == RowMetadata.noOrdinal ? table(place.table).nextOrdinal : kept,
                    lists: lists, version: nil)
            }
        }
    }
}
