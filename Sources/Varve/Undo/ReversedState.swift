internal import VarveEvents
internal import VarveGraph

extension LinkList: ReversalList {}

/// A store's state as one that transactions are taken back from.
struct ReversedState: ReversalTarget {
    private(set) var state: StoreState
    /// The positions of tables, by type number - 1; -1 where the app has no such type.
    private let positions: [Int]

    init(_ state: StoreState) {
        self.state = state
        var positions = [Int](repeating: -1, count: state.catalog.definitions.count)
        for (position, definition) in state.schema.definitions.enumerated() {
            guard let definition else { continue }
            let index = Int(definition.number.rawValue) - 1
            if index < positions.count { positions[index] = position }
        }
        self.positions = positions
    }

    private func table(_ position: Int) -> AnyTable { state.context.tables.tables[position] }

    private func operations(_ position: Int) -> EntityOperations {
        table(position).descriptor.operations
    }

    // MARK: - Entities

    mutating func place(
        of type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) throws(CodecError) -> EntityPlace? {
        let index = Int(type.rawValue) - 1
        guard index < positions.count, positions[index] >= 0 else { return nil }
        let position = positions[index]
        let slot = try operations(position).intern(&state.context, id)
        return EntityPlace(table: position, slot: slot.rawValue)
    }

    func presence(of place: EntityPlace) -> EntityPresence {
        let table = table(place.table)
        if table.isLive(Slot(place.slot)) { return .live }
        let metadata = table.metadata(of: Slot(place.slot))
        guard metadata.isFormer else { return .vacant }
        return metadata.ordinal != RowMetadata.noOrdinal ? .tombstone : .gone
    }

    func stamps(of place: EntityPlace) -> EntityStamps {
        let metadata = table(place.table).metadata(of: Slot(place.slot))
        return EntityStamps(
            ordinal: metadata.ordinal, transaction: metadata.transaction,
            updatedAt: metadata.updatedAt)
    }

    func knownFieldCount(ofTable table: Int) -> Int {
        self.table(table).descriptor.fields.count
    }

    func writeRow(of place: EntityPlace, into writer: inout ByteWriter) throws(CodecError) {
        try operations(place.table).storeRow(table(place.table), Slot(place.slot), &writer)
        if let unknown = state.schema.unknownFields[place.table] {
            writer.write(unknown[place.slot])
        }
    }

    func name(of place: EntityPlace) -> (type: String, id: String) {
        let table = table(place.table)
        return (table.descriptor.name, table.idText(of: Slot(place.slot)))
    }

    // MARK: - Rows

    mutating func setRow(
        of place: EntityPlace, to row: UnsafeRawBufferPointer, ordinal: UInt64,
        version: PreviousVersion?
    ) throws(CodecError) {
        let known = try takeUnknownFields(of: place, from: row)
        try dropTombstone(of: place)
        // A row that there was before the transaction is logged as changed, which moves it nowhere.
        let former = version == nil ? formerOrdinal(of: place) : nil
        try operations(place.table).restoreRow(
            &state.context, Slot(place.slot), known, former ?? ordinal)
        stamp(place.slot, ofTable: place.table, version)
    }

    /// The place of the row that was at a slot before the running transaction, if there was one.
    private func formerOrdinal(of place: EntityPlace) -> UInt64? {
        guard let change = table(place.table).firstChange(of: Slot(place.slot)), change.before >= 0
        else { return nil }
        return change.metadata.ordinal
    }

    mutating func setTombstone(
        of place: EntityPlace, row: UnsafeRawBufferPointer, ordinal: UInt64,
        lists: [(relation: Int, entities: [EntityPlace])], version: PreviousVersion?
    ) throws(CodecError) {
        let slot = Slot(place.slot)
        let known = try takeUnknownFields(of: place, from: row)
        if table(place.table).isLive(slot) {
            operations(place.table).dropRow(&state.context, slot, true)
        } else {
            state.context.setVacancy(of: slot, ordinal: ordinal, table: place.table)
        }
        stamp(place.slot, ofTable: place.table, version)
        let descriptor = table(place.table).descriptor.type._tombstoneDescriptor
        let position = state.context.position(of: descriptor)
        let tombstone = try withID(of: place) { (id, context) throws(CodecError) in
            try descriptor.operations.intern(&context, id)
        }
        try descriptor.operations.restoreRow(&state.context, tombstone, known, ordinal)
        try setLists(lists, of: tombstone, at: position, owner: place.table)
        stamp(tombstone.rawValue, ofTable: position, version)
    }

