package import VarveEvents

/// The changes of an open transaction that revert others, or set entities one by one.
///
/// Without the app's types its unique indexes are not known: they are not looked at. The caller publishes the
/// transaction, or rolls it back when it has the events of the changes.
package final class StateDraft: RecordedDraft {
    private let transaction: StateTransaction
    package let version: PreviousVersion
    package var record: DraftRecord

    /// - Parameter running: the transaction that changes are to be of.
    package init(_ transaction: StateTransaction, running: TransactionID, time: Timestamp) {
        self.transaction = transaction
        version = PreviousVersion(transaction: running, updatedAt: time)
        record = DraftRecord(isKept: true)
    }

    /// A draft that becomes a state of the past, and of which no events are made.
    package init(lookingBackIn transaction: StateTransaction) {
        self.transaction = transaction
        version = PreviousVersion(transaction: 0, updatedAt: Timestamp(microseconds: 0))
        record = DraftRecord(isKept: false)
    }

    /// What the log has defined.
    package var catalog: Catalog { transaction.catalog }

    /// How many ids of a type were ever mentioned.
    package func slotCount(ofTable table: Int) -> Int { transaction.tables[table].slotCount }

    /// The ordinal that the next new entity of a table gets.
    package func nextOrdinal(ofTable table: Int) -> UInt64 {
        transaction.tables[table].nextOrdinal.rawValue
    }

    private func entry(_ place: EntityPlace) -> StoredRow {
        transaction.entry(place.table, Slot(place.slot))
    }

    // MARK: Entities

    package func tablePosition(of type: TypeNumber) -> Int? { transaction.tablePosition(of: type) }

    package func layout(ofTable table: Int) -> RowLayout { transaction.tables[table].layout }

    package func place(
        of type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) throws(CodecError) -> EntityPlace? {
        guard let table = tablePosition(of: type) else { return nil }
        do throws(EntityFault) {
            return EntityPlace(table: table, slot: try transaction.slot(of: id, in: table).rawValue)
        } catch {
            throw .invalidValue(offset: 0, typeName: "id of \(definition(ofTable: table).name)")
        }
    }

    package func presence(of place: EntityPlace) -> EntityPresence { entry(place).presence }

    package func stamps(of place: EntityPlace) -> EntityStamps { entry(place).stamps }

    package func idBytes(of place: EntityPlace) -> UnsafeRawBufferPointer { entry(place).id }

    // MARK: Rows

    package func rowBytes(of place: EntityPlace) -> UnsafeRawBufferPointer { entry(place).row }

    package func writeRow(
        of place: EntityPlace, into writer: inout ByteWriter
    ) throws(CodecError) {
        do throws(EntityFault) {
            try transaction.withRow(of: entry(place), in: place.table) { writer.write($0) }
        } catch {
            throw unreadable(place, error)
        }
    }

    package func replaceRow(
        of place: EntityPlace, with row: UnsafeRawBufferPointer, isLive: Bool, ordinal: Ordinal,
        lists: DraftRecord.KeptLists, at version: PreviousVersion
    ) throws(EntityFault) {
        try transaction.setRow(
            of: place.table, Slot(place.slot), to: row, isLive ? .live : .tombstone, ordinal,
            at: version)
        transaction.keepLists(
            lists.map { ($0.relation, $0.slots.map { Slot($0) }) }, of: Slot(place.slot),
            in: place.table)
    }

    package func clearRow(
        of place: EntityPlace, at version: PreviousVersion
    ) throws(EntityFault) {
        try transaction.clearRow(of: place.table, Slot(place.slot), at: version)
    }

    package func withdraw(_ place: EntityPlace) {
        transaction.withdraw(Slot(place.slot), in: place.table)
    }

    // MARK: Links

    package func keptLists(of place: EntityPlace) -> DraftRecord.KeptLists {
        transaction.keptLists(of: Slot(place.slot), in: place.table).map {
            ($0.relation, $0.slots.map(\.rawValue))
        }
    }

    package func list(of relation: Int, at place: EntityPlace) -> SlotArray {
        SlotArray(
            slots: transaction.targets(
                of: Slot(place.slot), relation: relation, in: place.table
            ).map(\.rawValue))
    }

    package func replaceList(_ slots: [UInt32], of relation: Int, at place: EntityPlace) {
        transaction.setLinks(
            of: Slot(place.slot), relation: relation, in: place.table, to: slots.map { Slot($0) })
    }
}
