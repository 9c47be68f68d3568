internal import VarveEvents
internal import VarveTables

// Entities that are split from others.
extension EntityMoves {
    /// Makes what steps have split from entities: of those that are not deleted first, so that a new entity of both is
    /// not deleted either; then in the order of the entities.
    func makeParts() throws(StoreError) {
        let order = parts.indices.sorted { first, second in
            let (one, other) = (parts[first], parts[second])
            guard one.isDeleted == other.isDeleted else { return other.isDeleted }
            guard one.part.step == other.part.step else { return one.part.step < other.part.step }
            return draft.stamps(of: one.parent).ordinal < draft.stamps(of: other.parent).ordinal
        }
        var links = PartLinks()
        for index in order {
            guard let split = plan.splits[parts[index].part.step] else { continue }
            try make(parts[index], split, &links)
        }
        try set(links)
    }

    private func make(
        _ pending: PendingPart, _ split: MovePlan.Split, _ links: inout PartLinks
    ) throws(StoreError) {
        let part = pending.part
        var row = split.rows.newRow(part.values, id: part.id, isDeleted: pending.isDeleted)
        try split.rows.perform(on: &row)
        try split.rows.checkNames(of: row)
        guard row.parts.isEmpty else {
            throw split.step.failure(MigrationError.changedAgain(row.type))
        }
        do {
            try links.compare(part, of: row.type)
            let place = try place(of: split.target, row.id)
            try set(row, at: place, split, pending)
            try link(pending, place, split, &links)
        } catch let error as StoreError {
            throw error
        } catch {
            throw split.step.failure(id: pending.formerIDText, error)
        }
    }

    private func set(
        _ row: MigrationRow, at place: EntityPlace, _ split: MovePlan.Split,
        _ pending: PendingPart
    ) throws {
        let presence = draft.presence(of: place)
        let isRestored = presence == .tombstone && !row.isDeleted
        if presence.hasRow {
            try check(row, pending.part, split, at: place)
            guard isRestored else { return }
        }
        // One that was deleted is live again as it was: what the step sets is the same there.
        let bytes =
            isRestored
            ? try rowBytes(at: place) : try converted(split.rows.newBytes(row), split, place)
        let ordinal =
            isRestored
            ? draft.stamps(of: place).ordinal
            : ordinals(draft.encoded(place), draft.nextOrdinal(ofTable: place.table))
        try draft.set(
            place, bytes, isLive: !row.isDeleted, lists: [], ordinal: ordinal,
            version: versions(draft.stamps(of: pending.parent)))
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

    /// Refuses another value of what the step has set than the entity has. What it does not set, the entity keeps.
    private func check(
        _ row: MigrationRow, _ part: MigrationRow.Part, _ split: MovePlan.Split,
        at place: EntityPlace
    ) throws {
        let set = split.rows.names(of: part.values.keys)
        let definition = draft.definition(ofTable: place.table)
        try rowBytes(at: place).withReader { reader in
            for field in definition.fields {
                let known = try field.type.readSlice(&reader)
                let target = split.rows.target.fields.first { $0.number == field.number }
                guard let target, set.contains(target.name), row.values[target.name] != nil
                else { continue }
                let value = MigrationRow.Value(
                    type: target.type, bytes: try split.rows.value(of: target, in: row))
                let bytes = try value.bytes(as: field.type)
                guard !bytes.withUnsafeBytes({ known.hasSameBytes(as: $0) }) else { continue }
                throw MigrationError.partDiffers(
                    type: definition.name, id: row.idText, property: field.name)
            }
        }
    }
}

// MARK: - Links

/// The links of entities that are split, until all are known.
private struct PartLinks {
    var live = LinkAdditions()
    /// Those that deleted entities keep.
    var kept = LinkAdditions()
    /// The deleted entities that keep them, with a step that made any.
    private(set) var holders: [(place: EntityPlace, step: ResolvedStep)] = []
    private var known: Set<EntityPlace> = []
    /// What steps have set of parts.
    private var values: [PartKey: [String: MigrationRow.Value]] = [:]

    private struct PartKey: Hashable {
        let step: Int
        let id: MigrationRow.Value
    }

    /// Refuses another value than the step has set of a part of the same id. A later step may compute something else from
    /// it, and remove it: the entity that was made would not say it.
    mutating func compare(_ part: MigrationRow.Part, of type: String) throws(MigrationError) {
        let key = PartKey(step: part.step, id: part.id)
        let known = values[key] ?? [:]
        for (name, value) in part.values {
            guard let other = known[name], other != value else { continue }
            throw .partDiffers(type: type, id: part.id.text, property: name)
        }
        values[key] = known.merging(part.values) { $1 }
    }

    mutating func note(_ holder: EntityPlace, _ step: ResolvedStep) {
        if known.insert(holder).inserted { holders.append((holder, step)) }
    }
}

extension EntityMoves {
    private func link(
        _ pending: PendingPart, _ part: EntityPlace, _ split: MovePlan.Split,
        _ links: inout PartLinks
    ) throws {
        let (holder, other) =
            split.isLinkOfPart ? (part, pending.parent) : (pending.parent, part)
        guard let link = split.link,
            let relation = draft.relation(link.number, ofTable: holder.table)
        else { return }
        let inverse = link.inverse.flatMap { draft.relation($0, ofTable: other.table) }
        guard pending.isDeleted else {
            try add(other, to: relation, of: holder, &links.live)
            if let inverse { try add(holder, to: inverse, of: other, &links.live) }
            return
        }
        // A deleted entity keeps its links for when it is restored.
        addKept(other, to: relation, of: holder, split.step, &links)
        if let inverse { addKept(holder, to: inverse, of: other, split.step, &links) }
    }

    private func add(
        _ other: EntityPlace, to relation: ReversalRelation, of holder: EntityPlace,
        _ links: inout LinkAdditions
    ) throws(MigrationError) {
        let isAdded = links.add(other.slot, to: relation, of: holder) {
            draft.list(of: relation.index, at: holder).slots
        }
        guard !isAdded else { return }
        let (type, id) = draft.name(of: holder)
        throw .linkTaken(
            draft.relationName(relation.index, ofTable: holder.table), of: type, id: id)
    }

    private func addKept(
        _ other: EntityPlace, to relation: ReversalRelation, of holder: EntityPlace,
        _ step: ResolvedStep, _ links: inout PartLinks
    ) {
        guard draft.presence(of: holder) == .tombstone else { return }
        links.note(holder, step)
        // One that is to-one keeps the link that it has.
        _ = links.kept.add(other.slot, to: relation, of: holder) {
            draft.keptLists(of: holder).first { $0.relation == relation.number }?.slots ?? []
        }
    }

    private func set(_ links: PartLinks) throws(StoreError) {
        for key in links.live.changed {
            let slots = links.live.slots(of: key.relation, at: key.place) ?? []
            draft.setList(SlotArray(slots: slots), of: key.relation, at: key.place)
        }
        for (place, step) in links.holders {
            var lists = draft.keptLists(of: place, []).lists
            for index in 0..<draft.relationCount(ofTable: place.table) {
                guard let slots = links.kept.slots(of: index, at: place) else { continue }
                let target = draft.relation(at: index, ofTable: place.table).target
                let entities = slots.map { EntityPlace(table: target, slot: $0) }
                if let known = lists.firstIndex(where: { $0.relation == index }) {
                    lists[known].entities = entities
                } else {
                    lists.append((index, entities))
                }
            }
            do {
                try keep(lists, at: place)
            } catch {
                throw step.failure(id: draft.name(of: place).id, error)
            }
        }
    }
}
