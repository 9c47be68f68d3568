import VarveEvents

extension StateTransaction {
    func insert(
        _ event: InsertEvent, into type: Int, _ slot: Slot, at version: PreviousVersion
    ) throws(EntityFault) {
        let entry = entry(type, slot)
        guard entry.presence != .live else { throw .alreadyExists }
        try Self.check(event.previous, is: entry.version)
        try Self.check(event.row, tables[type].layout)
        if entry.presence == .tombstone { keepLists([], of: slot, in: type) }
        try setRow(of: type, slot, to: event.row, .live, event.ordinal, at: version)
    }

    func update(
        _ event: UpdateEvent, in type: Int, _ slot: Slot, at version: PreviousVersion
    ) throws(EntityFault) {
        let entry = entry(type, slot)
        guard entry.presence == .live else { throw .doesNotExist }
        let ordinal = Ordinal(entry.stamps.ordinal)
        let layout = tables[type].layout
        row.removeAll()
        try withRow(of: entry, in: type) { old throws(EntityFault) in
            try Self.check(event.previous, is: entry.version)
            try RowMerger(layout: layout, row: old).merge(event.changes, into: &row)
        }
        try row.withBytes { new throws(EntityFault) in
            try setRow(of: type, slot, to: new, .live, ordinal, at: version)
        }
    }

    func delete(_ event: DeleteEvent, of logged: TransactionView) throws(ReplayError) {
        let type = try table(of: logged.entities[Int(event.entity.rawValue)], in: logged.id)
        var lists: [(relation: RelationNumber, slots: [Slot])] = []
        for (number, entities) in event.lists {
            guard let relation = tables[type].layout.relation(number) else {
                throw fault(.unknownRelation(number), event.entity, in: type, of: logged)
            }
            var slots: [Slot] = []
            for entity in entities {
                slots.append(
                    try target(entity, of: relation, held: event.entity, by: type, of: logged))
            }
            lists.append((number, slots))
        }
        try at(event.entity, of: logged) { type, slot throws(EntityFault) in
            try delete(event, from: type, slot, lists, at: Self.version(of: logged))
        }
    }

    private func delete(
        _ event: DeleteEvent, from type: Int, _ slot: Slot,
        _ lists: [(relation: RelationNumber, slots: [Slot])], at version: PreviousVersion
    ) throws(EntityFault) {
        let entry = entry(type, slot)
        let isLive = entry.presence == .live
        guard !(isLive && event.isRowless) else { throw .alreadyExists }
        guard isLive || event.isRowless else { throw .doesNotExist }
        let layout = tables[type].layout
        if isLive {
            try withRow(of: entry, in: type) { row throws(EntityFault) in
                try Self.check(event.previous, is: entry.version)
                try Self.check(event.row, layout)
                guard entry.stamps.ordinal == event.ordinal.rawValue else {
                    throw .ordinalDiffers(
                        found: event.ordinal, expected: Ordinal(entry.stamps.ordinal))
                }
                guard row.hasSameBytes(as: event.row) else { throw .rowDiffers }
            }
        } else {
            try Self.check(event.previous, is: entry.version)
            try Self.check(event.row, layout)
        }
        guard event.keepsTombstone else { return try clearRow(of: type, slot, at: version) }
        try setRow(of: type, slot, to: event.row, .tombstone, event.ordinal, at: version)
        keepLists(lists, of: slot, in: type)
    }

    /// Gives a slot a row in the newest layout: of a live entity, or of a tombstone.
    func setRow(
        of type: Int, _ slot: Slot, to row: UnsafeRawBufferPointer, _ presence: EntityPresence,
        _ ordinal: Ordinal, at version: PreviousVersion
    ) throws(EntityFault) {
        try changeIndexes(of: type, slot, to: presence == .live ? row : nil)
        setRows?.note(slot, in: type)
        try tables[type].setRow(
            slot, to: row, presence, ordinal, at: version, in: transaction)
    }

    /// Takes the row of a slot, and what its tombstone keeps: the entity goes for good.
    func clearRow(
        of type: Int, _ slot: Slot, at version: PreviousVersion
    ) throws(EntityFault) {
        try changeIndexes(of: type, slot, to: nil)
        tables[type].clearRow(slot, at: version, in: transaction)
    }

    /// Forgets that there ever was an entity at a slot without a row.
    func withdraw(_ slot: Slot, in type: Int) { tables[type].withdraw(slot, in: transaction) }

    /// Says where the last change of an entity, or of a tombstone, was among the saves of its transaction.
    func setSaveOrder(of slot: Slot, to order: UInt32, in type: Int) {
        tables[type].setSaveOrder(slot, to: order, in: transaction)
    }

    /// Sets the lists that the tombstone at a slot keeps, each of another relation.
    func keepLists(
        _ lists: [(relation: RelationNumber, slots: [Slot])], of slot: Slot, in type: Int
    ) {
        tables[type].keepLists(lists, of: slot, in: transaction)
    }

    /// Takes in what the row of an entity is about to become: nil where it will not be live.
    private func changeIndexes(
        of type: Int, _ slot: Slot, to new: UnsafeRawBufferPointer?
    ) throws(EntityFault) {
        if tables[type].indexes.isEmpty { return }
        let entry = entry(type, slot)
        guard entry.presence == .live else {
            return try changeIndexes(of: type, slot, from: nil, to: new)
        }
        try withRow(of: entry, in: type) { old throws(EntityFault) in
            try changeIndexes(of: type, slot, from: old, to: new)
        }
    }

    private func changeIndexes(
        of type: Int, _ slot: Slot, from old: UnsafeRawBufferPointer?,
        to new: UnsafeRawBufferPointer?
    ) throws(EntityFault) {
        do throws(CodecError) {
            try tables[type].changeIndexes(slot, from: old, to: new, in: transaction)
        } catch {
            throw .malformedRow(error)
        }
    }

    /// Calls `body` with the row of an entry in the newest layout of its type.
    func withRow(
        of entry: StoredRow, in type: Int,
        _ body: (UnsafeRawBufferPointer) throws(EntityFault) -> Void
    ) throws(EntityFault) {
        guard entry.revision != tables[type].currentRevision else { return try body(entry.row) }
        conversion.removeAll()
        do throws(CodecError) {
            try conversionToNewest(from: entry.revision, in: type)
                .convert(entry.row, into: &conversion)
        } catch {
            throw .malformedRow(error)
        }
        try conversion.withBytes { row throws(EntityFault) in try body(row) }
    }

    private func conversionToNewest(
        from revision: UInt32, in type: Int
    ) throws(CodecError) -> RowConversion {
        let table = tables[type]
        guard table.layouts.indices.contains(Int(revision)) else {
            throw .valueOutOfRange(offset: 0, typeName: "revision")
        }
        let key = RowRevision(type: table.definition.number, revision: revision)
        if let known = conversions[key] { return known }
        do throws(CatalogError) {
            let conversion = try RowConversion(
                from: table.layouts[Int(revision)], to: table.definition)
            conversions[key] = conversion
            return conversion
        } catch {
            throw .notRoundTrippable(property: "\(error)")
        }
    }

    private static func check(
        _ found: PreviousVersion?, is expected: PreviousVersion?
    ) throws(EntityFault) {
        guard found == expected else {
            throw .previousVersion(found: found, expected: expected)
        }
    }

    private static func check(
        _ row: UnsafeRawBufferPointer, _ layout: RowLayout
    ) throws(EntityFault) {
        do throws(CodecError) {
            try layout.check(row)
        } catch {
            throw .malformedRow(error)
        }
    }
}
