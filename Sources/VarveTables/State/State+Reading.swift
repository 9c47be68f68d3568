package import VarveEvents

// Buffers and entries that are read from a state are valid as long as it is kept.
extension State {
    /// The slot of an id, if it was ever mentioned. O(1).
    package func slot(of type: TypeNumber, id: UnsafeRawBufferPointer) -> Slot? {
        entry(of: type, id: id)?.slot
    }

    /// The entry of an id, vacant or not, if it was ever mentioned. O(1).
    package func entry(of type: TypeNumber, id: UnsafeRawBufferPointer) -> StoredRow? {
        guard let table = tablePosition(of: type) else { return nil }
        return tables[table].entry(of: id, hash: KeyedHash.hash(id), in: pages)
    }

    /// The entry of a slot, vacant or not; nil where there is no such slot.
    package func entry(of type: TypeNumber, at slot: Slot) -> StoredRow? {
        guard let table = tablePosition(of: type), slot.index < tables[table].slotCount
        else { return nil }
        return tables[table].rows.entry(slot, in: pages)
    }

    /// Passes over the entries of a type, vacant ones too, in order of slots.
    package func entries(of type: TypeNumber, from first: Slot = Slot(0)) -> RowCursor? {
        table(type)?.rows.cursor(from: first, in: pages)
    }

    /// A reader of a type's rows in the layout of `target`, which is the type's newest definition
    /// if nil.
    package func reader(of type: TypeNumber, as target: TypeDefinition? = nil) -> RowReader? {
        table(type).map { RowReader(layouts: $0.layouts, target ?? $0.definition) }
    }

    package func counts(of type: TypeNumber) -> TypeCounts {
        guard let table = table(type) else {
            return TypeCounts(live: 0, tombstones: 0, slots: 0)
        }
        return TypeCounts(
            live: table.liveCount, tombstones: table.tombstoneCount, slots: table.slotCount)
    }

    /// Slots of the live entities of a type in their default order. O(n log n).
    package func slotsInOrder(of type: TypeNumber) -> [Slot] {
        guard var cursor = entries(of: type) else { return [] }
        var places: [(ordinal: UInt64, slot: Slot)] = []
        while let entry = cursor.nextEntry() {
            if entry.presence == .live { places.append((entry.stamps.ordinal, entry.slot)) }
        }
        return places.sorted { $0.ordinal < $1.ordinal }.map(\.slot)
    }

    // MARK: Links

    /// The targets of a slot in their order, of a relation by its position in the newest definition.
    package func targets(of type: TypeNumber, at slot: Slot, relation position: Int) -> [Slot] {
        guard let table = tablePosition(of: type) else { return [] }
        return tables[table].links[position].targets(of: slot, in: pages)
    }

    package func targetCount(of type: TypeNumber, at slot: Slot, relation position: Int) -> Int {
        guard let table = tablePosition(of: type) else { return 0 }
        return tables[table].links[position].count(of: slot, in: pages)
    }

    /// Calls `body` with each list of a relation that is not empty, in order of holders, until it
    /// returns false.
    package func forEachList(
        of type: TypeNumber, relation position: Int, from first: Slot = Slot(0),
        while body: (Slot, [Slot]) -> Bool
    ) {
        table(type)?.links[position].forEachList(from: first, in: pages, while: body)
    }

    /// The lists that a tombstone keeps, without empty ones, ascending by relation.
    package func keptLists(
        of type: TypeNumber, at slot: Slot
    ) -> [(relation: RelationNumber, slots: [Slot])] {
        guard let table = table(type) else { return [] }
        return table.keptLists.compactMap { kept in
            let slots = kept.lists.targets(of: slot, in: pages)
            return slots.isEmpty ? nil : (kept.relation, slots)
        }.sorted { $0.relation < $1.relation }
    }

    /// Calls `body` with each list that a tombstone of the type keeps.
    func forEachKeptList(
        of type: TypeNumber, _ body: (RelationNumber, Slot, [Slot]) -> Void
    ) {
        guard let table = table(type) else { return }
        for kept in table.keptLists {
            kept.lists.forEachList(in: pages) { holder, slots in
                body(kept.relation, holder, slots)
                return true
            }
        }
    }
}
