extension ReplayState {
    /// In place of a slot.
    static let unresolved = UInt32.max

    /// Applies the transaction that comes next.
    package func apply(_ transaction: TransactionView) throws(ReplayError) {
        try begin(transaction)
        try applyEvents(of: transaction)
    }

    /// Applies the transaction that comes next, whose entities were given their slots before.
    package func apply(
        _ transaction: TransactionView, _ resolved: borrowing ResolvedSlots,
        _ share: ResolvedSlots.Share
    ) throws(ReplayError) {
        try checkOrder(transaction)
        adopt(resolved, share)
        try applyEvents(of: transaction)
    }

    private func applyEvents(of transaction: TransactionView) throws(ReplayError) {
        touchLinks(of: transaction)
        var hasDefinitions = false
        var events = transaction.events
        while let event = try Self.next(&events, in: transaction.id) {
            if case .define = event { hasDefinitions = true }
            try apply(event, of: transaction)
        }
        if hasDefinitions {
            try checkReferences(transaction.id)
            try noteNumbers(of: transaction)
        }
        end(transaction)
    }

    /// Before the first event of a transaction is applied.
    func begin(_ transaction: TransactionView) throws(ReplayError) {
        try checkOrder(transaction)
        lookUpEntities(of: transaction)
    }

    private func checkOrder(_ transaction: TransactionView) throws(ReplayError) {
        guard transaction.id == nextTransaction, transaction.id.rawValue < UInt64.max else {
            throw .outOfOrder(found: transaction.id, expected: nextTransaction)
        }
    }

    /// After the last event of a transaction was applied.
    func end(_ transaction: TransactionView) {
        lastTransaction = transaction.id
        lastTime = transaction.header.time
        timeline.note(transaction.header)
    }

    private static func next(
        _ events: inout EventIterator, in id: TransactionID
    ) throws(ReplayError) -> TransactionEvent? {
        do throws(EventError) {
            return try events.next()
        } catch {
            throw .event(id, error)
        }
    }

    /// Applies one event. An event that does not fit changes nothing.
    func apply(
        _ event: TransactionEvent, of transaction: TransactionView
    ) throws(ReplayError) {
        switch event {
        case .define(let event): try define(event, in: transaction.id)
        case .insert(let event):
            try at(event.entity, of: transaction) { table, slot throws(EntityFault) in
                try insert(event, into: table, slot, of: transaction)
            }
        case .update(let event):
            try at(event.entity, of: transaction) { table, slot throws(EntityFault) in
                try update(event, in: table, slot, of: transaction)
            }
        case .delete(let event): try delete(event, of: transaction)
        case .link(let event): try link(event, of: transaction)
        case .purge(let event):
            try purge(event, of: transaction)
        case .former: break
        case .withdraw(let event):
            try at(event.entity, of: transaction) { table, slot throws(EntityFault) in
                guard table.records[Int(slot)].liveness == .vacant else { throw .alreadyExists }
                table.withdraw(slot)
            }
        case .depart(let event):
            try at(event.entity, of: transaction) { table, slot throws(EntityFault) in
                guard table.records[Int(slot)].liveness == .vacant else { throw .alreadyExists }
                table.clearRow(slot, at: version(of: transaction))
            }
        case .saveOrder(let event):
            // All of them are looked at before the first is set.
            for isLook in [true, false] {
                for order in event.orders where order.now > 0 {
                    try at(order.entity, of: transaction) { table, slot throws(EntityFault) in
                        guard !isLook || table.isSaved(slot, in: transaction.id) else {
                            throw .doesNotExist
                        }
                        if !isLook { table.setSaveOrder(slot, to: order.now) }
                    }
                }
            }
        case .unknown: unknownEventCount += 1
        }
    }

    /// All of them are looked at before the first goes.
    private func purge(
        _ event: PurgeEvent, of transaction: TransactionView
    ) throws(ReplayError) {
        var seen: Set<EntityIndex> = []
        for entity in event.entities {
            try at(entity, of: transaction) { table, slot throws(EntityFault) in
                guard table.records[Int(slot)].liveness == .tombstone, seen.insert(entity).inserted
                else { throw .hasNoTombstone }
            }
        }
        for entity in event.entities {
            try at(entity, of: transaction) { table, slot throws(EntityFault) in
                table.clearRow(slot, at: version(of: transaction))
            }
        }
    }

    // MARK: Definitions

    private func define(_ event: DefineEvent, in id: TransactionID) throws(ReplayError) {
        let definition: TypeDefinition
        do throws(EventError) {
            definition = try event.definition()
        } catch {
            throw .event(id, error)
        }
        do throws(CatalogError) {
            try define(definition, in: id)
        } catch {
            throw .definition(id, error)
        }
    }

    private func define(
        _ definition: TypeDefinition, in id: TransactionID
    ) throws(CatalogError) {
        if try catalog.define(definition, in: id) { revise(definition) }
    }