    /// Sets the relations of a tombstone's entity, which stands at the tombstone's address.
    private mutating func setLists(
        _ lists: [(relation: Int, entities: [EntityPlace])], of tombstone: Slot, at position: Int,
        owner: Int
    ) throws(CodecError) {
        for (index, entities) in lists where !entities.isEmpty {
            let relation = table(owner).descriptor.relations[index]
            var ids: [[UInt8]] = []
            for entity in entities {
                var writer = ByteWriter()
                try operations(entity.table).storeID(
                    table(entity.table), Slot(entity.slot), &writer)
                ids.append(writer.copyBytes())
            }
            let joined = ids.flatMap { $0 }
            let tombstones = state.context.tables.unique(at: position)
            try joined.withBuffer { bytes throws(CodecError) in
                var start = 0
                let slices = ids.map { id in
                    defer { start += id.count }
                    return UnsafeRawBufferPointer(rebasing: bytes[start..<start + id.count])
                }
                try tombstones.descriptor.operations.amendRow(tombstones, tombstone) {
                    address throws(CodecError) in
                    try relation.loadIDs(address + relation.offset, slices)
                }
            }
        }
    }

    mutating func clear(_ place: EntityPlace, as absence: EntityAbsence) {
        let slot = Slot(place.slot)
        if table(place.table).isLive(slot) {
            operations(place.table).dropRow(&state.context, slot, false)
        } else {
            do throws(CodecError) {
                try dropTombstone(of: place)
            } catch {
                preconditionFailure("the id of a known entity cannot be encoded: \(error)")
            }
            state.context.setVacancy(of: slot, ordinal: nil, table: place.table)
        }
        switch absence {
        case .goes: break
        case .gone(let version): stamp(place.slot, ofTable: place.table, version)
        case .toCome:
            state.context.setStamps(of: slot, updatedAt: 0, transaction: 0, table: place.table)
        }
    }

    private mutating func dropTombstone(of place: EntityPlace) throws(CodecError) {
        guard let descriptor = table(place.table).descriptor.tombstoneDescriptor,
            let position = state.context.tables.position(of: descriptor),
            state.context.tables.tables[position].liveCount > 0
        else { return }
        let tombstone = try withID(of: place) { (id, context) throws(CodecError) in
            try descriptor.operations.find(context.tables.tables[position], id)
        }
        guard let tombstone, table(position).isLive(tombstone) else { return }
        descriptor.operations.dropRow(&state.context, tombstone, false)
    }

    /// Appends the row of a live entity, or that of its tombstone.
    func writeRowOrTombstone(
        of place: EntityPlace, into writer: inout ByteWriter
    ) throws(CodecError) {
        if table(place.table).isLive(Slot(place.slot)) {
            return try writeRow(of: place, into: &writer)
        }
        guard let descriptor = table(place.table).descriptor.tombstoneDescriptor,
            let position = state.context.tables.position(of: descriptor)
        else { return }
        var id = ByteWriter()
        try operations(place.table).storeID(table(place.table), Slot(place.slot), &id)
        let tombstone = try id.withBytes { id throws(CodecError) in
            try descriptor.operations.find(table(position), id)
        }
        guard let tombstone else { return }
        try descriptor.operations.storeRow(table(position), tombstone, &writer)
        if let unknown = state.schema.unknownFields[place.table] {
            writer.write(unknown[place.slot])
        }
    }

