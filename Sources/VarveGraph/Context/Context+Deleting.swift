extension EntityModelProtocol {
    /// Deletes the entity with this id and what its delete rules take along; nothing happens
    /// where there is none. What remains is a ``Deleted`` entity of the same id.
    ///
    /// - Returns: whether there was an entity.
    @inlinable
    @discardableResult
    public func delete(from context: inout Context) throws -> Bool {
        try context._deleteLive(Self.self, id: id)
    }

    /// Deletes the entity with this id and what its delete rules take along; nothing happens
    /// where there is none.
    ///
    /// - Returns: whether there was an entity.
    @inlinable
    @discardableResult
    public static func delete(id: ID, from context: inout Context) throws -> Bool {
        try context._deleteLive(Self.self, id: id)
    }
}

extension Context {
    /// Returns whether there was a row.
    @inlinable
    @discardableResult
    public mutating func _deleteLive<Entity: EntityModelProtocol>(
        _ type: Entity.Type, id: Entity.ID
    ) throws -> Bool {
        guard let slot = liveSlot(of: type, id: id) else { return false }
        try deleteRow(at: slot, table: position(of: Entity._descriptor))
        return true
    }

    /// Deletes a row and, by delete rules, what depends on it.
    ///
    /// A list of steps instead of recursion: a cascade may be as long as the data is deep.
    @usableFromInline
    package mutating func deleteRow(
        at slot: Slot, table: Int, cause: DeleteCause? = nil
    ) throws {
        try delete([.delete(table: table, slot: slot.rawValue, cause: cause)])
    }

    /// Deletes rows that others took along, and what depends on them: what one of them denies, another may take along.
    package mutating func deleteRows(
        _ rows: [(table: Int, slot: UInt32, cause: DeleteCause)]
    ) throws {
        // The last step is performed first.
        try delete(
            rows.reversed().map { .delete(table: $0.table, slot: $0.slot, cause: $0.cause) })
    }

    private mutating func delete(_ first: [DeleteStep]) throws {
        let mark = begin()
        do {
            var steps = first
            var denials: [DeleteDenial] = []
            while let step = steps.popLast() { try perform(step, &steps, &denials) }
            try check(denials)
            if !session.orphans.isEmpty { try deleteOrphans(behind: mark) }
        } catch {
            rollBack(to: mark)
            throw error
        }
        end(mark)
    }

    private enum DeleteStep {
        case delete(table: Int, slot: UInt32, cause: DeleteCause?)
        case detach(table: Int, slot: UInt32, relation: Int)
        case end(DeleteEnd)
    }

    private mutating func perform(
        _ step: DeleteStep, _ steps: inout [DeleteStep], _ denials: inout [DeleteDenial]
    ) throws {
        switch step {
        case .end(let end): try end(&self)
        case .detach(let table, let slot, let relation):
            replaceLinks(with: [], of: slot, relation: relation, table: table)
        case .delete(let table, let slot, let cause):
            let beginDelete = tables.tables[rows: table].descriptor.operations.beginDelete
            guard let end = try beginDelete(&self, Slot(slot)) else { return }
            if let cause, session.isTracking {
                changeTable(at: table) { $0.deleteCauses[slot] = cause }
            }
            // Pushed in reverse: the first relation is dealt with first, its children before it.
            steps.append(.end(end))
            for relation in tables.tables[rows: table].relations.indices.reversed() {
                steps.append(.detach(table: table, slot: slot, relation: relation))
                let resolved = tables.tables[rows: table].relations[relation]
                if resolved.deleteRule == .deny {
                    denials.append(
                        DeleteDenial(
                            table: table, slot: slot, relation: relation,
                            children: liveChildren(of: slot, relation: relation, table: table)))
                }
                guard resolved.deleteRule == .cascade else { continue }
                let children = links(of: slot, relation: relation, table: table).slots
                for child in children.reversed() {
                    steps.append(
                        .delete(
                            table: resolved.childTable, slot: child,
                            cause: .cascade(table: table, slot: slot)))
                }
            }
        }
    }

    /// What a relation with the rule `.deny` led to when its entity was deleted. Checked at the
    /// end, so that related entities that the same delete takes along do not keep anything.
    private struct DeleteDenial {
        let table: Int
        let slot: UInt32
        let relation: Int
        let children: ContiguousArray<UInt32>
    }