    /// Gives a type that the catalog has taken in its table, or its table the new layout.
    func revise(_ definition: TypeDefinition) {
        let index = Int(definition.number.rawValue) - 1
        if index == tables.count {
            tables.append(ReplayTable(definition))
        } else {
            tables[index]?.revise(definition)
        }
    }

    func checkReferences(_ id: TransactionID) throws(ReplayError) {
        do throws(CatalogError) {
            try catalog.checkReferences()
        } catch {
            throw .definition(id, error)
        }
    }

    /// Of types that the transaction defines: ids that no event names were not looked up.
    private func noteNumbers(of transaction: TransactionView) throws(ReplayError) {
        for (index, entity) in transaction.entities.enumerated() {
            guard let table = table(entity.type), table.numbersIDs else { continue }
            let entity = EntityIndex(UInt32(truncatingIfNeeded: index))
            _ = try slot(entity, in: table, of: transaction)
        }
    }

    // MARK: Entities

    /// Gives the entities their slots, but for those whose type may be defined by an event of the same
    /// transaction, and those whose id cannot have any, which the event says that needs it.
    private func lookUpEntities(of transaction: TransactionView) {
        let entities = transaction.entities
        slots.removeAll(keepingCapacity: true)
        hashes.removeAll()
        for entity in entities {
            slots.append(Self.unresolved)
            hashes.append(KeyedHash.hash(entity.id))
        }
        transaction.forEachStretch { type, range in
            guard let table = table(type) else { return }
            touched &+= table.touch(hashes, range)
            for index in range {
                do throws(EntityFault) {
                    slots[index] = try table.intern(entities[index].id, hash: hashes[index])
                } catch {
                    continue
                }
            }
        }
    }

    /// Before the lists of many entities are changed one by one, in no order of their memory.
    private func touchLinks(of transaction: TransactionView) {
        guard transaction.entities.count >= 16 else { return }
        transaction.forEachStretch { type, range in
            guard let table = table(type) else { return }
            touched &+= table.touchLinks(slots[range])
        }
    }

    /// Takes the slots that a transaction's entities were given, and makes the records of new ones.
    private func adopt(_ resolved: borrowing ResolvedSlots, _ share: ResolvedSlots.Share) {
        hashes.removeAll()
        slots.removeAll(keepingCapacity: true)
        slots.append(contentsOf: resolved.slots.elements[share.slots])
        var (type, table): (TypeNumber?, ReplayTable?)
        for entity in resolved.added.elements[share.added] {
            if entity.type != type {
                (type, table) = (entity.type, self.table(entity.type))
            }
            table?.append(entity.id)
        }
    }

    func table(
        of entity: TransactionView.Entity, in id: TransactionID
    ) throws(ReplayError) -> ReplayTable {
        if let table = table(entity.type) { return table }
        guard let definition = catalog.definition(of: entity.type) else {
            throw .unknownType(id, entity.type)
        }
        throw .released(id, type: definition.name)
    }

    /// The slot of an entity of the transaction. Looked up when it is first needed: the type may
    /// be defined by an earlier event of the same transaction.
    func slot(
        _ entity: EntityIndex, in table: ReplayTable, of transaction: TransactionView
    ) throws(ReplayError) -> UInt32 {
        let index = Int(entity.rawValue)
        if slots[index] != Self.unresolved { return slots[index] }
        let id = transaction.entities[index].id
        do throws(EntityFault) {
            // Without hashes, slots were given before, to every id that can have one, and the directory may
            // be in other hands.
            guard index < hashes.count else { throw table.directory.fault(of: id) }
            let slot = try table.intern(id, hash: hashes[index])
            slots[index] = slot
            return slot
        } catch {
            throw fault(error, entity, in: table, of: transaction)
        }
    }

    /// Runs `body` on the table and slot of an entity, and gives its fault a name.
    private func at(
        _ entity: EntityIndex, of transaction: TransactionView,
        _ body: (ReplayTable, UInt32) throws(EntityFault) -> Void
    ) throws(ReplayError) {
        let table = try table(of: transaction.entities[Int(entity.rawValue)], in: transaction.id)
        let slot = try slot(entity, in: table, of: transaction)
        do throws(EntityFault) {
            try body(table, slot)
        } catch {
            throw fault(error, entity, in: table, of: transaction)
        }
    }

    private func fault(
        _ fault: EntityFault, _ entity: EntityIndex, in table: ReplayTable,
        of transaction: TransactionView
    ) -> ReplayError {
        let id = transaction.entities[Int(entity.rawValue)].id
        return .entity(
            transaction.id, type: table.definition.name,
            id: table.definition.idType.text(of: id), fault)
    }

    // MARK: Rows

    func version(of transaction: TransactionView) -> PreviousVersion {
        PreviousVersion(transaction: transaction.id, updatedAt: transaction.header.time)
    }

