internal import VarveEvents
internal import VarveGraph

extension DraftMerge {
    /// The tombstone of a type's entity in the draft, as the trash of the other state is to have it.
    private func tombstone(
        of entity: EntityPlace, in theirs: inout StoreState
    ) throws(CodecError) -> DraftTombstone {
        let owner = descriptor(of: entity)
        guard let descriptor = owner.tombstoneDescriptor,
            let position = mine.context.tables.position(of: descriptor)
        else { return .none }
        let table = mine.context.tables.tables[position]
        let id = try encodedID(of: entity)
        let slot = try id.withReader { reader throws(CodecError) in
            try descriptor.operations.find(table, reader.rest)
        }
        guard let slot, table.isLive(slot) else { return .none }
        let tombstone = Tombstone(position: position, table: table, slot: slot, owner: owner)
        var row = ByteWriter()
        try tombstone.storeRow(into: &row)
        var lists: [(relation: Int, entities: [EntityPlace])] = []
        let relations = mine.context.tables.tables[entity.table].relations
        for index in relations.indices {
            var ids: [[UInt8]] = []
            try tombstone.forEachID(of: index) { ids.append([UInt8]($0)) }
            guard !ids.isEmpty else { continue }
            let child = slots.table(relations[index].childTable)
            let intern = theirs.context.tables.tables[child].descriptor.operations.intern
            var entities: [EntityPlace] = []
            for id in ids {
                let slot = try id.withReader { reader throws(CodecError) in
                    try intern(&theirs.context, reader.rest)
                }
                entities.append(EntityPlace(table: child, slot: slot.rawValue))
            }
            lists.append((index, entities))
        }
        return .row(row.copyBytes(), lists: lists)
    }

    private func encodedID(of entity: EntityPlace) throws(CodecError) -> [UInt8] {
        let table = mine.context.tables.tables[entity.table]
        var id = ByteWriter()
        try table.descriptor.operations.storeID(table, Slot(entity.slot), &id)
        return id.copyBytes()
    }

    /// The tombstone of an entity that the draft deleted, where that is another value than the entity had; nil where
    /// it is the entity as it was.
    func replacedTombstone(
        of entity: EntityPlace, in theirs: inout StoreState
    ) throws(CodecError) -> DraftTombstone? {
        let tombstone = try tombstone(of: entity, in: &theirs)
        guard case .row(let row, _) = tombstone, let table = baseTable(of: entity) else {
            return tombstone
        }
        var was = ByteWriter()
        try table.descriptor.operations.storeRow(table, Slot(entity.slot), &was)
        return row == was.copyBytes() ? nil : tombstone
    }

    /// A tombstone that came or went by itself: its entity was not there, and is not.
    func mergeTombstone(_ entity: EntityPlace, with theirs: inout StoreState) throws {
        guard let owner = descriptor(of: entity).tombstoneOwner?._descriptor,
            let position = mine.context.tables.position(of: owner)
        else { return }
        let id = try encodedID(of: entity)
        let slot = try id.withReader { reader throws(CodecError) in
            try owner.operations.find(mine.context.tables.tables[position], reader.rest)
        }
        guard let slot, wasLive(entity) != isLive(entity) else { return }
        let subject = EntityPlace(table: position, slot: slot.rawValue)
        let place = try slots.place(of: subject, in: &theirs)
        guard !wasLive(subject), !isLive(subject), !isLive(place, in: theirs) else { return }
        plan.tombstones.append(
            .init(place: place, tombstone: try tombstone(of: subject, in: &theirs)))
    }
}
