/// A state that transactions are reverted from, or whose entities are set one by one, without the app's types. It records
/// what was before, from which the events of the changes follow.
///
/// A conforming type stores rows and lists; what a definition says, the record and the events are here, once.
package protocol RecordedDraft: ReversalTarget where List == SlotArray {
    var record: DraftRecord { get set }
    /// What changes carry that shall not be of the past.
    var version: PreviousVersion { get }

    /// The position of a type's table, nil where the state has none.
    func tablePosition(of type: TypeNumber) -> Int?
    /// The newest layout of a type's rows.
    func layout(ofTable table: Int) -> RowLayout
    func idBytes(of place: EntityPlace) -> UnsafeRawBufferPointer
    /// As it is stored: of what the draft has set in the newest layout.
    func rowBytes(of place: EntityPlace) -> UnsafeRawBufferPointer
    /// The lists that a tombstone keeps.
    func keptLists(of place: EntityPlace) -> DraftRecord.KeptLists

    func replaceRow(
        of place: EntityPlace, with row: UnsafeRawBufferPointer, isLive: Bool, ordinal: Ordinal,
        lists: DraftRecord.KeptLists, at version: PreviousVersion
    ) throws(EntityFault)
    func replaceList(_ slots: [UInt32], of relation: Int, at place: EntityPlace)
    /// Removes row and tombstone.
    func clearRow(of place: EntityPlace, at version: PreviousVersion) throws(EntityFault)
    /// Lets a cleared entity be one that never was.
    func withdraw(_ place: EntityPlace)
}

/// What entities and lists were before a draft changed them.
package struct DraftRecord {
    package typealias KeptLists = [(relation: RelationNumber, slots: [UInt32])]

    /// What an entity was before.
    struct RowImage {
        let presence: EntityPresence
        let stamps: EntityStamps
        let row: [UInt8]
        let lists: KeptLists
    }

    struct ListKey: Hashable {
        let place: EntityPlace
        let relation: Int
    }

    /// Whether events are made of the draft.
    private let isKept: Bool
    private(set) var rows: [EntityPlace: RowImage] = [:]
    /// In the order in which they were first touched.
    private(set) var touched: [EntityPlace] = []
    private(set) var lists: [ListKey: [UInt32]] = [:]
    private(set) var touchedLists: [ListKey] = []

    /// - Parameter isKept: false for a draft that becomes a state of the past, and of which no events are made.
    package init(isKept: Bool) { self.isKept = isKept }

    /// The entities whose row or links were changed.
    package var changedPlaces: Set<EntityPlace> {
        Set(touched).union(touchedLists.map(\.place))
    }

    func lacks(_ place: EntityPlace) -> Bool { isKept && rows[place] == nil }

    func lacks(_ key: ListKey) -> Bool { isKept && lists[key] == nil }

    mutating func keep(_ image: RowImage, of place: EntityPlace) {
        rows[place] = image
        touched.append(place)
    }

    mutating func keep(_ slots: [UInt32], of key: ListKey) {
        lists[key] = slots
        touchedLists.append(key)
    }
}

// MARK: - Entities

extension RecordedDraft {
    package func knownFieldCount(ofTable table: Int) -> Int { layout(ofTable: table).fieldCount }

    package func numbersIDs(ofTable table: Int) -> Bool { definition(ofTable: table).numbersIDs }

    package func definition(ofTable table: Int) -> TypeDefinition {
        layout(ofTable: table).definition
    }

    package func encoded(_ place: EntityPlace) -> EncodedEntity {
        EncodedEntity(
            type: definition(ofTable: place.table).number, id: [UInt8](idBytes(of: place)))
    }

    package func name(of place: EntityPlace) -> (type: String, id: String) {
        let definition = definition(ofTable: place.table)
        return (definition.name, definition.idType.text(of: idBytes(of: place)))
    }

