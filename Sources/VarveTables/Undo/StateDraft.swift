package import VarveEvents

/// The changes of an open transaction that revert others, or set entities one by one.
///
/// Without the app's types its unique indexes are not known: they are not looked at. The caller publishes the
/// transaction, or rolls it back when it has the events of the changes.
package final class StateDraft: ReversalTarget {
    /// What an entity was before.
    struct RowImage {
        let presence: EntityPresence
        let stamps: EntityStamps
        let row: [UInt8]
        let lists: [(relation: RelationNumber, slots: [Slot])]
    }

    struct ListKey: Hashable {
        let place: EntityPlace
        let relation: Int
    }

    let transaction: StateTransaction
    /// What changes carry that shall not be of the past.
    let version: PreviousVersion
    private(set) var rows: [EntityPlace: RowImage] = [:]
    /// In the order in which they were first touched.
    private(set) var touched: [EntityPlace] = []
    private(set) var lists: [ListKey: [Slot]] = [:]
    private(set) var touchedLists: [ListKey] = []

    /// Whether what was before is kept, for the events of the changes.
    private let isRecorded: Bool

    /// - Parameter running: the transaction that changes are to be of.
    package init(_ transaction: StateTransaction, running: TransactionID, time: Timestamp) {
        self.transaction = transaction
        version = PreviousVersion(transaction: running, updatedAt: time)
        isRecorded = true
    }

    /// A draft that becomes a state of the past, and of which no events are made.
    package init(lookingBackIn transaction: StateTransaction) {
        self.transaction = transaction
        version = PreviousVersion(transaction: 0, updatedAt: Timestamp(microseconds: 0))
        isRecorded = false
    }

    func entry(_ place: EntityPlace) -> StoredRow {
        transaction.entry(place.table, Slot(place.slot))
    }

    private func unreadable(_ place: EntityPlace, _ fault: EntityFault) -> CodecError {
        .invalidValue(offset: 0, typeName: "row of \(name(of: place).type): \(fault)")
    }

    // MARK: Entities

    package func place(
        of type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) throws(CodecError) -> EntityPlace? {
        guard let table = transaction.tablePosition(of: type) else { return nil }
        do throws(EntityFault) {
            return EntityPlace(table: table, slot: try transaction.slot(of: id, in: table).rawValue)
        } catch {
            throw .invalidValue(offset: 0, typeName: "id of \(definition(ofTable: table).name)")
        }
    }

    package func definition(ofTable table: Int) -> TypeDefinition {
        transaction.tables[table].definition
    }

    package func presence(of place: EntityPlace) -> EntityPresence { entry(place).presence }

    package func stamps(of place: EntityPlace) -> EntityStamps { entry(place).stamps }

    package func knownFieldCount(ofTable table: Int) -> Int {
        transaction.tables[table].layout.fieldCount
    }

    package func writeRow(
        of place: EntityPlace, into writer: inout ByteWriter
    ) throws(CodecError) {
        do throws(EntityFault) {
            try transaction.withRow(of: entry(place), in: place.table) { writer.write($0) }
        } catch {
            throw unreadable(place, error)
        }
    }

    /// The row in the newest layout.
    func row(of place: EntityPlace) throws(CodecError) -> [UInt8] {
        var writer = ByteWriter()
        try writeRow(of: place, into: &writer)
        return writer.copyBytes()
    }

    package func encoded(_ place: EntityPlace) -> EncodedEntity {
        EncodedEntity(
            type: definition(ofTable: place.table).number, id: [UInt8](entry(place).id))
    }

    package func name(of place: EntityPlace) -> (type: String, id: String) {
        let definition = definition(ofTable: place.table)
        return (definition.name, definition.idType.text(of: entry(place).id))
    }

    private func keep(_ place: EntityPlace) throws(CodecError) {
        guard isRecorded, rows[place] == nil else { return }
        let presence = presence(of: place)
        rows[place] = RowImage(
            presence: presence, stamps: stamps(of: place),
            row: presence.hasRow ? try row(of: place) : [],
            lists: transaction.keptLists(of: Slot(place.slot), in: place.table))
        touched.append(place)
    }

    // MARK: Rows

    package func setRow(
        of place: EntityPlace, to row: UnsafeRawBufferPointer, ordinal: UInt64,
        version: PreviousVersion?
    ) throws(CodecError) {
        try keep(place)
        try set(place, row, .live, ordinal, [], version)
    }

    package func setTombstone(
        of place: EntityPlace, row: UnsafeRawBufferPointer, ordinal: UInt64,
        lists: [(relation: Int, entities: [EntityPlace])], version: PreviousVersion?
    ) throws(CodecError) {
        try keep(place)
        let relations = definition(ofTable: place.table).relations
        let kept = lists.map { list in
            (
                relation: relations[list.relation].number,
                slots: list.entities.map { Slot($0.slot) }
            )
        }
        try set(place, row, .tombstone, ordinal, kept, version)
    }

    private func set(
        _ place: EntityPlace, _ row: UnsafeRawBufferPointer, _ presence: EntityPresence,
        _ ordinal: UInt64, _ lists: [(relation: RelationNumber, slots: [Slot])],
        _ version: PreviousVersion?
    ) throws(CodecError) {
        do throws(EntityFault) {
            try transaction.setRow(
                of: place.table, Slot(place.slot), to: row, presence, Ordinal(ordinal),
                at: version ?? self.version)
        } catch {
            throw unreadable(place, error)
        }
        transaction.keepLists(lists, of: Slot(place.slot), in: place.table)
    }

    package func clear(_ place: EntityPlace, as absence: EntityAbsence) {
        do {
            try keep(place)
            switch absence {
            case .goes: try clear(place, at: version)
            case .gone(let version): try clear(place, at: version)
            case .toCome:
                try clear(place, at: version)
                transaction.withdraw(Slot(place.slot), in: place.table)
            }
        } catch {
            preconditionFailure("a row that was read a moment ago cannot be read: \(error)")
        }
    }

    private func clear(_ place: EntityPlace, at version: PreviousVersion) throws(EntityFault) {
        try transaction.clearRow(of: place.table, Slot(place.slot), at: version)
    }

    // MARK: Links

    package func relation(_ number: RelationNumber, ofTable table: Int) -> ReversalRelation? {
        definition(ofTable: table).position(of: number).map { relation(at: $0, ofTable: table) }
    }

    package func relationCount(ofTable table: Int) -> Int {
        definition(ofTable: table).relations.count
    }

    package func relation(at index: Int, ofTable table: Int) -> ReversalRelation {
        let relation = definition(ofTable: table).relations[index]
        let target = Int(relation.target.rawValue) - 1
        return ReversalRelation(
            index: index, number: relation.number, target: target, targetType: relation.target,
            isToMany: relation.isToMany,
            inverse: relation.inverse.flatMap { inverse in
                transaction.tablePosition(of: relation.target).flatMap {
                    definition(ofTable: $0).position(of: inverse)
                }
            })
    }

    package func relationName(_ index: Int, ofTable table: Int) -> String {
        definition(ofTable: table).relations[index].name
    }

    package func list(of relation: Int, at place: EntityPlace) -> SlotArray {
        SlotArray(targets(of: relation, at: place))
    }

    func targets(of relation: Int, at place: EntityPlace) -> [Slot] {
        transaction.targets(of: Slot(place.slot), relation: relation, in: place.table)
    }

    package func setList(_ list: SlotArray, of relation: Int, at place: EntityPlace) {
        let key = ListKey(place: place, relation: relation)
        if isRecorded, lists[key] == nil {
            lists[key] = targets(of: relation, at: place)
            touchedLists.append(key)
        }
        transaction.setLinks(
            of: Slot(place.slot), relation: relation, in: place.table,
            to: list.slots.map { Slot($0) })
    }

    package func hasUniqueIndexes(inTable table: Int) -> Bool { false }

    package func uniqueRival(of place: EntityPlace) -> (index: String, rival: EntityPlace)? { nil }
}
