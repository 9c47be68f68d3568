package import VarveEvents

extension StateTransaction {
    /// Applies the transaction of the log that comes next. Several may follow one another.
    package func apply(_ logged: TransactionView) throws(ReplayError) {
        try begin(logged)
        var hasDefinitions = false
        var events = logged.events
        while let event = try Self.next(&events, in: logged.id) {
            if case .define = event { hasDefinitions = true }
            try apply(event, of: logged)
        }
        if hasDefinitions {
            try checkReferences(logged.id)
            try noteNumbers(of: logged)
        }
        conclude(logged.header)
    }

    /// Before the first event of a transaction is applied.
    func begin(_ logged: TransactionView) throws(ReplayError) {
        guard logged.id == nextTransaction, logged.id.rawValue < UInt64.max else {
            throw .outOfOrder(found: logged.id, expected: nextTransaction)
        }
        lookUpEntities(of: logged)
    }

    /// Makes the state the one behind a transaction, all of whose changes were made.
    package func conclude(_ header: TransactionHeader) {
        lastTransaction = header.id
        lastTime = header.time
        timeline.note(header)
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

    /// Applies one event. An event that does not fit changes nothing but slots that it mentions, where no index
    /// was declared.
    func apply(
        _ event: TransactionEvent, of logged: TransactionView
    ) throws(ReplayError) {
        switch event {
        case .define(let event): try define(event, in: logged.id)
        case .insert(let event):
            try at(event.entity, of: logged) { type, slot throws(EntityFault) in
                try insert(event, into: type, slot, at: Self.version(of: logged))
            }
        case .update(let event):
            try at(event.entity, of: logged) { type, slot throws(EntityFault) in
                try update(event, in: type, slot, at: Self.version(of: logged))
            }
        case .delete(let event): try delete(event, of: logged)
        case .link(let event): try link(event, of: logged)
        case .purge(let event): try purge(event, of: logged)
        case .former: break
        case .withdraw(let event):
            try at(event.entity, of: logged) { type, slot throws(EntityFault) in
                guard !entry(type, slot).presence.hasRow else { throw .alreadyExists }
                tables[type].withdraw(slot, in: transaction)
            }
        case .depart(let event):
            try at(event.entity, of: logged) { type, slot throws(EntityFault) in
                guard !entry(type, slot).presence.hasRow else { throw .alreadyExists }
                try clearRow(of: type, slot, at: Self.version(of: logged))
            }
        case .saveOrder(let event): try order(event, of: logged)
        case .unknown: unknownEventCount += 1
        }
    }

    /// All of them are looked at before the first is set.
    private func order(_ event: SaveOrderEvent, of logged: TransactionView) throws(ReplayError) {
        for order in event.orders where order.now > 0 {
            try at(order.entity, of: logged) { type, slot throws(EntityFault) in
                guard entry(type, slot).version?.transaction == logged.id else {
                    throw .doesNotExist
                }
            }
        }
        for order in event.orders where order.now > 0 {
            try at(order.entity, of: logged) { type, slot throws(EntityFault) in
                tables[type].setSaveOrder(slot, to: order.now, in: transaction)
            }
        }
    }

    /// All of them are looked at before the first goes.
    private func purge(_ event: PurgeEvent, of logged: TransactionView) throws(ReplayError) {
        var seen: Set<EntityIndex> = []
        for entity in event.entities {
            try at(entity, of: logged) { type, slot throws(EntityFault) in
                guard entry(type, slot).presence == .tombstone, seen.insert(entity).inserted
                else { throw .hasNoTombstone }
            }
        }
        for entity in event.entities {
            try at(entity, of: logged) { type, slot throws(EntityFault) in
                try clearRow(of: type, slot, at: Self.version(of: logged))
            }
        }
    }

    private func define(_ event: DefineEvent, in id: TransactionID) throws(ReplayError) {
        let definition: TypeDefinition
        do throws(EventError) {
            definition = try event.definition()
        } catch {
            throw .event(id, error)
        }
        try define(definition, in: id)
    }

    /// Takes in definitions that the next transaction begins with, before its other events are known.
    package func define(
        _ definitions: [TypeDefinition], in id: TransactionID
    ) throws(ReplayError) {
        for definition in definitions { try define(definition, in: id) }
        try checkReferences(id)
    }

    private func define(_ definition: TypeDefinition, in id: TransactionID) throws(ReplayError) {
        do throws(CatalogError) {
            guard try catalog.define(definition, in: id) else { return }
        } catch {
            throw .definition(id, error)
        }
        try revise(definition, in: id)
    }

    /// Gives a type that the catalog has taken in its table, or its table the new layout.
    func revise(_ definition: TypeDefinition, in id: TransactionID) throws(ReplayError) {
        let index = Int(definition.number.rawValue) - 1
        if index == tables.count {
            tables.append(Table(definition))
        } else {
            tables[index].revise(definition, in: transaction)
            conversions = conversions.filter { $0.key.type != definition.number }
            try reviseIndexes(of: index, in: id)
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

    /// Of types that the transaction defines: ids that no event names were not looked up.
    private func noteNumbers(of logged: TransactionView) throws(ReplayError) {
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

    /// Gives the entities their slots, in their order, but for those whose type may be defined by an
    /// event of the same transaction, and those whose id cannot have any, which the event says that
    /// needs it.
    private func lookUpEntities(of logged: TransactionView) {
        let entities = logged.entities
        slots.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        for _ in entities {
            hashes.append(0)
            slots.append(nil)
        }
        logged.forEachStretch { type, range in
            guard let table = tablePosition(of: type) else { return }
            for index in range { hashes[index] = tables[table].ids.hash(entities[index].id) }
            touched &+= tables[table].ids.touch(hashes[range], in: transaction.pages)
            for index in range {
                slots[index] = try? tables[table].intern(
                    entities[index].id, in: transaction)
            }
        }
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
