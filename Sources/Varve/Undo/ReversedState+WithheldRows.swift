internal import VarveEvents
internal import VarveGraph

// Rows that the app's types cannot read: where the past is looked at they come and go like others, and a transaction
// leaves them alone.
extension ReversedState {
    func withheld(_ place: EntityPlace) -> WithheldRows.Row? {
        guard !definitions.schema.withheldRows.isEmpty else { return nil }
        return definitions.schema.withheldRows[place.table]?[place.slot]
    }

    /// Something else takes the place of a withheld row.
    func release(_ place: EntityPlace) {
        guard let row = withheld(place) else { return }
        guard withholdsRows else {
            refused = refused ?? row.value
            return
        }
        definitions.schema.withheldRows[place.table]?[place.slot] = nil
    }

    /// Keeps a row of the past that the app's type does not read; false where it is to be an error.
    func withhold(
        _ row: UnsafeRawBufferPointer, of place: EntityPlace, as presence: EntityPresence,
        ordinal: UInt64, lists: [(relation: Int, entities: [EntityPlace])],
        _ version: PreviousVersion?, _ error: CodecError
    ) -> Bool {
        guard withholdsRows, let version, error.isUnknownRawValue else { return false }
        let (type, id) = name(of: place)
        let relations = definition(ofTable: place.table).relations
        var kept: [(relation: RelationNumber, slots: [UInt32])] = []
        for list in lists {
            kept.append((relations[list.relation].number, list.entities.map(\.slot)))
        }
        clear(place, as: .toCome)
        definitions.schema.withheldRows[place.table, default: WithheldRows()][place.slot] =
            WithheldRows.Row(
                bytes: [UInt8](row), presence: presence,
                stamps: EntityStamps(
                    ordinal: ordinal, transaction: version.transaction.rawValue,
                    updatedAt: version.updatedAt.microseconds, saveOrder: version.saveOrder),
                lists: kept,
                value: UnreadableValue(type: type, id: id, error))
        return true
    }

    /// Why the past's row of a tombstone is to be withheld: before anything is changed for it.
    func problem(
        in row: UnsafeRawBufferPointer, of place: EntityPlace
    ) -> CodecError? {
        guard withholdsRows, definitions.schema.mayBeReformed(at: place.table) else { return nil }
        return table(place.table).descriptor.problem(inRow: row)
    }
}
