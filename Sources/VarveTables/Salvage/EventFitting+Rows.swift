import VarveEvents

extension EventFitting {
    /// A row whose id is taken already, or follows on another version: it replaces what is there.
    func fit(_ event: InsertEvent) throws -> Bool {
        let (type, slot) = try place(of: event.entity)
        try state.tables[type].layout.check(event.row)
        try remove(event.entity, from: type, slot)
        let previous = state.entry(type, slot).version
        if previous != nil { try state.clearRow(of: type, slot, at: version) }
        encoder.insert(
            event.entity, ordinal: event.ordinal, previous: previous, row: event.row)
        try state.setRow(of: type, slot, to: event.row, .live, event.ordinal, at: version)
        return true
    }

    /// New values of an entity that had others before than the event says. Values that are told as a
    /// difference from those are left out.
    func fit(_ event: UpdateEvent) throws -> Bool {
        let (type, slot) = try place(of: event.entity)
        let entry = state.entry(type, slot)
        guard entry.presence == .live, let previous = entry.version else { return false }
        let layout = state.tables[type].layout
        let ordinal = Ordinal(entry.stamps.ordinal)
        var changes = FieldChanges()
        var row = ByteWriter(capacity: 256)
        try state.withRow(of: entry, in: type) { old throws(EntityFault) in
            do throws(CodecError) {
                try merge(event.changes, into: old, layout, &changes, &row)
            } catch {
                throw .malformedRow(error)
            }
        }
        guard !changes.isEmpty else { return false }
        encoder.update(
            event.entity, previous: previous, changes: changes, fields: layout.definition.fields)
        try row.withBytes { bytes throws(EntityFault) in
            try state.setRow(of: type, slot, to: bytes, .live, ordinal, at: version)
        }
        return true
    }

    /// Appends the new row to `row`, and what differs in it to `changes`.
    private func merge(
        _ events: FieldChangeSequence, into old: UnsafeRawBufferPointer, _ layout: RowLayout,
        _ changes: inout FieldChanges, _ row: inout ByteWriter
    ) throws(CodecError) {
        var fields: [UnsafeRawBufferPointer] = []
        try layout.forEachField(of: old) { fields.append($1) }
        var changed: [Int: [UInt8]] = [:]
        for (position, change) in events where position < fields.count {
            guard let value = Self.newValue(change, of: fields[position], at: position, layout)
            else { continue }
            changed[position] = value
        }
        for (position, field) in fields.enumerated() {
            guard let value = changed[position] else {
                row.write(field)
                continue
            }
            try value.withReader { reader throws(CodecError) in
                let value = reader.rest
                row.write(value)
                try changes.append(position) {
                    $0.write(field)
                } new: {
                    $0.write(value)
                }
            }
        }
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
        let (type, slot) = try place(of: event.entity)
        let definition = state.tables[type].definition
        try state.tables[type].layout.check(event.row)
        guard event.keepsTombstone else { return try remove(event.entity, from: type, slot) }
        // Before anything changes: an entity of a list may be of a type that is lost.
        var lists: [(relation: RelationNumber, entities: [EntityIndex])] = []
        var kept: [(relation: RelationNumber, slots: [Slot])] = []
        for (relation, entities) in event.lists {
            guard let position = definition.position(of: relation) else { continue }
            let target = definition.relations[position].target
            let members = entities.filter { view.entities[Int($0.rawValue)].type == target }
            lists.append((relation, members))
            kept.append((relation, try members.map { try place(of: $0).1 }))
        }
        try remove(event.entity, from: type, slot)
        encoder.delete(
            event.entity, keepsTombstone: true, isRowless: true, ordinal: event.ordinal,
            previous: state.entry(type, slot).version, cause: event.cause, row: event.row,
            lists: lists)
        try state.setRow(of: type, slot, to: event.row, .tombstone, event.ordinal, at: version)
        state.keepLists(kept, of: slot, in: type)
        return true
    }

    /// Removes a live row without a tombstone, as if the lost event that did so were there.
    @discardableResult
    private func remove(
        _ entity: EntityIndex, from type: Int, _ slot: Slot
    ) throws -> Bool {
        let entry = state.entry(type, slot)
        guard entry.presence == .live else { return false }
        try state.withRow(of: entry, in: type) { row throws(EntityFault) in
            encoder.delete(
                entity, keepsTombstone: false, ordinal: Ordinal(entry.stamps.ordinal),
                previous: entry.version, cause: .direct, row: row, lists: [])
        }
        try state.clearRow(of: type, slot, at: version)
        return true
    }

    /// The orders of those saves that were kept. The others go alone, because an order without its save says
    /// nothing.
    func fit(_ event: SaveOrderEvent) -> Bool {
        var kept: [EntitySaveOrder] = []
        for order in event.orders {
            guard let (type, slot) = try? place(of: order.entity),
                state.entry(type, slot).version?.transaction == view.id
            else { continue }
            if order.now > 0 { state.setSaveOrder(of: slot, to: order.now, in: type) }
            kept.append(order)
        }
        if !kept.isEmpty { encoder.saveOrders(kept) }
        return !kept.isEmpty
    }
}
