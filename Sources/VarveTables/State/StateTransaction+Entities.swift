import VarveEvents

// Slots for what a transaction of the log names.
extension StateTransaction {
    /// Of types that the transaction defines: ids that no event names were not looked up.
    func noteNumbers(of logged: TransactionView) throws(ReplayError) {
        for index in logged.entities.indices { try noteNumber(ofEntity: index, of: logged) }
    }

    /// Looks an entity up, so that its number counts, where its type has such.
    func noteNumber(ofEntity index: Int, of logged: TransactionView) throws(ReplayError) {
        let type = Int(logged.entities[index].type.rawValue) - 1
        guard tables.indices.contains(type), tables[type].numbersIDs else { return }
        _ = try slot(EntityIndex(UInt32(truncatingIfNeeded: index)), in: type, of: logged)
    }

    static func version(of logged: TransactionView) -> PreviousVersion {
        PreviousVersion(transaction: logged.id, updatedAt: logged.header.time)
    }

    /// Begins with the entities of a transaction, none of which has a slot yet.
    func expectEntities(of logged: TransactionView) {
        slots.removeAll(keepingCapacity: true)
        slots.append(contentsOf: repeatElement(nil, count: logged.entities.count))
        enteredCount = 0
        lookedUpCount = 0
        expectedTypeCount = tables.count
    }

    /// Gives the entities before an index their slots, in their order, but for those whose type is defined by an
    /// event of the same transaction, and those whose id cannot have any, which the event says that needs it.
    func enterEntities(before end: Int, of logged: TransactionView) {
        while enteredCount < end {
            let index = enteredCount
            enteredCount += 1
            if index >= lookedUpCount { lookUpEntities(from: index, of: logged) }
            guard slots[index] == nil, let table = expectedTable(of: logged.entities[index])
            else { continue }
            slots[index] = try? tables[table].intern(logged.entities[index].id, in: transaction)
        }
    }

    private func expectedTable(of entity: TransactionView.Entity) -> Int? {
        tablePosition(of: entity.type).flatMap { $0 < expectedTypeCount ? $0 : nil }
    }

    /// Finds the slots of those of the next entities that are known, all at once.
    private func lookUpEntities(from start: Int, of logged: TransactionView) {
        lookedUpCount = min(start + EntityLookup.count, logged.entities.count)
        lookup.removeAll()
        for index in start..<lookedUpCount {
            let entity = logged.entities[index]
            guard let table = expectedTable(of: entity) else { continue }
            lookup.add(index, entity.id, of: table, tables[table].ids, transaction.pages)
        }
        tables.withUnsafeBufferPointer { lookup.find(in: $0, transaction.pages, &slots) }
    }

    /// Inserts an entity whose id is new: its leaf takes id and row at once. Returns false, and has changed nothing
    /// but slots, where the id is known or the event does not fit: then it is applied as any other, and found wrong there.
    func insertNew(_ event: InsertEvent, of logged: TransactionView) -> Bool {
        let index = Int(event.entity.rawValue)
        let entity = logged.entities[index]
        guard slots[index] == nil, event.previous == nil,
            let table = tablePosition(of: entity.type), tables[table].indexes.isEmpty
        else { return false }
        enterEntities(before: index, of: logged)
        if index >= lookedUpCount { lookUpEntities(from: index, of: logged) }
        guard slots[index] == nil else { return false }
        let slot = tables[table].insertNew(
            entity.id, event.row, event.ordinal, at: Self.version(of: logged), in: transaction)
        guard let slot else { return false }
        slots[index] = slot
        setRows?.note(slot, in: table)
        return true
    }

    /// The table of an entity, by its index.
    func table(
        of entity: TransactionView.Entity, in id: TransactionID
    ) throws(ReplayError) -> Int {
        let index = Int(entity.type.rawValue) - 1
        guard index < tables.count else { throw .unknownType(id, entity.type) }
        return index
    }

    /// The slot of an id, which gets a vacant one if it is new.
    func slot(of id: UnsafeRawBufferPointer, in type: Int) throws(EntityFault) -> Slot {
        try tables[type].intern(id, in: transaction)
    }

    /// The slot of an entity. Looked up when it is first needed: the type may be defined by an earlier
    /// event of the same transaction.
    func slot(
        _ entity: EntityIndex, in type: Int, of logged: TransactionView
    ) throws(ReplayError) -> Slot {
        let index = Int(entity.rawValue)
        if let slot = slots[index] { return slot }
        enterEntities(before: index + 1, of: logged)
        if let slot = slots[index] { return slot }
        do throws(EntityFault) {
            let slot = try tables[type].intern(logged.entities[index].id, in: transaction)
            slots[index] = slot
            return slot
        } catch {
            throw fault(error, entity, in: type, of: logged)
        }
    }

    /// Runs `body` on the table and slot of an entity, and gives its fault a name.
    func at(
        _ entity: EntityIndex, of logged: TransactionView,
        _ body: (Int, Slot) throws(EntityFault) -> Void
    ) throws(ReplayError) {
        let type = try table(of: logged.entities[Int(entity.rawValue)], in: logged.id)
        let slot = try slot(entity, in: type, of: logged)
        do throws(EntityFault) {
            try body(type, slot)
        } catch {
            throw fault(error, entity, in: type, of: logged)
        }
    }

    func fault(
        _ fault: EntityFault, _ entity: EntityIndex, in type: Int, of logged: TransactionView
    ) -> ReplayError {
        let definition = tables[type].definition
        let id = logged.entities[Int(entity.rawValue)].id
        return .entity(
            logged.id, type: definition.name, id: definition.idType.text(of: id), fault)
    }
}
