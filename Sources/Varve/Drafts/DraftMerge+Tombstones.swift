internal import VarveEvents
internal import VarveGraph

extension DraftMerge {
    /// What the trash of a state has of an entity: its row, and the ids that its relations lead to.
    private struct Trashed: Equatable {
        let row: [UInt8]
        let ids: [[[UInt8]]]
    }

    private func trashed(
        _ entity: EntityPlace, in state: StoreState
    ) throws(CodecError) -> Trashed? {
        let owner = descriptor(of: entity)
        guard let descriptor = owner.tombstoneDescriptor,
            let position = state.context.tables.position(of: descriptor)
        else { return nil }
        let table = state.context.tables.tables[rows: position]
        let id = try encodedID(of: entity)
        let slot = try id.withReader { reader throws(CodecError) in
            try descriptor.operations.find(table, reader.rest)
        }
        guard let slot, table.isLive(slot) else { return nil }
        let tombstone = Tombstone(position: position, table: table, slot: slot, owner: owner)
        var row = ByteWriter()
        try tombstone.storeRow(into: &row)
        var lists: [[[UInt8]]] = []
        for index in mine.context.tables.tables[rows: entity.table].relations.indices {
            var ids: [[UInt8]] = []
            try tombstone.forEachID(of: index) { ids.append([UInt8]($0)) }
            lists.append(ids)
        }
        return Trashed(row: row.copyBytes(), ids: lists)
    }

    /// A tombstone as the trash of the other state is to have it.
    private func tombstone(
        _ trashed: Trashed?, of entity: EntityPlace, in theirs: inout StoreState
    ) throws(CodecError) -> DraftTombstone {
        guard let trashed else { return .none }
        let relations = mine.context.tables.tables[rows: entity.table].relations
        var lists: [(relation: Int, entities: [EntityPlace])] = []
        for (index, ids) in trashed.ids.enumerated() where !ids.isEmpty {
            let child = slots.table(relations[index].childTable)
            let intern = theirs.context.tables.tables[rows: child].descriptor.operations.intern
            var entities: [EntityPlace] = []
            for id in ids {
                let slot = try id.withReader { reader throws(CodecError) in
                    try intern(&theirs.context, child, reader.rest)
                }
                entities.append(EntityPlace(table: child, slot: slot.rawValue))
            }
            lists.append((index, entities))
        }
        return .row(trashed.row, lists: lists)
    }

    private func encodedID(of entity: EntityPlace) throws(CodecError) -> [UInt8] {
        let table = mine.context.tables.tables[rows: entity.table]
        var id = ByteWriter()
        try table.descriptor.operations.storeID(table, Slot(entity.slot), &id)
        return id.copyBytes()
    }

    /// The tombstone of an entity that the draft deleted, where that is another value than the entity had, or has other
    /// links; nil where it is the entity as it was.
    func replacedTombstone(
        of entity: EntityPlace, in theirs: inout StoreState
    ) throws(CodecError) -> DraftTombstone? {
        let trashed = try trashed(entity, in: mine)
        if let trashed, try trashed == self.unchanged(entity) { return nil }
        return try tombstone(trashed, of: entity, in: &theirs)
    }

    /// What the trash would have of an entity that was deleted as it was in the base.
    private func unchanged(_ entity: EntityPlace) throws(CodecError) -> Trashed? {
        guard let table = baseTable(of: entity) else { return nil }
        var row = ByteWriter()
        try table.storeRow(at: Slot(entity.slot), into: &row)
        var lists: [[[UInt8]]] = []
        let relations = mine.context.tables.tables[rows: entity.table].relations
        for (index, relation) in relations.enumerated() {
            var ids: [[UInt8]] = []
            for slot in self.lists(of: index, at: entity).was {
                ids.append(
                    try encodedID(of: EntityPlace(table: relation.childTable, slot: slot)))
            }
            lists.append(ids)
        }
        return Trashed(row: row.copyBytes(), ids: lists)
    }

    /// A tombstone that came, went or was replaced by itself: its entity was not there, and is not.
    func mergeTombstone(_ entity: EntityPlace, with theirs: inout StoreState) throws {
        guard let owner = descriptor(of: entity).tombstoneOwner?._descriptor,
            let position = mine.context.tables.position(of: owner)
        else { return }
        let id = try encodedID(of: entity)
        let slot = try id.withReader { reader throws(CodecError) in
            try owner.operations.find(mine.context.tables.tables[rows: position], reader.rest)
        }
        guard let slot else { return }
        let subject = EntityPlace(table: position, slot: slot.rawValue)
        guard !wasLive(subject), !isLive(subject) else { return }
        let trashed = try trashed(subject, in: mine)
        guard try trashed != self.trashed(subject, in: base) else { return }
        let place = try slots.place(of: subject, in: &theirs)
        guard !isLive(place, in: theirs) else { return }
        plan.tombstones.append(
            .init(place: place, tombstone: try tombstone(trashed, of: subject, in: &theirs)))
    }
}