    /// Takes away the tombstones of what was deleted before a moment. Answers how many.
    ///
    /// - Parameter types: names; none for all.
    mutating func purgeTombstones(before time: Timestamp, _ types: Set<String>) -> Int {
        var count = 0
        let mark = state.context.begin()
        for position in state.context.tables.tables.indices {
            let owner = table(position).descriptor
            guard owner.tombstoneOwner == nil, types.isEmpty || types.contains(owner.name),
                let descriptor = owner.tombstoneDescriptor,
                let tombstones = state.context.tables.position(of: descriptor),
                table(tombstones).liveCount > 0
            else { continue }
            for slot in 0..<UInt32(truncatingIfNeeded: table(position).slotCount) {
                let place = EntityPlace(table: position, slot: slot)
                guard presence(of: place) == .tombstone,
                    stamps(of: place).updatedAt < time.microseconds
                else { continue }
                clear(place, as: .goes)
                count += 1
            }
        }
        state.context.end(mark)
        return count
    }

    private mutating func withID<Result>(
        of place: EntityPlace,
        _ body: (UnsafeRawBufferPointer, inout Context) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        var writer = ByteWriter()
        try operations(place.table).storeID(table(place.table), Slot(place.slot), &writer)
        return try writer.withBytes { bytes throws(CodecError) in
            try body(bytes, &state.context)
        }
    }

    private mutating func stamp(_ slot: UInt32, ofTable table: Int, _ version: PreviousVersion?) {
        guard let version else { return }
        state.context.setStamps(
            of: Slot(slot), updatedAt: version.updatedAt.microseconds,
            transaction: version.transaction.rawValue, table: table)
    }

    /// The part of a row that the app knows; the rest is kept beside it.
    private mutating func takeUnknownFields(
        of place: EntityPlace, from row: UnsafeRawBufferPointer
    ) throws(CodecError) -> UnsafeRawBufferPointer {
        guard state.schema.unknownFields[place.table] != nil,
            let definition = state.schema.definitions[place.table]
        else { return row }
        var reader = ByteReader(row)
        for field in definition.fields.prefix(knownFieldCount(ofTable: place.table)) {
            try field.type.skip(&reader)
        }
        state.schema.unknownFields[place.table]?[place.slot] = Array(reader.rest)
        return reader.slice(from: 0, to: reader.position)
    }

    // MARK: - Links

    func relation(_ number: RelationNumber, ofTable table: Int) -> ReversalRelation? {
        guard table < state.schema.definitions.count,
            let index = state.schema.definitions[table]?.position(of: number),
            index < self.table(table).descriptor.relations.count
        else { return nil }
        return relation(at: index, ofTable: table)
    }

    func relations(ofTable table: Int) -> [ReversalRelation] {
        self.table(table).relations.indices.map { relation(at: $0, ofTable: table) }
    }

    private func relation(at index: Int, ofTable table: Int) -> ReversalRelation {
        let resolved = self.table(table).relations[index]
        return ReversalRelation(
            index: index, target: resolved.childTable, isToMany: resolved.isToMany,
            inverse: resolved.inverse)
    }

    func relationName(_ index: Int, ofTable table: Int) -> String {
        self.table(table).descriptor.relations[index].name
    }

    func list(of relation: Int, at place: EntityPlace) -> LinkList {
        table(place.table).linkList(relation: relation, of: place.slot)
    }

    mutating func setList(_ list: LinkList, of relation: Int, at place: EntityPlace) {
        state.context.setLinkList(list, of: place.slot, relation: relation, table: place.table)
    }

    func uniqueRival(of place: EntityPlace) -> (index: String, rival: EntityPlace)? {
        operations(place.table).rival(state.context, Slot(place.slot)).map { index, slot in
            (index, EntityPlace(table: place.table, slot: slot.rawValue))
        }
    }
}

extension [UInt8] {
    fileprivate func withBuffer<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var writer = ByteWriter(capacity: Swift.max(count, 1))
        writer.write(self)
        return try writer.withBytes { bytes throws(Failure) in try body(bytes) }
    }
}
