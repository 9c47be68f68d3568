/// A replayed state that transactions are reverted from, and the changes that this makes.
///
/// Without the app's types nobody knows its unique indexes: they are not looked at. The state is
/// changed in place, and of no use to others afterwards.
package final class ReplayedDraft: RecordedDraft {
    let state: ReplayState
    package let version: PreviousVersion
    package var record: DraftRecord

    /// - Parameters:
    ///   - state: not used by others any more.
    ///   - running: the transaction that changes are to be of.
    package init(_ state: ReplayState, running: TransactionID, time: Timestamp) {
        self.state = state
        version = PreviousVersion(transaction: running, updatedAt: time)
        record = DraftRecord(isKept: true)
    }

    /// A draft that becomes a state of the past, and of which no events are made.
    ///
    /// - Parameter state: not used by others any more.
    package init(lookingBackFrom state: ReplayState) {
        self.state = state
        version = PreviousVersion(transaction: 0, updatedAt: Timestamp(microseconds: 0))
        record = DraftRecord(isKept: false)
    }

    private func table(_ index: Int) -> ReplayTable {
        guard let table = state.tables[index] else {
            preconditionFailure("a table whose rows were handed over")
        }
        return table
    }

    private func stored(_ place: EntityPlace) -> ReplayTable.Record {
        table(place.table).records[Int(place.slot)]
    }

    /// What the log of the state has defined.
    package var catalog: Catalog { state.catalog }

    // MARK: Entities

    /// How many ids of a type were ever mentioned.
    package func slotCount(ofTable table: Int) -> Int { self.table(table).slotCount }

    package func tablePosition(of type: TypeNumber) -> Int? {
        let index = Int(type.rawValue) - 1
        return state.tables.indices.contains(index) && state.tables[index] != nil ? index : nil
    }

    package func layout(ofTable table: Int) -> RowLayout { self.table(table).layout }

    package func place(
        of type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) throws(CodecError) -> EntityPlace? {
        guard let index = tablePosition(of: type) else { return nil }
        let table = table(index)
        do throws(EntityFault) {
            let slot = try table.intern(id, hash: KeyedHash.hash(id))
            return EntityPlace(table: index, slot: slot)
        } catch {
            throw .invalidValue(offset: 0, typeName: "id of \(table.definition.name)")
        }
    }

    package func presence(of place: EntityPlace) -> EntityPresence {
        let record = stored(place)
        return switch record.liveness {
        case .live: .live
        case .tombstone: .tombstone
        case .vacant: record.transaction == 0 ? .vacant : .gone
        }
    }

    package func stamps(of place: EntityPlace) -> EntityStamps {
        let record = stored(place)
        return EntityStamps(
            ordinal: record.ordinal, transaction: record.transaction,
            updatedAt: record.updatedAt, saveOrder: record.saveOrder)
    }

    package func idBytes(of place: EntityPlace) -> UnsafeRawBufferPointer { stored(place).idBytes }

    // MARK: Rows

    package func rowBytes(of place: EntityPlace) -> UnsafeRawBufferPointer {
        stored(place).rowBytes
    }

    /// Brings the row to the newest layout, which changes nothing else.
    package func writeRow(
        of place: EntityPlace, into writer: inout ByteWriter
    ) throws(CodecError) {
        do throws(EntityFault) {
            try table(place.table).modernise(place.slot)
        } catch {
            throw unreadable(place, error)
        }
        writer.write(rowBytes(of: place))
    }

    package func replaceRow(
        of place: EntityPlace, with row: UnsafeRawBufferPointer, isLive: Bool, ordinal: Ordinal,
        lists: DraftRecord.KeptLists, at version: PreviousVersion
    ) throws(EntityFault) {
        let table = table(place.table)
        try table.setRow(
            place.slot, to: row, liveness: isLive ? .live : .tombstone, ordinal: ordinal,
            at: version)
        table.setDeletedLists(place.slot, to: lists)
    }

    package func clearRow(of place: EntityPlace, at version: PreviousVersion) {
        table(place.table).clearRow(place.slot, at: version)
    }

    package func withdraw(_ place: EntityPlace) { table(place.table).withdraw(place.slot) }

    // MARK: Links

    package func keptLists(of place: EntityPlace) -> DraftRecord.KeptLists {
        table(place.table).deletedLists[place.slot] ?? []
    }

    package func list(of relation: Int, at place: EntityPlace) -> SlotArray {
        SlotArray(slots: table(place.table).links[relation].list(of: place.slot))
    }

    package func replaceList(_ slots: [UInt32], of relation: Int, at place: EntityPlace) {
        table(place.table).modifyLinks(relation) { $0.replace(slots, of: place.slot) }
    }
}
