extension InspectedEvent {
    /// - Parameters:
    ///   - catalog: what the names of types come from.
    ///   - id: the transaction that the event is of.
    init(_ event: EventDescription, catalog: Catalog, in id: TransactionID) {
        switch event {
        case .define(let definition):
            self = .define(
                InspectedType(definition) { catalog.definition(of: $0, after: id) })
        case .insert(let entity, let ordinal, let previous, let fields):
            self = .insert(
                Insertion(
                    entity: EntityName(entity), ordinal: ordinal.rawValue,
                    previous: previous.map(Previous.init), fields: fields.map(InspectedField.init)))
        case .update(let entity, let previous, let changes):
            self = .update(
                Update(
                    entity: EntityName(entity), previous: previous.map(Previous.init),
                    changes: changes.map(FieldChange.init)))
        case .delete(let deletion): self = .delete(Deletion(deletion))
        case .link(let link): self = .link(LinkChange(link))
        case .purge(let entities): self = .purge(entities.map(EntityName.init))
        case .unknown(let tag, let count):
            self = .unknown(tag: tag, bytes: ByteCount(UInt64(count)))
        }
    }
}

extension InspectedEvent.Previous {
    fileprivate init(_ version: PreviousVersion) {
        transaction = version.transaction
        updatedAt = Moment(version.updatedAt)
    }
}

extension InspectedField {
    fileprivate init(_ field: EventDescription.Field) {
        name = field.name
        value = InspectedValue(field.value)
    }
}

extension InspectedEvent.FieldChange {
    fileprivate init(_ change: EventDescription.Change) {
        name = change.name
        switch change.content {
        case .values(let old, let new):
            content = .values(old: InspectedValue(old), new: InspectedValue(new))
        case .splice(let prefix, let suffix, let old, let new):
            content = .splice(
                InspectedEvent.Splice(
                    prefix: ByteCount(UInt64(prefix)), suffix: ByteCount(UInt64(suffix)), old: old,
                    new: new))
        }
    }
}

extension InspectedEvent.Deletion {
    fileprivate init(_ deletion: EventDescription.Deletion) {
        entity = EntityName(deletion.entity)
        ordinal = deletion.ordinal.rawValue
        previous = deletion.previous.map(InspectedEvent.Previous.init)
        switch deletion.cause {
        case .direct: cause = .direct
        case .cascade(let origin): cause = .cascade(of: EntityName(origin))
        case .upsert(let origin): cause = .upsert(by: EntityName(origin))
        }
        keepsTombstone = deletion.keepsTombstone
        isRowless = deletion.isRowless
        fields = deletion.fields.map(InspectedField.init)
        links = deletion.lists.map { list in
            Links(relation: list.relation, targets: list.entities.map(EntityName.init))
        }
    }
}

extension InspectedEvent.LinkChange {
    fileprivate init(_ link: EventDescription.Link) {
        parent = EntityName(link.parent)
        relation = link.relation
        oldCount = link.oldCount
        removals = link.removals.map(Member.init)
        insertions = link.insertions.map(Member.init)
    }
}

extension InspectedEvent.LinkChange.Member {
    fileprivate init(_ member: EventDescription.Link.Member) {
        target = EntityName(member.entity)
        position = member.position
    }
}