    private func check(_ denials: [DeleteDenial]) throws(ContextError) {
        for denial in denials {
            let table = tables.tables[rows: denial.table]
            let child = tables.tables[rows: table.relations[denial.relation].childTable]
            let kept = denial.children.filter { child.isLive(Slot($0)) }
            guard !kept.isEmpty else { continue }
            throw .deleteDenied(
                type: table.descriptor.name, id: table.idText(of: Slot(denial.slot)),
                relation: table.descriptor.relations[denial.relation].name,
                children: kept.map { child.idText(of: Slot($0)) })
        }
    }

    /// Deletes the row at a slot. Returns what remains to be done at the end, or nil where there is no row.
    @inlinable
    mutating func beginDelete<Entity: EntityModelProtocol>(
        _ type: Entity.Type, at slot: Slot
    ) throws -> DeleteEnd? {
        guard let row = row(of: type, at: slot) else { return nil }
        // A hook that deletes the very entity finds it being deleted.
        guard !isBeingDeleted(Entity._descriptor, at: slot) else { return nil }
        try Entity._delete(row, at: slot, in: &self)
        return { context in
            try row.deleteMetadata(from: &context)
            try row.didDelete(from: &context)
        }
    }

    /// Removes a row of the table at a position, which may keep its place, as a logged change without hooks.
    @usableFromInline
    package mutating func removeRow(at slot: Slot, in position: Int, keepsPlace: Bool) {
        session.noteChange(of: position)
        let stamp = session.stamp
        prepareToChange(at: slot, in: position)
        changeTable(at: position) { $0.descriptor.operations.remove($0, slot, stamp, keepsPlace) }
    }

    /// Keeps the row of an entity that was deleted from a slot as its tombstone, by the code that saves the entity.
    ///
    /// - Parameter table: the position of the entity's table.
    @usableFromInline
    mutating func keepTombstone(_ row: UnsafeRawPointer, of slot: Slot, table: Int) {
        let position = tombstoneTable(of: table)
        // In the trash it stands where it stood in its type.
        let ordinal = setPlace(of: slot, in: table, isKept: true)
        let (known, hash) = tables.unretained(at: position, as: AnyTable.self)
            ._withUnsafeGuaranteedRef { $0.descriptor.operations.slotOfRow($0, row) }
        session.noteChange(of: position)
        let stamp = session.stamp
        if let known { prepareToChange(at: known, in: position) }
        changeTable(at: position) { table in
            let slot = known ?? table.appendSlot(hash: hash)
            table.descriptor.operations.put(table, row, slot, stamp, ordinal)
        }
    }

    /// The position of the table of a type's tombstones, which is made now where there is none.
    private mutating func tombstoneTable(of table: Int) -> Int {
        let known = tables.tables[rows: table].tombstoneTable
        if known >= 0 { return known }
        // Not held as a table: a second reference would make the change copy it.
        let descriptor = tables.tables[rows: table].descriptor
        return position(of: descriptor.type._tombstoneDescriptor)
    }

    /// Runs `willDelete`. Meanwhile the entity counts as being deleted.
    @inlinable
    mutating func announceDeletion<Entity: EntityModelProtocol>(
        of row: Entity, at slot: Slot
    ) throws {
        let key = noteDeletion(of: Entity._descriptor, at: slot)
        try row.willDelete(from: &self)
        forgetDeletion(key)
    }

    @usableFromInline
    mutating func noteDeletion(of descriptor: EntityDescriptor, at slot: Slot) -> UInt64 {
        let key = deletionKey(descriptor, slot)
        session.deleting.append(key)
        return key
    }

    @usableFromInline
    mutating func forgetDeletion(_ key: UInt64) { session.deleting.removeAll { $0 == key } }

    @usableFromInline
    mutating func isBeingDeleted(_ descriptor: EntityDescriptor, at slot: Slot) -> Bool {
        session.deleting.contains(deletionKey(descriptor, slot))
    }

    private mutating func deletionKey(_ descriptor: EntityDescriptor, _ slot: Slot) -> UInt64 {
        UInt64(position(of: descriptor)) << 32 | UInt64(slot.rawValue)
    }

    /// The place in its type's order of an entity that is not there; `isKept` false takes it away.
    mutating func setPlace<Entity: EntityModelProtocol>(
        _ type: Entity.Type, id: Entity.ID, isKept: Bool
    ) -> UInt64 {
        let position = position(of: Entity._descriptor)
        return setPlace(
            of: internSlot(of: type, id, in: position), in: position, isKept: isKept)
    }

    private mutating func setPlace(of slot: Slot, in position: Int, isKept: Bool) -> UInt64 {
        let stamp = session.stamp
        session.noteChange(of: position)
        return changeTable(at: position) { $0.setPlace(of: slot, isKept: isKept, stamp: stamp) }
    }
}
