internal import VarveEvents
internal import VarveTables

// Entities that are split from others.
extension EntityMoves {
    /// Makes what steps have split from entities: of those that are not deleted first, so that a new entity of both is
    /// not deleted either; then in the order of the entities.
    func makeParts() throws(StoreError) {
        let order = parts.indices.sorted { first, second in
            let (one, other) = (parts[first], parts[second])
            guard one.row.isDeleted == other.row.isDeleted else { return other.row.isDeleted }
            guard one.part.step == other.part.step else { return one.part.step < other.part.step }
            return draft.stamps(of: one.parent).ordinal < draft.stamps(of: other.parent).ordinal
        }
        for index in order {
            guard let split = plan.splits[parts[index].part.step] else { continue }
            try make(parts[index], split)
        }
    }

    private func make(_ pending: PendingPart, _ split: MovePlan.Split) throws(StoreError) {
        let part = pending.part
        var row = split.rows.newRow(part.values, id: part.id, isDeleted: pending.row.isDeleted)
        try split.rows.perform(on: &row)
        try split.rows.checkNames(of: row)
        guard row.parts.isEmpty else {
            throw split.step.failure(MigrationError.changedAgain(row.type))
        }
        do {
            let place = try place(of: split.target, row.id)
            try set(row, at: place, split, pending)
            try link(pending, place, split)
        } catch let error as StoreError {
            throw error
        } catch {
            throw split.step.failure(id: pending.row.formerIDText, error)
        }
    }

    private func set(
        _ row: MigrationRow, at place: EntityPlace, _ split: MovePlan.Split,
        _ pending: PendingPart
    ) throws {
        let bytes = try converted(split.rows.newBytes(row), split, place)
        let presence = draft.presence(of: place)
        let isRestored = presence == .tombstone && !row.isDeleted
        if presence.hasRow {
            try check(row, bytes, at: place)
            guard isRestored else { return }
        }
        // One that was deleted is live again as it was: what the step sets is the same there.
        let ordinal =
            isRestored
            ? draft.stamps(of: place).ordinal
            : ordinals(draft.encoded(place), draft.nextOrdinal(ofTable: place.table))
        try draft.set(
            place, isRestored ? rowBytes(at: place) : bytes, isLive: !row.isDeleted, lists: [],
            ordinal: ordinal, version: versions(draft.stamps(of: pending.parent)))
        counts[row.type, default: 0] += 1
    }

    private func rowBytes(at place: EntityPlace) throws -> [UInt8] {
        var row = ByteWriter()
        try draft.writeRow(of: place, into: &row)
        return row.copyBytes()
    }

    /// The row in the newest layout of the state, which may be one of a later migration.
    private func converted(
        _ bytes: [UInt8], _ split: MovePlan.Split, _ place: EntityPlace
    ) throws -> [UInt8] {
        let newest = draft.definition(ofTable: place.table)
        guard newest != split.rows.target else { return bytes }
        let conversion = try RowConversion(from: RowLayout(split.rows.target), to: newest)
        var writer = ByteWriter(capacity: bytes.count)
        try bytes.withReader { try conversion.convert($0.rest, into: &writer) }
        return writer.copyBytes()
    }

    /// Refuses another value of what a step has set than the entity has.
    private func check(_ row: MigrationRow, _ bytes: [UInt8], at place: EntityPlace) throws {
        let known = try rowBytes(at: place)
        let definition = draft.definition(ofTable: place.table)
        var differing: String?
        try known.withReader { old in
            try bytes.withReader { new in
                for field in definition.fields {
                    let before = try field.type.readSlice(&old)
                    let after = try field.type.readSlice(&new)
                    guard row.values[field.name] != nil, !before.hasSameBytes(as: after) else {
                        continue
                    }
                    differing = differing ?? field.name
                }
            }
        }
        if let differing {
            throw MigrationError.partDiffers(
                type: definition.name, id: row.idText, property: differing)
        }
    }

    // MARK: Links

    private func link(
        _ pending: PendingPart, _ part: EntityPlace, _ split: MovePlan.Split
    ) throws {
        let (holder, other) =
            split.isLinkOfPart ? (part, pending.parent) : (pending.parent, part)
        guard let link = split.link,
            let relation = draft.relation(link.number, ofTable: holder.table)
        else { return }
        let inverse = link.inverse.flatMap { draft.relation($0, ofTable: other.table) }
        guard pending.row.isDeleted else {
            try add(other, to: relation, of: holder)
            if let inverse { try add(holder, to: inverse, of: other) }
            return
        }
        // A deleted entity keeps its links for when it is restored.
        try addKept(other, to: relation, of: holder)
        if let inverse { try addKept(holder, to: inverse, of: other) }
    }

    private func add(
        _ other: EntityPlace, to relation: ReversalRelation, of holder: EntityPlace
    ) throws(MigrationError) {
        var list = draft.list(of: relation.index, at: holder)
        guard list.position(of: other.slot) == nil else { return }
        guard relation.isToMany || list.count == 0 else {
            let (type, id) = draft.name(of: holder)
            throw .linkTaken(
                draft.relationName(relation.index, ofTable: holder.table), of: type, id: id)
        }
        list.insert(other.slot, at: list.count)
        draft.setList(list, of: relation.index, at: holder)
    }

    private func addKept(
        _ other: EntityPlace, to relation: ReversalRelation, of holder: EntityPlace
    ) throws {
        guard draft.presence(of: holder) == .tombstone else { return }
        var lists = draft.keptLists(of: holder, []).lists
        if let index = lists.firstIndex(where: { $0.relation == relation.index }) {
            guard relation.isToMany, !lists[index].entities.contains(other) else { return }
            lists[index].entities.append(other)
        } else {
            lists.append((relation.index, [other]))
        }
        try keep(lists, at: holder)
    }
}
