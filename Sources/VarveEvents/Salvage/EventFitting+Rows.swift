extension EventFitting {
    /// A row whose id is taken already, or follows on another version: it replaces what is there.
    func fit(_ event: InsertEvent) throws -> Bool {
        let (table, slot) = try place(of: event.entity)
        try table.layout.check(event.row)
        try remove(event.entity, from: table, slot)
        let record = table.records[Int(slot)]
        if record.liveness == .tombstone { table.clearRow(slot, at: state.version(of: view)) }
        encoder.insert(
            event.entity, ordinal: event.ordinal, previous: record.version, row: event.row)
        try table.setRow(
            slot, to: event.row, liveness: .live, ordinal: event.ordinal,
            at: state.version(of: view))
        return true
    }

    /// New values of an entity that had others before than the event says. Values that are told as a
    /// difference from those are left out.
    func fit(_ event: UpdateEvent) throws -> Bool {
        let (table, slot) = try place(of: event.entity)
        guard table.records[Int(slot)].liveness == .live else { return false }
        try table.modernise(slot)
        let record = table.records[Int(slot)]
        guard let previous = record.version else { return false }
        var fields: [UnsafeRawBufferPointer] = []
        try table.layout.forEachField(of: record.rowBytes) { fields.append($1) }
        var changes = FieldChanges()
        var row = ByteWriter(capacity: record.rowBytes.count + 64)
        var changed: [Int: [UInt8]] = [:]
        for (position, change) in event.changes where position < fields.count {
            guard
                let value = Self.newValue(change, of: fields[position], at: position, table.layout)
            else { continue }
            changed[position] = value
        }
        for (position, field) in fields.enumerated() {
            guard let value = changed[position] else {
                row.write(field)
                continue
            }
            try value.withUnsafeBytes { value in
                row.write(value)
                try changes.append(position) {
                    $0.write(field)
                } new: {
                    $0.write(value)
                }
            }
        }
        guard !changes.isEmpty else { return false }
        encoder.update(
            event.entity, previous: previous, changes: changes, fields: table.definition.fields)
        let version = state.version(of: view)
        try row.withBytes { bytes throws(EntityFault) in
            try table.setRow(
                slot, to: bytes, liveness: .live, ordinal: Ordinal(record.ordinal), at: version)
        }
        return true
    }

    private static func newValue(
        _ change: FieldChangeSequence.Change, of old: UnsafeRawBufferPointer, at position: Int,
        _ layout: RowLayout
    ) -> [UInt8]? {
        var value = ByteWriter(capacity: 64)
        switch change {
        case .values(_, let new): value.write(new)
        case .splice(let splice): guard splice.apply(to: old, into: &value) else { return nil }
        }
        let bytes = value.copyBytes()
        let isValue = bytes.withUnsafeBytes { (try? layout.check($0, at: position)) != nil }
        return isValue ? bytes : nil
    }

    /// A deletion of what is not there, or is something else: the tombstone is as the event says.
    func fit(_ event: DeleteEvent) throws -> Bool {
        let (table, slot) = try place(of: event.entity)
        try table.layout.check(event.row)
        guard event.keepsTombstone else { return try remove(event.entity, from: table, slot) }
        // Before anything changes: an entity of a list may be of a type that is lost.
        var lists: [(relation: RelationNumber, entities: [EntityIndex])] = []
        var kept: ReplayTable.DeletedLists = []
        for (relation, entities) in event.lists {
            guard let position = table.definition.position(of: relation) else { continue }
            let target = table.links[position].definition.target
            let members = entities.filter { view.entities[Int($0.rawValue)].type == target }
            lists.append((relation, members))
            kept.append((relation, try members.map { try place(of: $0).1 }))
        }
        try remove(event.entity, from: table, slot)
        encoder.delete(
            event.entity, keepsTombstone: true, isRowless: true, ordinal: event.ordinal,
            previous: table.records[Int(slot)].version, cause: event.cause, row: event.row,
            lists: lists)
        try table.setRow(
            slot, to: event.row, liveness: .tombstone, ordinal: event.ordinal,
            at: state.version(of: view))
        table.setDeletedLists(slot, to: kept)
        return true
    }

    /// Removes a live row without a tombstone, as if the lost event that did so were there.
    @discardableResult
    private func remove(
        _ entity: EntityIndex, from table: ReplayTable, _ slot: UInt32
    ) throws -> Bool {
        guard table.records[Int(slot)].liveness == .live else { return false }
        try table.modernise(slot)
        let record = table.records[Int(slot)]
        encoder.delete(
            entity, keepsTombstone: false, ordinal: Ordinal(record.ordinal),
            previous: record.version, cause: .direct, row: record.rowBytes, lists: [])
        table.clearRow(slot, at: state.version(of: view))
        return true
    }

    /// The orders of those saves that were kept. The others go alone, because an order without its save says
    /// nothing.
    func fit(_ event: SaveOrderEvent) -> Bool {
        var kept: [EntitySaveOrder] = []
        for order in event.orders {
            guard let (table, slot) = try? place(of: order.entity),
                table.isSaved(slot, in: view.id)
            else { continue }
            if order.now > 0 { table.setSaveOrder(slot, to: order.now) }
            kept.append(order)
        }
        if !kept.isEmpty { encoder.saveOrders(kept) }
        return !kept.isEmpty
    }
}
