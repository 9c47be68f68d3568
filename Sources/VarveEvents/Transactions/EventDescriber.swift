/// Turns the events of one transaction into values.
struct EventDescriber {
    let transaction: TransactionView
    let catalog: Catalog
    let includesLinks: Bool

    func describe(_ positions: Range<Int>) throws(DescriptionError) -> [EventDescription] {
        var described: [EventDescription] = []
        var events = transaction.events
        var position = 0
        while let event = try Self.next(&events) {
            if positions.contains(position), let description = try describe(event) {
                described.append(description)
            }
            position += 1
        }
        return described
    }

    private static func next(
        _ events: inout EventIterator
    ) throws(DescriptionError) -> TransactionEvent? {
        do throws(EventError) {
            return try events.next()
        } catch {
            throw .event(error)
        }
    }

    /// Nil for what changes nothing.
    private func describe(
        _ event: TransactionEvent
    ) throws(DescriptionError) -> EventDescription? {
        switch event {
        case .define(let event):
            do throws(EventError) {
                return .define(try event.definition())
            } catch {
                throw .event(error)
            }
        case .insert(let event):
            return .insert(
                try reference(event.entity), ordinal: event.ordinal, previous: event.previous,
                fields: try fields(event.row, of: event.entity))
        case .update(let event): return try describe(event)
        case .delete(let event): return try describe(event)
        case .link(let event): return includesLinks ? try describe(event) : nil
        case .purge(let event): return .purge(try references(event.entities))
        case .former, .withdraw, .depart, .saveOrder: return nil
        case .unknown(let tag, let bytes): return .unknown(tag: tag, byteCount: bytes.count)
        }
    }

    private func describe(_ event: UpdateEvent) throws(DescriptionError) -> EventDescription {
        let type = try definition(of: event.entity)
        var changes: [EventDescription.Change] = []
        for (position, change) in event.changes {
            guard position < type.fields.count else {
                throw .unknownField(type: type.name, position: position)
            }
            let field = type.fields[position]
            let content: EventDescription.Change.Content
            switch change {
            case .values(let old, let new):
                content = .values(
                    old: try value(field.type, old), new: try value(field.type, new))
            case .splice(let splice):
                content = .splice(
                    prefix: splice.prefixLength, suffix: splice.suffixLength,
                    old: [UInt8](splice.oldMiddle), new: [UInt8](splice.newMiddle))
            }
            changes.append(EventDescription.Change(name: field.name, content: content))
        }
        return .update(
            try reference(event.entity), previous: event.previous, changes: changes)
    }

    private func describe(_ event: DeleteEvent) throws(DescriptionError) -> EventDescription {
        let cause: EventDescription.Deletion.Cause
        switch event.cause {
        case .direct: cause = .direct
        case .cascade(let entity): cause = .cascade(of: try reference(entity))
        case .upsert(let entity): cause = .upsert(by: try reference(entity))
        }
        var lists: [(relation: String, entities: [EntityReference])] = []
        for (number, entities) in event.lists {
            let relation = try relation(number, of: event.entity)
            lists.append((relation.name, try references(entities)))
        }
        return .delete(
            EventDescription.Deletion(
                entity: try reference(event.entity), ordinal: event.ordinal,
                previous: event.previous, cause: cause, keepsTombstone: event.keepsTombstone,
                isRowless: event.isRowless, fields: try fields(event.row, of: event.entity),
                lists: lists))
    }

    private func describe(_ event: LinkEvent) throws(DescriptionError) -> EventDescription {
        func members(
            _ changes: ListChangeSequence
        ) throws(DescriptionError) -> [EventDescription.Link.Member] {
            var members: [EventDescription.Link.Member] = []
            for change in changes {
                members.append(
                    .init(position: change.position, entity: try reference(change.entity)))
            }
            return members
        }
        return .link(
            EventDescription.Link(
                parent: try reference(event.parent),
                relation: try relation(event.relation, of: event.parent).name,
                oldCount: event.oldCount, removals: try members(event.removals),
                insertions: try members(event.insertions)))
    }

    // MARK: Parts

    private func definition(of entity: EntityIndex) throws(DescriptionError) -> TypeDefinition {
        let type = transaction.entities[Int(entity.rawValue)].type
        guard let definition = catalog.definition(of: type, after: transaction.id) else {
            throw .unknownType(type)
        }
        return definition
    }

    private func relation(
        _ number: RelationNumber, of entity: EntityIndex
    ) throws(DescriptionError) -> RelationDefinition {
        let type = try definition(of: entity)
        guard let position = type.position(of: number) else {
            throw .unknownRelation(type: type.name, number)
        }
        return type.relations[position]
    }

    private func reference(_ entity: EntityIndex) throws(DescriptionError) -> EntityReference {
        let type = try definition(of: entity)
        return EntityReference(
            type: type.number, typeName: type.name,
            id: try value(type.idType, transaction.entities[Int(entity.rawValue)].id))
    }

    private func references(
        _ entities: EntitySequence
    ) throws(DescriptionError) -> [EntityReference] {
        var references: [EntityReference] = []
        for entity in entities { references.append(try reference(entity)) }
        return references
    }

    private func value(
        _ type: StoredType, _ bytes: UnsafeRawBufferPointer
    ) throws(DescriptionError) -> StoredValue {
        do throws(CodecError) {
            return try StoredValue(type, bytes: bytes)
        } catch {
            throw .value(error)
        }
    }

    private func fields(
        _ row: UnsafeRawBufferPointer, of entity: EntityIndex
    ) throws(DescriptionError) -> [EventDescription.Field] {
        let layout = RowLayout(try definition(of: entity))
        do throws(CodecError) {
            return try layout.values(of: row).map {
                EventDescription.Field(name: $0.name, value: $0.value)
            }
        } catch {
            throw .value(error)
        }
    }
}