    private func insert(
        _ event: InsertEvent, into table: ReplayTable, _ slot: UInt32,
        of transaction: TransactionView
    ) throws(EntityFault) {
        let record = table.records[Int(slot)]
        guard record.liveness != .live else { throw .alreadyExists }
        try Self.check(event.previous, is: record.version)
        try Self.check(event.row, table.layout)
        if record.liveness == .tombstone { table.clearRow(slot, at: version(of: transaction)) }
        try table.setRow(
            slot, to: event.row, liveness: .live, ordinal: event.ordinal,
            at: version(of: transaction))
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

    private func update(
        _ event: UpdateEvent, in table: ReplayTable, _ slot: UInt32,
        of transaction: TransactionView
    ) throws(EntityFault) {
        guard table.records[Int(slot)].liveness == .live else { throw .doesNotExist }
        try table.modernise(slot)
        let record = table.records[Int(slot)]
        try Self.check(event.previous, is: record.version)
        row.removeAll()
        let merger = RowMerger(layout: table.layout, row: record.rowBytes)
        try merger.merge(event.changes, into: &row)
        try row.withBytes { bytes throws(EntityFault) in
            try table.setRow(
                slot, to: bytes, liveness: .live, ordinal: Ordinal(record.ordinal),
                at: version(of: transaction))
        }
    }

    private func delete(
        _ event: DeleteEvent, of transaction: TransactionView
    ) throws(ReplayError) {
        let entity = transaction.entities[Int(event.entity.rawValue)]
        let table = try table(of: entity, in: transaction.id)
        var lists: ReplayTable.DeletedLists = []
        for (relation, entities) in event.lists {
            guard let place = table.layout.relation(relation) else {
                throw fault(.unknownRelation(relation), event.entity, in: table, of: transaction)
            }
            var list: [UInt32] = []
            for entity in entities {
                list.append(
                    try target(
                        entity, of: place, held: event.entity, by: table, of: transaction))
            }
            lists.append((relation, list))
        }
        try at(event.entity, of: transaction) { table, slot throws(EntityFault) in
            try delete(event, from: table, slot, lists: lists, of: transaction)
        }
    }

    private func delete(
        _ event: DeleteEvent, from table: ReplayTable, _ slot: UInt32,
        lists: ReplayTable.DeletedLists, of transaction: TransactionView
    ) throws(EntityFault) {
        let isLive = table.records[Int(slot)].liveness == .live
        guard !(isLive && event.isRowless) else { throw .alreadyExists }
        guard isLive || event.isRowless else { throw .doesNotExist }
        if isLive { try table.modernise(slot) }
        let record = table.records[Int(slot)]
        try Self.check(event.previous, is: record.version)
        try Self.check(event.row, table.layout)
        if isLive {
            guard record.ordinal == event.ordinal.rawValue else {
                throw .ordinalDiffers(found: event.ordinal, expected: Ordinal(record.ordinal))
            }
            guard record.rowBytes.hasSameBytes(as: event.row) else { throw .rowDiffers }
        }
        guard event.keepsTombstone else {
            return table.clearRow(slot, at: version(of: transaction))
        }
        try table.setRow(
            slot, to: event.row, liveness: .tombstone, ordinal: event.ordinal,
            at: version(of: transaction))
        table.setDeletedLists(slot, to: lists)
    }

    // MARK: Links

    private func link(_ event: LinkEvent, of transaction: TransactionView) throws(ReplayError) {
        let parent = transaction.entities[Int(event.parent.rawValue)]
        let table = try table(of: parent, in: transaction.id)
        let slot = try slot(event.parent, in: table, of: transaction)
        guard let relation = table.layout.relation(event.relation) else {
            throw fault(
                .unknownRelation(event.relation), event.parent, in: table, of: transaction)
        }
        func resolve(
            _ changes: ListChangeSequence, into slots: inout [LinkColumn.Change]
        ) throws(ReplayError) {
            slots.removeAll(keepingCapacity: true)
            for change in changes {
                let slot = try target(
                    change.entity, of: relation, held: event.parent, by: table, of: transaction)
                slots.append(LinkColumn.Change(position: change.position, slot: slot))
            }
        }
        try resolve(event.removals, into: &removals)
        try resolve(event.insertions, into: &insertions)
        do throws(EntityFault) {
            try table.modifyLinks(relation.position) { column throws(EntityFault) in
                try column.apply(
                    slot, oldCount: event.oldCount, removals: removals, insertions: insertions)
            }
        } catch {
            throw fault(error, event.parent, in: table, of: transaction)
        }
    }

    /// The slot of an entity in a list of the relation.
    private func target(
        _ entity: EntityIndex, of relation: RowLayout.RelationPlace, held parent: EntityIndex,
        by table: ReplayTable, of transaction: TransactionView
    ) throws(ReplayError) -> UInt32 {
        let target = transaction.entities[Int(entity.rawValue)]
        guard target.type == relation.target else {
            let name = table.layout.definition.relations[relation.position].name
            throw fault(.wrongTargetType(relation: name), parent, in: table, of: transaction)
        }
        let slot = slots[Int(entity.rawValue)]
        if slot != Self.unresolved { return slot }
        let targetTable = try self.table(of: target, in: transaction.id)
        return try self.slot(entity, in: targetTable, of: transaction)
    }
}
