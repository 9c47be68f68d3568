extension ReplayState {
    private static let unresolved = UInt32.max

    /// Applies the transaction that comes next.
    package func apply(_ transaction: TransactionView) throws(ReplayError) {
        guard transaction.id == nextTransaction, transaction.id.rawValue < UInt64.max else {
            throw .outOfOrder(found: transaction.id, expected: nextTransaction)
        }
        slots.removeAll(keepingCapacity: true)
        slots.append(
            contentsOf: repeatElement(Self.unresolved, count: transaction.entities.count))
        var hasDefinitions = false
        var events = transaction.events
        while let event = try Self.next(&events, in: transaction.id) {
            if case .define = event { hasDefinitions = true }
            try apply(event, of: transaction)
        }
        if hasDefinitions { try checkReferences(transaction.id) }
        lastTransaction = transaction.id
        lastTime = transaction.header.time
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

    private func apply(
        _ event: TransactionEvent, of transaction: TransactionView
    ) throws(ReplayError) {
        switch event {
        case .define(let event): try define(event, in: transaction.id)
        case .insert(let event):
            try at(event.entity, of: transaction) { table, slot throws(ReplayError.EntityFault) in
                try insert(event, into: table, slot, of: transaction)
            }
        case .update(let event):
            try at(event.entity, of: transaction) { table, slot throws(ReplayError.EntityFault) in
                try update(event, in: table, slot, of: transaction)
            }
        case .delete(let event): try delete(event, of: transaction)
        case .link(let event): try link(event, of: transaction)
        case .purge(let event):
            for entity in event.entities {
                try at(entity, of: transaction) { table, slot throws(ReplayError.EntityFault) in
                    guard table.records[Int(slot)].liveness == .tombstone else {
                        throw .hasNoTombstone
                    }
                    table.clearRow(slot)
                }
            }
        case .unknown: unknownEventCount += 1
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
            guard try catalog.define(definition, in: id) else { return }
        } catch {
            throw .definition(id, error)
        }
        let index = Int(definition.number.rawValue) - 1
        if index == tables.count {
            tables.append(ReplayTable(definition))
        } else {
            tables[index]?.revise(definition)
        }
    }

    private func checkReferences(_ id: TransactionID) throws(ReplayError) {
        do throws(CatalogError) {
            try catalog.checkReferences()
        } catch {
            throw .definition(id, error)
        }
    }

    // MARK: Entities

    private func table(
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
    private func slot(
        _ entity: EntityIndex, in table: ReplayTable, of transaction: TransactionView
    ) throws(ReplayError) -> UInt32 {
        let index = Int(entity.rawValue)
        if slots[index] != Self.unresolved { return slots[index] }
        let id = transaction.entities[index].id
        do throws(ReplayError.EntityFault) {
            let slot = try table.intern(id)
            slots[index] = slot
            return slot
        } catch {
            throw fault(error, entity, in: table, of: transaction)
        }
    }

    /// Runs `body` on the table and slot of an entity, and gives its fault a name.
    private func at(
        _ entity: EntityIndex, of transaction: TransactionView,
        _ body: (ReplayTable, UInt32) throws(ReplayError.EntityFault) -> Void
    ) throws(ReplayError) {
        let table = try table(of: transaction.entities[Int(entity.rawValue)], in: transaction.id)
        let slot = try slot(entity, in: table, of: transaction)
        do throws(ReplayError.EntityFault) {
            try body(table, slot)
        } catch {
            throw fault(error, entity, in: table, of: transaction)
        }
    }

    private func fault(
        _ fault: ReplayError.EntityFault, _ entity: EntityIndex, in table: ReplayTable,
        of transaction: TransactionView
    ) -> ReplayError {
        let id = transaction.entities[Int(entity.rawValue)].id
        return .entity(
            transaction.id, type: table.definition.name,
            id: table.definition.idType.text(of: id), fault)
    }

    // MARK: Rows

    private func version(of transaction: TransactionView) -> PreviousVersion {
        PreviousVersion(transaction: transaction.id, updatedAt: transaction.header.time)
    }

    private func insert(
        _ event: InsertEvent, into table: ReplayTable, _ slot: UInt32,
        of transaction: TransactionView
    ) throws(ReplayError.EntityFault) {
        let record = table.records[Int(slot)]
        guard record.liveness != .live else { throw .alreadyExists }
        try Self.check(event.previous, is: record.version)
        try Self.check(event.row, table.layout)
        if record.liveness == .tombstone { table.clearRow(slot) }
        try table.setRow(
            slot, to: event.row, liveness: .live, ordinal: event.ordinal,
            at: version(of: transaction))
    }

    private static func check(
        _ found: PreviousVersion?, is expected: PreviousVersion?
    ) throws(ReplayError.EntityFault) {
        guard found == expected else {
            throw .previousVersion(found: found, expected: expected)
        }
    }

    private static func check(
        _ row: UnsafeRawBufferPointer, _ layout: RowLayout
    ) throws(ReplayError.EntityFault) {
        do throws(CodecError) {
            try layout.check(row)
        } catch {
            throw .malformedRow(error)
        }
    }

    private func update(
        _ event: UpdateEvent, in table: ReplayTable, _ slot: UInt32,
        of transaction: TransactionView
    ) throws(ReplayError.EntityFault) {
        guard table.records[Int(slot)].liveness == .live else { throw .doesNotExist }
        try table.modernise(slot)
        let record = table.records[Int(slot)]
        try Self.check(event.previous, is: record.version)
        row.removeAll()
        let merger = RowMerger(layout: table.layout, row: record.rowBytes)
        try merger.merge(event.changes, into: &row)
        try row.withBytes { bytes throws(ReplayError.EntityFault) in
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
            guard let position = table.definition.position(of: relation) else {
                throw fault(.unknownRelation(relation), event.entity, in: table, of: transaction)
            }
            let targets = try targets(
                of: table.links[position].definition, held: event.entity, by: table,
                of: transaction)
            var list: [UInt32] = []
            for target in entities { list.append(try targets(target)) }
            lists.append((relation, list))
        }
        try at(event.entity, of: transaction) { table, slot throws(ReplayError.EntityFault) in
            try delete(event, from: table, slot, lists: lists, of: transaction)
        }
    }

    private func delete(
        _ event: DeleteEvent, from table: ReplayTable, _ slot: UInt32,
        lists: ReplayTable.DeletedLists, of transaction: TransactionView
    ) throws(ReplayError.EntityFault) {
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
        guard event.keepsTombstone else { return table.clearRow(slot) }
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
        guard let position = table.definition.position(of: event.relation) else {
            throw fault(
                .unknownRelation(event.relation), event.parent, in: table, of: transaction)
        }
        let targets = try targets(
            of: table.links[position].definition, held: event.parent, by: table, of: transaction)
        removals.removeAll(keepingCapacity: true)
        insertions.removeAll(keepingCapacity: true)
        for change in event.removals {
            removals.append(.init(position: change.position, slot: try targets(change.entity)))
        }
        for change in event.insertions {
            insertions.append(.init(position: change.position, slot: try targets(change.entity)))
        }
        do throws(ReplayError.EntityFault) {
            try table.modifyLinks(position) { column throws(ReplayError.EntityFault) in
                try column.apply(
                    slot, oldCount: event.oldCount, removals: removals, insertions: insertions)
            }
        } catch {
            throw fault(error, event.parent, in: table, of: transaction)
        }
    }

    /// A function from an entity of the transaction to its slot, for targets of one relation.
    private func targets(
        of relation: RelationDefinition, held parent: EntityIndex, by table: ReplayTable,
        of transaction: TransactionView
    ) throws(ReplayError) -> (EntityIndex) throws(ReplayError) -> UInt32 {
        let targetTable = self.table(relation.target)
        return { [self] entity throws(ReplayError) in
            let target = transaction.entities[Int(entity.rawValue)]
            guard target.type == relation.target else {
                throw fault(
                    .wrongTargetType(relation: relation.name), parent, in: table, of: transaction)
            }
            if slots[Int(entity.rawValue)] != Self.unresolved {
                return slots[Int(entity.rawValue)]
            }
            guard let targetTable else {
                return try slot(
                    entity, in: try self.table(of: target, in: transaction.id), of: transaction)
            }
            return try slot(entity, in: targetTable, of: transaction)
        }
    }
}
