public import VarveEvents

// Changes that take other changes back: no hook, resolver, strategy or delete rule runs.

extension Context {
    /// The entity of a tombstone, whose relations are ids, with what has been linked to it since it was
    /// deleted behind these ids. A to-one relation that leads somewhere by now stays as it is.
    @usableFromInline
    mutating func _withLinksSinceDeletion<Entity: EntityModelProtocol>(
        _ entity: Entity
    ) throws(CodecError) -> Entity {
        let relations = Entity._descriptor.relations
        guard let position = tables.position(of: Entity._descriptor),
            let slot = rows(of: Entity.self)?.slot(of: entity.id)
        else { return entity }
        var copy = entity
        for (index, relation) in relations.enumerated() {
            let present = links(of: slot.rawValue, relation: index, table: position).slots
            guard !present.isEmpty else { continue }
            let resolved = tables.tables[rows: position].relations[index]
            var slots = present
            if resolved.isToMany {
                slots = try linkedSlots(of: copy, relation, childTable: resolved.childTable)
                let known = Set(slots)
                slots += present.filter { !known.contains($0) }
            }
            let child = tables.tables[rows: resolved.childTable]
            withUnsafeMutableBytes(of: &copy) { bytes in
                guard let base = bytes.baseAddress else { return }
                relation.assignIDs(base + relation.offset, child, slots)
            }
        }
        return copy
    }

    /// The slots of the ids that a relation of an entity holds.
    private mutating func linkedSlots<Entity: EntityModelProtocol>(
        of entity: Entity, _ relation: RelationDescription, childTable: Int
    ) throws(CodecError) -> ContiguousArray<UInt32> {
        var ids = ByteWriter()
        var ends: [Int] = []
        try withUnsafePointer(to: entity) { entity throws(CodecError) in
            try relation.storeIDs(UnsafeRawPointer(entity) + relation.offset) { id in
                ids.write(id)
                ends.append(ids.count)
            }
        }
        return try ids.withBytes { bytes throws(CodecError) in
            var slots: ContiguousArray<UInt32> = []
            var start = 0
            for end in ends {
                let id = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                let intern = tables.tables[rows: childTable].descriptor.operations.intern
                slots.append(try intern(&self, childTable, id).rawValue)
                start = end
            }
            return slots
        }
    }

    @inlinable
    mutating func internSlot<Entity: EntityModelProtocol>(
        of type: Entity.Type, _ id: Entity.ID, in position: Int
    ) -> Slot {
        // Not held as a table: a second reference would make the change copy it.
        if let known = tables.tables[rows: position].rows(of: Entity.self).slot(of: id) {
            return known
        }
        return change(Entity.self, at: position) { $0.internSlot(of: id) }
    }

    /// Puts an encoded row at a slot, at a place in the order, as a logged change without hooks.
    package mutating func restoreRow(
        at slot: Slot, in position: Int, from bytes: UnsafeRawBufferPointer, ordinal: UInt64
    ) throws(CodecError) {
        let descriptor = tables.tables[rows: position].descriptor
        try descriptor.operations.decodeRow(&self, position, slot, bytes) { context, row in
            // No resolver is asked, so two rows may have a value, if only until the next is put back.
            let collides =
                descriptor.hasUniqueIndexes
                && !context.tables.tables[rows: position].keepsUniqueValues(of: row, at: slot)
                && context.collision(of: row, at: slot, in: position) != nil
            context.session.noteChange(of: position)
            let stamp = context.session.stamp.unordered
            context.changeTable(at: position) { table in
                if collides { table.expectEqual() }
                descriptor.operations.put(table, row, slot, stamp, ordinal)
            }
        }
    }

    /// The place in its type's order of a slot without a row; nil for none.
    package mutating func setVacancy(of slot: Slot, ordinal: UInt64?, table position: Int) {
        session.noteChange(of: position)
        let stamp = session.stamp.unordered
        changeTable(at: position) { $0.setVacancy(of: slot, ordinal: ordinal, stamp: stamp) }
    }

    /// Sets one list, on this side only.
    package mutating func setLinkList(
        _ list: LinkList, of slot: UInt32, relation: Int, table: Int
    ) {
        setLinks(list.list, of: slot, relation: relation, table: table)
    }

    /// Sets the slots of one list, on this side only.
    package mutating func setLinkSlots(
        _ slots: ContiguousArray<UInt32>, of slot: UInt32, relation: Int, table: Int
    ) {
        setLinks(SlotList(slots), of: slot, relation: relation, table: table)
    }

    /// Makes a slot, which stays where it is in the order, carry the running transaction.
    package mutating func setRunningStamps(of slot: Slot, table position: Int) {
        let stamp = session.stamp.unordered
        changeTable(at: position) { $0.stampAgain(slot, stamp) }
    }

    /// Sets the stamps of a slot, which stays where it is in the order.
    package mutating func setStamps(
        of slot: Slot, updatedAt: Int64, transaction: UInt64, saveOrder: UInt32 = 0,
        table position: Int
    ) {
        changeTable(at: position) { table in
            let ordinal = table.metadata(of: slot).ordinal
            table.setMetadata(
                RowMetadata(
                    ordinal: ordinal, updatedAt: updatedAt, transaction: transaction,
                    saveOrder: saveOrder), of: slot)
        }
    }
}
