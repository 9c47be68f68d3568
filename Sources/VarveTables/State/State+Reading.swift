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
        return tables[table].entry(of: id, in: pages)
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

    package func counts(of type: TypeNumber) -> TypeCounts {
        guard let table = table(type) else {
            return TypeCounts(live: 0, tombstones: 0, slots: 0)
        }
        return TypeCounts(
            live: table.liveCount, tombstones: table.tombstoneCount, slots: table.slotCount)
    }

    /// Whether rows of a type are known to come in insertion order if they are read by their slots.
    package func isInSlotOrder(_ type: TypeNumber) -> Bool {
        table(type).map { $0.slotOrder != .unknown } ?? true
    }

    /// How many slots all types have.
    package var slotCount: Int { tables.reduce(0) { $0 + $1.slotCount } }

    /// The ordinal that the next new entity of a type gets.
    package func nextOrdinal(of type: TypeNumber) -> Ordinal {
        table(type)?.nextOrdinal ?? Ordinal(1)
    }

    /// The greatest id that was ever mentioned, of a type whose ids the store gives; 0 of other types.
    ///
    /// - Parameter definition: as the app has it. It may be the first that makes the store give ids: all ids are read
    ///   then.
    package func lastNumber(of definition: TypeDefinition) -> UInt64 {
        guard let table = table(definition.number) else { return 0 }
        return definition.numbersIDs && !table.numbersIDs
            ? table.greatestNumber(in: pages) : table.lastNumber
    }

    /// Slots of the live entities of a type in their default order. O(n) where they were inserted in that
    /// order, as most are, else O(n log n).
    package func slotsInOrder(of type: TypeNumber) -> [Slot] { slotsInOrder(of: type, .live) }

    /// Slots of the tombstones of a type, in the order that their entities had.
    package func tombstonesInOrder(of type: TypeNumber) -> [Slot] {
        slotsInOrder(of: type, .tombstone)
    }

    private func slotsInOrder(of type: TypeNumber, _ presence: EntityPresence) -> [Slot] {
        guard var cursor = entries(of: type) else { return [] }
        var places: [(ordinal: UInt64, slot: Slot)] = []
        var (last, isInOrder): (UInt64, Bool) = (0, true)
        while let entry = cursor.nextEntry() {
            guard entry.presence == presence else { continue }
            let ordinal = entry.stamps.ordinal
            isInOrder = isInOrder && ordinal >= last
            last = ordinal
            places.append((ordinal, entry.slot))
        }
        if !isInOrder { places.sort { $0.ordinal < $1.ordinal } }
        return places.map(\.slot)
    }

    // MARK: Links

    /// The targets of a slot in their order, of a relation by its position in the newest definition.
    package func targets(of type: TypeNumber, at slot: Slot, relation position: Int) -> [Slot] {
        guard let table = tablePosition(of: type) else { return [] }
        return tables[table].links[position].targets(of: slot, in: pages)
    }

    /// The targets of a slot in their order; none where the type has no such relation any more.
    package func targets(
        of type: TypeNumber, at slot: Slot, relation: RelationNumber
    ) -> [Slot] {
        guard let table = tablePosition(of: type),
            let place = tables[table].layout.relation(relation)
        else { return [] }
        return tables[table].links[place.position].targets(of: slot, in: pages)
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

    /// Calls `body` with each list of a relation that is not empty, in order of holders, until it
    /// returns false. There is none where the type has no such relation any more.
    package func forEachList(
        of type: TypeNumber, relation: RelationNumber, while body: (Slot, [Slot]) -> Bool
    ) {
        guard let place = table(type)?.layout.relation(relation) else { return }
        forEachList(of: type, relation: place.position, while: body)
    }

    /// Calls `body` with each list of a relation that is not empty, as numbers, of a range of holders, in their order,
    /// until it returns false. The buffers are valid during the calls only. There is none where the type has no such
    /// relation any more.
    package func forEachTargets(
        of type: TypeNumber, relation: RelationNumber, in holders: Range<UInt32> = 0..<UInt32.max,
        while body: (UInt32, UnsafeBufferPointer<UInt32>) -> Bool
    ) {
        guard let table = tablePosition(of: type),
            let place = tables[table].layout.relation(relation)
        else { return }
        tables[table].links[place.position].forEachTargets(of: holders, in: pages, while: body)
    }

    /// How many links there are of a relation. O(n).
    package func linkCount(of type: TypeNumber, relation position: Int) -> Int {
        var count = 0
        table(type)?.links[position].forEachTargets(in: pages) { _, slots in
            count += slots.count
            return true
        }
        return count
    }

    /// How many links there are of a relation; 0 where the type has none such any more. O(n).
    package func linkCount(of type: TypeNumber, relation: RelationNumber) -> Int {
        guard let place = table(type)?.layout.relation(relation) else { return 0 }
        return linkCount(of: type, relation: place.position)
    }

    /// The lists that a tombstone keeps, without empty ones, ascending by relation.
    package func keptLists(
        of type: TypeNumber, at slot: Slot
    ) -> [(relation: RelationNumber, slots: [Slot])] {
        guard let table = tablePosition(of: type) else { return [] }
        return tables[table].keptLists(of: slot, in: pages)
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
