internal import VarveEvents
internal import VarveGraph

/// Decodes the changes of one type in one transaction.
struct ChangeDecoding<Entity: EntityModelProtocol> {
    private let view: TransactionView
    private let layout: ChangeReading.Layout
    private let catalog: Catalog

    init(_ view: TransactionView, _ layout: ChangeReading.Layout, _ catalog: Catalog) {
        self.view = view
        self.layout = layout
        self.catalog = catalog
    }

    /// Adds what the event did to entities of the type.
    func add(
        _ event: TransactionEvent, to changes: inout [LoggedChange<Entity>]
    ) throws(CodecError) {
        if case .purge(let event) = event {
            for index in event.entities where isOwn(index) {
                changes.append(.purged(try id(index)))
            }
        } else if let change = try change(event) {
            changes.append(change)
        }
    }

    /// Nil where the event is of another type, or changes no entity.
    private func change(
        _ event: TransactionEvent
    ) throws(CodecError) -> LoggedChange<Entity>? {
        switch event {
        case .insert(let event):
            guard isOwn(event.entity) else { return nil }
            return try entity(event.entity, event.row) { .inserted($0) }
        case .update(let event):
            guard isOwn(event.entity) else { return nil }
            return .updated(
                LoggedUpdate(id: try id(event.entity), properties: try properties(event.changes)))
        case .delete(let event):
            // A tombstone that was put there by itself took nothing away.
            guard isOwn(event.entity), !event.isRowless else { return nil }
            return try entity(event.entity, event.row) { .deleted($0) }
        case .link(let event):
            guard isOwn(event.parent) else { return nil }
            return .linked(try links(event))
        case .define, .purge, .former, .withdraw, .depart, .saveOrder, .unknown: return nil
        }
    }

    private func isOwn(_ entity: EntityIndex) -> Bool {
        view.entities[Int(entity.rawValue)].type == layout.target.number
    }

    private func id(_ entity: EntityIndex) throws(CodecError) -> Entity.ID {
        var reader = ByteReader(view.entities[Int(entity.rawValue)].id)
        return try Entity._loadID(from: &reader)
    }

    private func entity(
        _ index: EntityIndex, _ bytes: UnsafeRawBufferPointer,
        _ change: (Entity) -> LoggedChange<Entity>
    ) throws(CodecError) -> LoggedChange<Entity> {
        let id = try id(index)
        if layout.conversion.isIdentity { return read(bytes, id, change) }
        var row = ByteWriter()
        try layout.conversion.convert(bytes, into: &row)
        return row.withBytes { read($0, id, change) }
    }

    private func read(
        _ row: UnsafeRawBufferPointer, _ id: Entity.ID, _ change: (Entity) -> LoggedChange<Entity>
    ) -> LoggedChange<Entity> {
        var reader = ByteReader(row)
        if let entity = try? Entity(_id: id, from: &reader) { return change(entity) }
        return .unreadable(id, UnreadableValue(Entity.self, id, row))
    }

    private func links(_ event: LinkEvent) throws(CodecError) -> LoggedLinks<Entity> {
        let relation = layout.source.relations.first { $0.number == event.relation }
        return LoggedLinks(
            id: try id(event.parent), relation: relation?.name ?? "",
            removed: event.removals.map(member), inserted: event.insertions.map(member))
    }

    private func member(_ change: ListChange) -> LoggedLinks<Entity>.Member {
        let entity = view.entities[Int(change.entity.rawValue)]
        return LoggedLinks<Entity>.Member(
            position: change.position,
            idText: catalog.definition(of: entity.type)?.idType.text(of: entity.id) ?? "",
            encodedID: [UInt8](entity.id))
    }

    private func properties(
        _ changes: FieldChangeSequence
    ) throws(CodecError) -> [LoggedUpdate<Entity>.Property] {
        var properties: [LoggedUpdate<Entity>.Property] = []
        for (sourcePosition, change) in changes {
            let source = layout.source.fields[sourcePosition]
            guard
                let position = layout.target.fields.firstIndex(where: { $0.number == source.number }
                ),
                position < layout.known
            else { continue }
            let target = layout.target.fields[position]
            properties.append(
                LoggedUpdate<Entity>.Property(
                    name: target.name, position: position, type: target.type,
                    content: try content(change, Transcoder(from: source.type, to: target.type))))
        }
        return properties
    }

    private func content(
        _ change: FieldChangeSequence.Change, _ transcoder: Transcoder
    ) throws(CodecError) -> LoggedUpdate<Entity>.Property.Content {
        switch change {
        case .values(let old, let new):
            if transcoder.isIdentity { return .values(old: [UInt8](old), new: [UInt8](new)) }
            return .values(
                old: try transcoder.transcode([UInt8](old)),
                new: try transcoder.transcode([UInt8](new)))
        case .splice(let splice): return .splice(splice.encodedBytes, transcoder)
        }
    }
}
