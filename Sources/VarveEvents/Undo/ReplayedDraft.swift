/// A list of slots that costs what it is long to change.
package struct SlotArray: ReversalList {
    package var slots: [UInt32]

    package init(slots: [UInt32]) { self.slots = slots }

    package var count: Int { slots.count }
    package func slot(at position: Int) -> UInt32 { slots[position] }
    package func position(of slot: UInt32) -> Int? { slots.firstIndex(of: slot) }
    package mutating func insert(_ slot: UInt32, at position: Int) {
        slots.insert(slot, at: position)
    }
    package mutating func remove(at position: Int) { slots.remove(at: position) }
}

/// A replayed state that transactions are reverted from, and the changes that this makes.
///
/// Without the app's types nobody knows its unique indexes: they are not looked at. The state is
/// changed in place, and of no use to others afterwards.
package final class ReplayedDraft: ReversalTarget {
    /// What an entity was before.
    struct RowImage {
        let presence: EntityPresence
        let stamps: EntityStamps
        let row: [UInt8]
        let lists: ReplayTable.DeletedLists
    }

    struct ListKey: Hashable {
        let place: EntityPlace
        let relation: Int
    }

    let state: ReplayState
    /// What changes carry that shall not be of the past.
    let version: PreviousVersion
    private(set) var rows: [EntityPlace: RowImage] = [:]
    /// In the order in which they were first touched.
    private(set) var touched: [EntityPlace] = []
    private(set) var lists: [ListKey: [UInt32]] = [:]
    private(set) var touchedLists: [ListKey] = []

    /// Whether what was before is kept, for the events of the changes.
    private let isRecorded: Bool

    /// - Parameters:
    ///   - state: not used by others any more.
    ///   - running: the transaction that changes are to be of.
    package init(_ state: ReplayState, running: TransactionID, time: Timestamp) {
        self.state = state
        version = PreviousVersion(transaction: running, updatedAt: time)
        isRecorded = true
    }

    /// A draft that becomes a state of the past, and of which no events are asked.
    ///
    /// - Parameter state: not used by others any more.
    package init(lookingBackFrom state: ReplayState) {
        self.state = state
        version = PreviousVersion(transaction: 0, updatedAt: Timestamp(microseconds: 0))
        isRecorded = false
    }

    func table(_ index: Int) -> ReplayTable {
        guard let table = state.tables[index] else {
            preconditionFailure("a table whose rows were handed over")
        }
        return table
    }

    func record(_ place: EntityPlace) -> ReplayTable.Record {
        table(place.table).records[Int(place.slot)]
    }

    /// What the log of the state has defined.
    package var catalog: Catalog { state.catalog }

    // MARK: Entities

    /// How many ids of a type were ever mentioned.
    package func slotCount(ofTable table: Int) -> Int { self.table(table).slotCount }

    /// The lists that a tombstone keeps.
    package func keptLists(
        of place: EntityPlace
    ) -> [(relation: RelationNumber, slots: [UInt32])] {
        table(place.table).deletedLists[place.slot] ?? []
    }

    package func place(
        of type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) throws(CodecError) -> EntityPlace? {
        let index = Int(type.rawValue) - 1
        guard state.tables.indices.contains(index), let table = state.tables[index] else {
            return nil
        }
        do throws(EntityFault) {
            let slot = try table.intern(id, hash: KeyedHash.hash(id))
            return EntityPlace(table: index, slot: slot)
        } catch {
            throw .invalidValue(offset: 0, typeName: "id of \(table.definition.name)")
        }
    }

    package func definition(ofTable table: Int) -> TypeDefinition { self.table(table).definition }

    package func presence(of place: EntityPlace) -> EntityPresence {
        let record = record(place)
        return switch record.liveness {
        case .live: .live
        case .tombstone: .tombstone
        case .vacant: record.transaction == 0 ? .vacant : .gone
        }
    }

    package func stamps(of place: EntityPlace) -> EntityStamps {
        let record = record(place)
        return EntityStamps(
            ordinal: record.ordinal, transaction: record.transaction,
            updatedAt: record.updatedAt, saveOrder: record.saveOrder)
    }

    package func knownFieldCount(ofTable table: Int) -> Int {
        self.table(table).layout.fieldCount
    }

    package func writeRow(
        of place: EntityPlace, into writer: inout ByteWriter
    ) throws(CodecError) {
        try modernise(place)
        writer.write(record(place).rowBytes)
    }

    package func encoded(_ place: EntityPlace) -> EncodedEntity {
        EncodedEntity(
            type: table(place.table).definition.number, id: [UInt8](record(place).idBytes))
    }

    package func name(of place: EntityPlace) -> (type: String, id: String) {
        let definition = table(place.table).definition
        return (definition.name, definition.idType.text(of: record(place).idBytes))
    }

    /// Brings a row to the newest layout, which changes nothing else.
    private func modernise(_ place: EntityPlace) throws(CodecError) {
        do throws(EntityFault) {
            try table(place.table).modernise(place.slot)
        } catch {
            throw .invalidValue(offset: 0, typeName: "row of \(name(of: place).type): \(error)")
        }
    }

    private func keep(_ place: EntityPlace) throws(CodecError) {
        guard isRecorded, rows[place] == nil else { return }
        let presence = presence(of: place)
        if presence.hasRow { try modernise(place) }
        rows[place] = RowImage(
            presence: presence, stamps: stamps(of: place),
            row: presence.hasRow ? [UInt8](record(place).rowBytes) : [],
            lists: table(place.table).deletedLists[place.slot] ?? [])
        touched.append(place)
    }

    // MARK: Rows

    package func setRow(
        of place: EntityPlace, to row: UnsafeRawBufferPointer, ordinal: UInt64,
        version: PreviousVersion?
    ) throws(CodecError) {
        try keep(place)
        try set(place, row, .live, ordinal, version)
        table(place.table).setDeletedLists(place.slot, to: [])
    }

    package func setTombstone(
        of place: EntityPlace, row: UnsafeRawBufferPointer, ordinal: UInt64,
        lists: [(relation: Int, entities: [EntityPlace])], version: PreviousVersion?
    ) throws(CodecError) {
        try keep(place)
        try set(place, row, .tombstone, ordinal, version)
        let table = table(place.table)
        table.setDeletedLists(
            place.slot,
            to: lists.map { list in
                (table.definition.relations[list.relation].number, list.entities.map(\.slot))
            })
    }

    private func set(
        _ place: EntityPlace, _ row: UnsafeRawBufferPointer, _ liveness: ReplayTable.Liveness,
        _ ordinal: UInt64, _ version: PreviousVersion?
    ) throws(CodecError) {
        do throws(EntityFault) {
            try table(place.table).setRow(
                place.slot, to: row, liveness: liveness, ordinal: Ordinal(ordinal),
                at: version ?? self.version)
        } catch {
            throw .invalidValue(offset: 0, typeName: "row of \(name(of: place).type): \(error)")
        }
    }

    package func clear(_ place: EntityPlace, as absence: EntityAbsence) {
        do throws(CodecError) {
            try keep(place)
        } catch {
            preconditionFailure("a row that was read a moment ago cannot be read: \(error)")
        }
        let table = table(place.table)
        switch absence {
        case .goes: table.clearRow(place.slot, at: version)
        case .gone(let version): table.clearRow(place.slot, at: version)
        case .toCome:
            table.clearRow(place.slot, at: version)
            table.withdraw(place.slot)
        }
    }

    // MARK: Links

    package func relation(_ number: RelationNumber, ofTable table: Int) -> ReversalRelation? {
        self.table(table).definition.position(of: number).map { relation(at: $0, ofTable: table) }
    }

    package func relationCount(ofTable table: Int) -> Int {
        self.table(table).definition.relations.count
    }

    package func relation(at index: Int, ofTable table: Int) -> ReversalRelation {
        let relation = self.table(table).definition.relations[index]
        let target = Int(relation.target.rawValue) - 1
        return ReversalRelation(
            index: index, number: relation.number, target: target, targetType: relation.target,
            isToMany: relation.isToMany,
            inverse: relation.inverse.flatMap { inverse in
                state.tables[target]?.definition.position(of: inverse)
            })
    }

    package func relationName(_ index: Int, ofTable table: Int) -> String {
        self.table(table).definition.relations[index].name
    }

    package func list(of relation: Int, at place: EntityPlace) -> SlotArray {
        SlotArray(slots: table(place.table).links[relation].list(of: place.slot))
    }

    package func setList(
        _ list: SlotArray, of relation: Int, at place: EntityPlace
    ) {
        let key = ListKey(place: place, relation: relation)
        let table = table(place.table)
        if isRecorded, lists[key] == nil {
            lists[key] = table.links[relation].list(of: place.slot)
            touchedLists.append(key)
        }
        table.modifyLinks(relation) { $0.replace(list.slots, of: place.slot) }
    }

    package func hasUniqueIndexes(inTable table: Int) -> Bool { false }

    package func uniqueRival(of place: EntityPlace) -> (index: String, rival: EntityPlace)? { nil }
}
