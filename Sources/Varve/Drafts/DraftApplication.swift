internal import VarveEvents
internal import VarveGraph

/// Does to a state what a draft's plan says, as changes of the running transaction.
///
/// Hooks, strategies and resolvers have run in the draft, and do not run again. Only what a delete rule takes along
/// that the draft did not know is deleted with its hooks, and what the draft and others together make an orphan.
struct DraftApplication {
    let plan: DraftPlan
    let deleted: Set<EntityPlace>
    /// Rows whose unique values are checked in the end.
    private var changed: [(entity: EntityPlace, place: EntityPlace)] = []

    init(_ plan: DraftPlan) {
        self.plan = plan
        deleted = Set(plan.deletions.map(\.place))
    }

    mutating func run(on state: inout StoreState) throws {
        let mark = state.context.begin()
        // What goes into the trash goes with the links that others left it.
        let links = linksOfDeleted(in: state)
        try applyRows(to: &state)
        for owner in plan.owners {
            state.context.replaceLinks(
                with: owner.target.map { [$0] } ?? [], of: owner.place.slot,
                relation: owner.relation, table: owner.place.table)
        }
        for list in plan.lists { apply(list, to: &state) }
        try applyDeletions(to: &state, keeping: links)
        try applyTombstones(to: &state)
        for given in plan.numbers { state.context.noteNumber(given.number, ofTable: given.table) }
        // Both sides together may have taken an entity from all lists, of which each has seen one. What a choice spared
        // stays, here and where the draft is committed that has it by then.
        try state.context.deleteOrphans(behind: mark) { table, slot, relation in
            let place = EntityPlace(table: table, slot: slot)
            return plan.spared.contains(place)
                || plan.unheld.contains(.init(place: place, relation: relation))
        }
        state.context.end(mark)
    }

    /// The entities that have a value of a unique index that another one has by now. What the draft's own resolvers
    /// left in an index stays.
    func uniqueConflicts(
        in state: borrowing StoreState, _ content: DraftContent
    ) throws(CodecError) -> [DraftConflict] {
        var conflicts: [DraftConflict] = []
        for (entity, place) in changed {
            let table = state.context.tables.tables[rows: place.table]
            let descriptor = table.descriptor
            let slot = Slot(place.slot)
            guard descriptor.hasUniqueIndexes, table.isLive(slot) else { continue }
            var first = 0
            while let found = state.context.rival(
                ofRowAt: slot, table: place.table, from: first)
            {
                first = found.index + 1
                if try isTolerated(found, table, by: entity, content) { continue }
                conflicts.append(
                    DraftConflict(
                        type: descriptor.name, id: table.idText(of: slot),
                        kind: .uniqueValueTaken(
                            index: descriptor.nameOfIndex(found.index),
                            by: table.idText(of: found.existing))))
            }
        }
        return conflicts
    }

    /// Whether the draft has a value of an index twice, too, and with this entity.
    private func isTolerated(
        _ found: Collision, _ table: AnyTable, by entity: EntityPlace, _ content: DraftContent
    ) throws(CodecError) -> Bool {
        let mine = content.state.context
        let operations = table.descriptor.operations
        func isRepeated(_ slot: Slot) -> Bool {
            mine.rival(ofRowAt: slot, table: entity.table, from: found.index)?.index == found.index
        }
        guard isRepeated(Slot(entity.slot)) else { return false }
        var id = ByteWriter()
        try operations.storeID(table, found.existing, &id)
        let own = mine.tables.tables[rows: entity.table]
        let known = try id.withBytes { bytes throws(CodecError) in
            try operations.find(own, bytes)
        }
        guard let known, own.isLive(known) else { return false }
        return isRepeated(known)
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
        let table = state.context.tables.tables[rows: change.place.table]
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
    func set(_ tombstone: DraftTombstone, of place: EntityPlace) throws(CodecError) {
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
