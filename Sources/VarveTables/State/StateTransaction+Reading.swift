package import VarveEvents

// Buffers and entries that are read are valid until the transaction changes something.
extension StateTransaction {
    /// The position of a type's table; nil for a type that is not defined.
    func tablePosition(of type: TypeNumber) -> Int? {
        let position = Int(type.rawValue) &- 1
        return tables.indices.contains(position) ? position : nil
    }

    /// The ordinal that the next new entity of a type gets.
    package func nextOrdinal(of type: TypeNumber) -> Ordinal {
        tablePosition(of: type).map { tables[$0].nextOrdinal } ?? Ordinal(1)
    }

    /// The slot of an id, if it was ever mentioned. O(1).
    package func slot(of type: TypeNumber, id: UnsafeRawBufferPointer) -> Slot? {
        guard let table = tablePosition(of: type) else { return nil }
        return tables[table].entry(of: id, in: transaction.pages)?.slot
    }

    /// The entry of a slot, vacant or not; nil where there is no such slot.
    package func entry(of type: TypeNumber, at slot: Slot) -> StoredRow? {
        guard let table = tablePosition(of: type), slot.index < tables[table].slotCount
        else { return nil }
        return entry(table, slot)
    }

    /// The lists that a tombstone keeps, without empty ones, ascending by relation.
    package func keptLists(
        of type: TypeNumber, at slot: Slot
    ) -> [(relation: RelationNumber, slots: [Slot])] {
        tablePosition(of: type).map { keptLists(of: slot, in: $0) } ?? []
    }

    // MARK: By table

    func entry(_ table: Int, _ slot: Slot) -> StoredRow {
        tables[table].rows.entry(slot, in: transaction.pages)
    }

    func keptLists(
        of slot: Slot, in table: Int
    ) -> [(relation: RelationNumber, slots: [Slot])] {
        tables[table].keptLists(of: slot, in: transaction.pages)
    }

    func targets(of slot: Slot, relation position: Int, in table: Int) -> [Slot] {
        tables[table].links[position].targets(of: slot, in: transaction.pages)
    }
}
