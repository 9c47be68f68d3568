package import VarveEvents

extension StateTransaction {
    /// Applies the transaction of the log that comes next. Several may follow one another.
    package func apply(_ logged: TransactionView) throws(ReplayError) {
        try begin(logged)
        var hasDefinitions = false
        var events = logged.events
        while true {
            if let event = try Self.nextInsert(&events, in: logged.id) {
                try apply(event, of: logged)
                continue
            }
            guard let event = try Self.next(&events, in: logged.id) else { break }
            if case .define = event { hasDefinitions = true }
            try apply(event, of: logged)
        }
        enterEntities(before: logged.entities.count, of: logged)
        if hasDefinitions {
            try checkReferences(logged.id)
            try noteNumbers(of: logged)
        }
        replaySteps += UInt64(logged.eventCount) + 1
        conclude(logged.header)
    }

    /// Before the first event of a transaction is applied.
    func begin(_ logged: TransactionView) throws(ReplayError) {
        guard logged.id == nextTransaction, logged.id.rawValue < UInt64.max else {
            throw .outOfOrder(found: logged.id, expected: nextTransaction)
        }
        expectEntities(of: logged)
    }

    /// Makes the state the one behind a transaction, all of whose changes were made.
    package func conclude(_ header: TransactionHeader) {
        lastTransaction = header.id
        lastTime = header.time
        timeline.note(header)
    }

    private static func nextInsert(
        _ events: inout EventIterator, in id: TransactionID
    ) throws(ReplayError) -> InsertEvent? {
        do throws(EventError) {
            return try events.nextInsert()
        } catch {
            throw .event(id, error)
        }
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

    /// Applies one event. An event that does not fit changes nothing but slots that the transaction mentions,
    /// where no index was declared.
    func apply(
        _ event: TransactionEvent, of logged: TransactionView
    ) throws(ReplayError) {
        switch event {
        case .define(let event):
            // What a definition changes of ids holds for those of later transactions.
            enterEntities(before: logged.entities.count, of: logged)
            try define(event, in: logged.id)
        case .insert(let event): try apply(event, of: logged)
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

    private func apply(_ event: InsertEvent, of logged: TransactionView) throws(ReplayError) {
        if insertNew(event, of: logged) { return }
        try at(event.entity, of: logged) { type, slot throws(EntityFault) in
            try insert(event, into: type, slot, at: Self.version(of: logged))
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
}
