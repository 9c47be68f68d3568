internal import VarveEvents
internal import VarveGraph

extension DraftMerge {
    func mergeRows(with theirs: inout StoreState) throws {
        for entity in entities {
            guard descriptor(of: entity).tombstoneOwner == nil else {
                try mergeTombstone(entity, with: &theirs)
                continue
            }
            let place = try slots.place(of: entity, in: &theirs)
            if let row = theirs.schema.withheldRows[place.table]?[place.slot] {
                throw StoreError.unreadable(row.value)
            }
            switch (wasLive(entity), isLive(entity), isLive(place, in: theirs)) {
            case (true, true, true): try mergeFields(of: entity, place, with: theirs)
            case (true, true, false): try mergeLost(entity, place, with: &theirs)
            case (true, false, true): try mergeDeletion(of: entity, place, with: &theirs)
            case (false, true, true): try mergeTwins(entity, place, with: theirs)
            case (false, true, false): try insert(entity, place)
            case (true, false, false), (false, false, _): break
            }
        }
        spareTakenAlong()
    }

    /// What a deletion took along stays where the deletion is withdrawn.
    private func spareTakenAlong() {
        while !spared.isEmpty {
            plan.spared.formUnion(spared)
            let along = plan.deletions.filter { deletion in
                guard case .cascade(let table, let slot)? = deletion.cause else { return false }
                return spared.contains(EntityPlace(table: table, slot: slot))
            }
            spared = Set(along.map(\.place))
            plan.deletions.removeAll { spared.contains($0.place) }
            dropped.formUnion(spared)
        }
    }

    // MARK: - Fields

    /// The encoded fields of a live row.
    func fields(
        of place: EntityPlace, in state: borrowing StoreState, _ definition: TypeDefinition
    ) throws(CodecError) -> [[UInt8]] {
        let table = state.context.tables.tables[rows: place.table]
        var row = ByteWriter()
        try table.storeRow(at: Slot(place.slot), into: &row)
        let count = table.descriptor.fields.count
        return try row.withBytes { bytes throws(CodecError) in
            var reader = ByteReader(bytes)
            var fields: [[UInt8]] = []
            for field in definition.fields.prefix(count) {
                fields.append([UInt8](try field.type.readSlice(&reader)))
            }
            return fields
        }
    }

    func definition(of place: EntityPlace, in theirs: borrowing StoreState) -> TypeDefinition {
        guard let definition = theirs.schema.definition(atTable: place.table) else {
            preconditionFailure("an entity of a type that is not defined")
        }
        return definition
    }

    /// Whether an entity's row has the stamps of the base: then no other write touched it, and its values need no look.
    private func isUntouched(
        _ entity: EntityPlace, _ place: EntityPlace, in theirs: borrowing StoreState
    ) -> Bool {
        guard slots.sharesSlots(ofTable: entity.table), let table = baseTable(of: entity) else {
            return false
        }
        return table.metadata(of: Slot(entity.slot))
            == theirs.context.tables.tables[rows: place.table].metadata(of: Slot(place.slot))
    }

    private func mergeFields(
        of entity: EntityPlace, _ place: EntityPlace, with theirs: borrowing StoreState
    ) throws {
        let definition = definition(of: place, in: theirs)
        let was = try fields(of: entity, in: base, definition)
        let has = try fields(of: entity, in: mine, definition)
        guard was != has else { return }
        let isUntouched = isUntouched(entity, place, in: theirs)
        let have = isUntouched ? was : try fields(of: place, in: theirs, definition)
        var changed: [Int: [UInt8]] = [:]
        for index in was.indices where has[index] != was[index] && has[index] != have[index] {
            let field = definition.fields[index]
            var isKept = true
            if have[index] != was[index]
                || !isUntouched
                    && isWritten(.field(try encoded(entity, definition), field.number))
            {
                isKept = try keepsMine(
                    conflict(
                        .property(field.name), of: entity, base: try side(was[index], field),
                        mine: try side(has[index], field), theirs: try side(have[index], field)))
            }
            if isKept { changed[index] = has[index] }
        }
        if !changed.isEmpty {
            plan.updates.append(.init(entity: entity, place: place, fields: changed))
        }
    }

    private func side(
        _ bytes: [UInt8], _ field: FieldDefinition
    ) throws(CodecError) -> DraftConflict.Side {
        DraftConflict.Side(json: try StoredValue(field.type, bytes: bytes).json, encoded: bytes)
    }

    /// The names of the fields that two rows have other values of.
    func differing(
        _ first: [[UInt8]], _ second: [[UInt8]], _ definition: TypeDefinition
    ) -> [String] {
        zip(first, second).enumerated().filter { $1.0 != $1.1 }.map {
            definition.fields[$0.offset].name
        }
    }

    // MARK: - Insertions

    private func insert(_ entity: EntityPlace, _ place: EntityPlace) throws(CodecError) {
        let table = mine.context.tables.tables[rows: entity.table]
        var row = ByteWriter()
        try table.storeRow(at: Slot(entity.slot), into: &row)
        plan.insertions.append(
            .init(
                entity: entity, place: place, row: row.copyBytes(),
                ordinal: table.metadata(of: Slot(entity.slot)).ordinal))
    }

