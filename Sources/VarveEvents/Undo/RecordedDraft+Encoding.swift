extension RecordedDraft {
    /// Appends the events of everything that was changed. They follow from the state that the draft
    /// began with.
    package func encode(into encoder: inout TransactionEncoder) throws(CodecError) {
        var orders: [EntitySaveOrder] = []
        for place in record.touched {
            let eventCount = encoder.eventCount
            try encode(place, into: &encoder)
            let before = record.rows[place]?.stamps.saveOrder ?? 0
            // What the draft changes carries no order of its own, but that of insertion.
            guard before > 0, encoder.eventCount > eventCount else { continue }
            orders.append(
                EntitySaveOrder(entity: index(of: place, &encoder), now: 0, before: before))
        }
        if !orders.isEmpty { encoder.saveOrders(orders) }
        for key in record.touchedLists { encode(key, into: &encoder) }
    }

    /// The row changes, in the order of their cases: what was, against what is.
    private func encode(
        _ place: EntityPlace, into encoder: inout TransactionEncoder
    ) throws(CodecError) {
        guard let image = record.rows[place] else { return }
        let entity = index(of: place, &encoder)
        let now = presence(of: place)
        let ordinal = stamps(of: place).ordinal
        switch (image.presence, now) {
        case (.live, .live) where image.stamps.ordinal != ordinal,
            (.live, .tombstone) where image.stamps.ordinal != ordinal:
            // It came to another place in the order: what was there goes for good.
            encodeClearing(image, entity, &encoder)
            if now == .live {
                encoder.insert(
                    entity, ordinal: Ordinal(ordinal), previous: nil, row: rowBytes(of: place))
            } else {
                encodeDelete(place, nil, entity, isRowless: true, &encoder)
            }
        case (.live, .live): _ = try encodeUpdate(place, image, entity, image.version, &encoder)
        case (.live, .tombstone):
            var image = image
            if let new = try encodeUpdate(place, image, entity, image.version, &encoder) {
                image = new
            }
            encodeDelete(place, image, entity, isRowless: false, &encoder)
        case (.live, .gone), (.live, .vacant):
            encodeClearing(image, entity, &encoder)
            if now == .vacant { encoder.withdraw(entity) }
        case (_, .live):
            encodeFormer(place, image, entity, &encoder)
            encoder.insert(
                entity, ordinal: Ordinal(ordinal),
                previous: image.presence == .tombstone ? image.version : nil,
                row: rowBytes(of: place))
        case (_, .tombstone):
            guard image.presence != .tombstone || isChanged(place, image) else { return }
            encodeFormer(place, image, entity, &encoder)
            encodeDelete(place, image, entity, isRowless: true, &encoder)
        case (.tombstone, .gone), (.tombstone, .vacant):
            encodeFormer(place, image, entity, &encoder)
            encoder.purge([entity])
            if now == .vacant { encoder.withdraw(entity) }
        case (.gone, .vacant):
            encodeFormer(place, image, entity, &encoder)
            encoder.withdraw(entity)
        case (.vacant, .gone): encoder.depart(entity)
        case (.gone, .gone), (.vacant, .vacant): return
        }
    }

    private func encodeClearing(
        _ image: DraftRecord.RowImage, _ entity: EntityIndex, _ encoder: inout TransactionEncoder
    ) {
        image.row.withUnsafeBytes {
            encoder.delete(
                entity, keepsTombstone: false, ordinal: Ordinal(image.stamps.ordinal),
                previous: image.version, cause: .direct, row: $0, lists: [])
        }
    }

    /// The image with the new row, nil where no field changed.
    private func encodeUpdate(
        _ place: EntityPlace, _ image: DraftRecord.RowImage, _ entity: EntityIndex,
        _ previous: PreviousVersion, _ encoder: inout TransactionEncoder
    ) throws(CodecError) -> DraftRecord.RowImage? {
        let layout = layout(ofTable: place.table)
        let row = rowBytes(of: place)
        var changes = FieldChanges()
        try image.row.withReader { reader throws(CodecError) in
            var old = reader
            var new = ByteReader(row)
            for position in 0..<layout.fieldCount {
                let (oldStart, newStart) = (old.position, new.position)
                try layout.skip(position, in: &old)
                try layout.skip(position, in: &new)
                let (before, after) = (
                    old.slice(from: oldStart, to: old.position),
                    new.slice(from: newStart, to: new.position)
                )
                try changes.append(
                    position, old: { $0.write(before) }, new: { $0.write(after) })
            }
        }
        guard !changes.isEmpty else { return nil }
        encoder.update(
            entity, previous: previous, changes: changes, fields: layout.definition.fields)
        return DraftRecord.RowImage(
            presence: .live,
            stamps: EntityStamps(
                ordinal: image.stamps.ordinal, transaction: version.transaction.rawValue,
                updatedAt: version.updatedAt.microseconds),
            row: [UInt8](row), lists: image.lists)
    }

    private func encodeDelete(
        _ place: EntityPlace, _ image: DraftRecord.RowImage?, _ entity: EntityIndex,
        isRowless: Bool,
        _ encoder: inout TransactionEncoder
    ) {
        let lists = indexes(keptLists(of: place), of: place, &encoder)
        encoder.delete(
            entity, keepsTombstone: true, isRowless: isRowless,
            ordinal: Ordinal(stamps(of: place).ordinal),
            previous: image.flatMap { $0.presence.hasRow ? $0.version : nil }, cause: .direct,
            row: rowBytes(of: place), lists: lists)
    }

    private func encodeFormer(
        _ place: EntityPlace, _ image: DraftRecord.RowImage, _ entity: EntityIndex,
        _ encoder: inout TransactionEncoder
    ) {
        switch image.presence {
        case .vacant, .live: return
        case .gone: encoder.formerlyGone(entity, previous: image.version)
        case .tombstone:
            let lists = indexes(image.lists, of: place, &encoder)
            image.row.withUnsafeBytes {
                encoder.formerTombstone(
                    entity, ordinal: Ordinal(image.stamps.ordinal), previous: image.version,
                    row: $0, lists: lists)
            }
        }
    }

    private func isChanged(_ place: EntityPlace, _ image: DraftRecord.RowImage) -> Bool {
        image.stamps.ordinal != stamps(of: place).ordinal
            || image.row != [UInt8](rowBytes(of: place))
            || !keptLists(of: place).elementsEqual(image.lists) {
                $0.relation == $1.relation && $0.slots == $1.slots
            }
    }

    // MARK: Links

    private func encode(_ key: DraftRecord.ListKey, into encoder: inout TransactionEncoder) {
        let relation = definition(ofTable: key.place.table).relations[key.relation]
        let before = record.lists[key] ?? []
        let difference = ListDifference(
            from: before, to: list(of: key.relation, at: key.place).slots)
        guard !difference.isEmpty else { return }
        let target = Int(relation.target.rawValue) - 1
        let parent = index(of: key.place, &encoder)
        let removals = changes(difference.removals, target, &encoder)
        let insertions = changes(difference.insertions, target, &encoder)
        encoder.link(
            parent, relation: relation.number, oldCount: before.count,
            removals: removals, insertions: insertions)
    }

    private func changes(
        _ changes: [(position: Int, element: UInt32)], _ target: Int,
        _ encoder: inout TransactionEncoder
    ) -> [ListChange] {
        var entities: [ListChange] = []
        for change in changes {
            let entity = index(of: EntityPlace(table: target, slot: change.element), &encoder)
            entities.append(ListChange(position: change.position, entity: entity))
        }
        return entities
    }

    // MARK: Entities

    private func index(
        of place: EntityPlace, _ encoder: inout TransactionEncoder
    ) -> EntityIndex {
        encoder.entity(definition(ofTable: place.table).number, idBytes(of: place))
    }

    private func indexes(
        _ lists: DraftRecord.KeptLists, of place: EntityPlace,
        _ encoder: inout TransactionEncoder
    ) -> [(relation: RelationNumber, entities: [EntityIndex])] {
        let definition = definition(ofTable: place.table)
        var indexes: [(relation: RelationNumber, entities: [EntityIndex])] = []
        for list in lists.sorted(by: { $0.relation < $1.relation }) where !list.slots.isEmpty {
            guard let position = definition.position(of: list.relation) else { continue }
            let target = Int(definition.relations[position].target.rawValue) - 1
            var entities: [EntityIndex] = []
            for slot in list.slots {
                entities.append(index(of: EntityPlace(table: target, slot: slot), &encoder))
            }
            indexes.append((list.relation, entities))
        }
        return indexes
    }
}

extension DraftRecord.RowImage {
    /// The version that an event on the entity replaces.
    fileprivate var version: PreviousVersion {
        PreviousVersion(
            transaction: TransactionID(stamps.transaction),
            updatedAt: Timestamp(microseconds: stamps.updatedAt))
    }
}