    /// The row in the newest layout.
    private func row(of place: EntityPlace) throws(CodecError) -> [UInt8] {
        var writer = ByteWriter()
        try writeRow(of: place, into: &writer)
        return writer.copyBytes()
    }

    private func keep(_ place: EntityPlace) throws(CodecError) {
        guard record.lacks(place) else { return }
        let presence = presence(of: place)
        record.keep(
            DraftRecord.RowImage(
                presence: presence, stamps: stamps(of: place),
                row: presence.hasRow ? try row(of: place) : [], lists: keptLists(of: place)),
            of: place)
    }

    package func setRow(
        of place: EntityPlace, to row: UnsafeRawBufferPointer, ordinal: UInt64,
        version: PreviousVersion?
    ) throws(CodecError) {
        try set(place, row, isLive: true, ordinal, [], version)
    }

    package func setTombstone(
        of place: EntityPlace, row: UnsafeRawBufferPointer, ordinal: UInt64,
        lists: [(relation: Int, entities: [EntityPlace])], version: PreviousVersion?
    ) throws(CodecError) {
        let relations = definition(ofTable: place.table).relations
        let kept = lists.map { list in
            (relation: relations[list.relation].number, slots: list.entities.map(\.slot))
        }
        try set(place, row, isLive: false, ordinal, kept, version)
    }

    private func set(
        _ place: EntityPlace, _ row: UnsafeRawBufferPointer, isLive: Bool, _ ordinal: UInt64,
        _ lists: DraftRecord.KeptLists, _ version: PreviousVersion?
    ) throws(CodecError) {
        try keep(place)
        do throws(EntityFault) {
            try replaceRow(
                of: place, with: row, isLive: isLive, ordinal: Ordinal(ordinal), lists: lists,
                at: version ?? self.version)
        } catch {
            throw unreadable(place, error)
        }
    }

    package func unreadable(_ place: EntityPlace, _ fault: EntityFault) -> CodecError {
        .invalidValue(offset: 0, typeName: "row of \(name(of: place).type): \(fault)")
    }

    package func clear(_ place: EntityPlace, as absence: EntityAbsence) throws(CodecError) {
        try keep(place)
        do throws(EntityFault) {
            switch absence {
            case .goes: try clearRow(of: place, at: version)
            case .gone(let version): try clearRow(of: place, at: version)
            case .toCome:
                try clearRow(of: place, at: version)
                withdraw(place)
            }
        } catch {
            throw unreadable(place, error)
        }
    }

    package func hasUniqueIndexes(inTable table: Int) -> Bool { false }

    package func uniqueRival(of place: EntityPlace) -> (index: String, rival: EntityPlace)? { nil }
}

// MARK: - Links

extension RecordedDraft {
    package func relation(_ number: RelationNumber, ofTable table: Int) -> ReversalRelation? {
        definition(ofTable: table).position(of: number).map { relation(at: $0, ofTable: table) }
    }

    package func relationCount(ofTable table: Int) -> Int {
        definition(ofTable: table).relations.count
    }

    package func relation(at index: Int, ofTable table: Int) -> ReversalRelation {
        let relation = definition(ofTable: table).relations[index]
        return ReversalRelation(
            index: index, number: relation.number, target: Int(relation.target.rawValue) - 1,
            targetType: relation.target, isToMany: relation.isToMany,
            inverse: relation.inverse.flatMap { inverse in
                tablePosition(of: relation.target).flatMap {
                    definition(ofTable: $0).position(of: inverse)
                }
            })
    }

    package func relationName(_ index: Int, ofTable table: Int) -> String {
        definition(ofTable: table).relations[index].name
    }

    package func setList(_ list: SlotArray, of relation: Int, at place: EntityPlace) {
        let key = DraftRecord.ListKey(place: place, relation: relation)
        if record.lacks(key) { record.keep(self.list(of: relation, at: place).slots, of: key) }
        replaceList(list.slots, of: relation, at: place)
    }
}