    /// Both sides have inserted an entity of the same id.
    private func mergeTwins(
        _ entity: EntityPlace, _ place: EntityPlace, with theirs: borrowing StoreState
    ) throws {
        let definition = definition(of: place, in: theirs)
        let has = try fields(of: entity, in: mine, definition)
        let have = try fields(of: place, in: theirs, definition)
        guard has != have else { return }
        let names = differing(has, have, definition)
        let found = conflict(
            .insertedTwice, of: entity, mine: .init(changed: names), theirs: .init(changed: names))
        guard try keepsMine(found) else {
            dropped.insert(place)
            return
        }
        revived.insert(place)
        plan.updates.append(
            .init(
                entity: entity, place: place,
                fields: Dictionary(uniqueKeysWithValues: has.enumerated().map { ($0, $1) })))
    }

    // MARK: - Deletion against edit

    /// Others deleted an entity that the draft still has.
    private func mergeLost(
        _ entity: EntityPlace, _ place: EntityPlace, with theirs: inout StoreState
    ) throws {
        let changed = try changedInDraft(entity, place, theirs)
        guard !changed.isEmpty,
            try keepsMine(
                conflict(.deletedByOthers, of: entity, mine: .init(changed: changed)))
        else {
            dropped.insert(place)
            return
        }
        revived.insert(place)
        try insert(entity, place)
    }

    /// What the draft changed of an entity by itself: not what follows from changes of others on the other side of a
    /// relation.
    private func changedInDraft(
        _ entity: EntityPlace, _ place: EntityPlace, _ theirs: borrowing StoreState
    ) throws(CodecError) -> [String] {
        let definition = definition(of: place, in: theirs)
        var names = differing(
            try fields(of: entity, in: base, definition),
            try fields(of: entity, in: mine, definition),
            definition)
        let relations = mine.context.tables.tables[rows: entity.table].relations
        for (index, relation) in relations.enumerated() {
            if relation.isToMany, relation.inverse != nil { continue }
            let (was, has) = lists(of: index, at: entity)
            guard was != has else { continue }
            if has.isEmpty, let first = was.first, isCut(first, of: relation) { continue }
            names.append(descriptor(of: entity).relations[index].name)
        }
        return names
    }

    /// The draft deleted an entity that others still have.
    private func mergeDeletion(
        of entity: EntityPlace, _ place: EntityPlace, with theirs: inout StoreState
    ) throws {
        let relations = mine.context.tables.tables[rows: entity.table].relations
        var seen: [Set<UInt32>] = []
        var waiting: [Set<UInt32>] = []
        var names: [String] = []
        if !isUntouched(entity, place, in: theirs) {
            names = try changedByOthers(entity, place, theirs)
        }
        for index in relations.indices {
            let (was, has) = try places(of: index, at: entity, in: &theirs)
            seen.append(Set(was))
            waiting.append(Set(has))
            if try isChangedByOthers(was, index, place, relations[index].isToMany, in: theirs) {
                names.append(descriptor(of: entity).relations[index].name)
            }
        }
        if !names.isEmpty,
            try !keepsMine(conflict(.deletedInDraft, of: entity, theirs: .init(changed: names)))
        {
            dropped.insert(place)
            spared.insert(place)
            return
        }
        plan.deletions.append(
            .init(
                place: place, tombstone: try replacedTombstone(of: entity, in: &theirs),
                cause: try cause(of: entity, in: &theirs), seen: seen, waiting: waiting))
    }

    /// What a relation of an entity leads to in the base and in the draft, in slots of the others.
    private func places(
        of relation: Int, at entity: EntityPlace, in theirs: inout StoreState
    ) throws(CodecError) -> (was: ContiguousArray<UInt32>, has: ContiguousArray<UInt32>) {
        let child = mine.context.tables.tables[rows: entity.table].relations[relation].childTable
        let (was, has) = lists(of: relation, at: entity)
        return (
            try slots.slots(of: was, ofTable: child, in: &theirs),
            try slots.slots(of: has, ofTable: child, in: &theirs)
        )
    }

    private func changedByOthers(
        _ entity: EntityPlace, _ place: EntityPlace, _ theirs: borrowing StoreState
    ) throws(CodecError) -> [String] {
        let definition = definition(of: place, in: theirs)
        let was = try fields(of: entity, in: base, definition)
        let have = try fields(of: place, in: theirs, definition)
        let encoded = try encoded(entity, definition)
        return was.indices.filter {
            was[$0] != have[$0] || isWritten(.field(encoded, definition.fields[$0].number))
        }.map { definition.fields[$0].name }
    }

    /// Whether others linked the entity to something, or led its to-one relation elsewhere. What they detached, or
    /// deleted, is no loss.
    private func isChangedByOthers(
        _ was: ContiguousArray<UInt32>, _ relation: Int, _ place: EntityPlace, _ isToMany: Bool,
        in theirs: borrowing StoreState
    ) throws -> Bool {
        let table = theirs.context.tables.tables[rows: place.table]
        let have = table.linkList(relation: relation, of: place.slot).slots
        guard have != was else { return false }
        return !Set(have).isSubset(of: was)
    }

    private func cause(
        of entity: EntityPlace, in theirs: inout StoreState
    ) throws(CodecError) -> DeleteCause? {
        switch content.deleteCauses[entity.table]?[entity.slot] {
        case .cascade(let table, let slot):
            let place = try slots.place(of: EntityPlace(table: table, slot: slot), in: &theirs)
            return .cascade(table: place.table, slot: place.slot)
        case .upsert(let table, let slot):
            let place = try slots.place(of: EntityPlace(table: table, slot: slot), in: &theirs)
            return .upsert(table: place.table, slot: place.slot)
        case nil: return nil
        }
    }
}
