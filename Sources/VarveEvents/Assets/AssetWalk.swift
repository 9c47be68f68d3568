/// Finds the assets that rows and transactions name, by the definitions of their types.
///
/// Belongs to one thread at a time.
package struct AssetWalk {
    /// The revisions of each type of which one may name assets, oldest first.
    private var revisions: [TypeNumber: [AssetRows]] = [:]

    package init(_ catalog: Catalog) {
        for definition in catalog.definitions {
            let all = catalog.revisions(of: definition.number).map {
                AssetRows($0.definition, since: $0.since)
            }
            guard all.contains(where: { !$0.fields.isEmpty }) else { continue }
            revisions[definition.number] = all
        }
    }

    /// No row names an asset.
    package var isEmpty: Bool { revisions.isEmpty }

    /// The types whose rows may name assets.
    package var types: Set<TypeNumber> { Set(revisions.keys) }

    /// Calls `body` with the assets that rows take which lack a property.
    package func forEachFill<Failure: Error>(
        _ body: (AssetMention) throws(Failure) -> Void
    ) throws(Failure) {
        for revision in revisions.values.joined() { try revision.forEachFill(body) }
    }

    // MARK: Rows

    /// Calls `body` with each asset that a page of entities of a checkpoint names.
    ///
    /// - Parameter last: the transaction behind which the checkpoint is: its rows are in the definitions of then.
    package func forEachAsset(
        inPage page: UnsafeRawBufferPointer, count: Int, of type: TypeNumber,
        behind last: TransactionID, _ body: (AssetMention) throws(CodecError) -> Void
    ) throws(CodecError) {
        guard let revision = revisions[type]?.last(where: { $0.since <= last }) else { return }
        var reader = try RowPageReader(
            page, count: count, layout: revision.layout, lastTransaction: .limit)
        try reader.forEach { _, entry throws(CodecError) in
            guard entry.presence.hasRow else { return }
            try revision.forEachAsset(inRow: entry.row, of: entry.id, isKept: true, body)
        }
    }

    /// Calls `body` with each asset that an entity names, or a tombstone, which the state behind a transaction has.
    package func forEachAsset(
        inRow row: UnsafeRawBufferPointer, of type: TypeNumber, id: UnsafeRawBufferPointer,
        behind last: TransactionID, _ body: (AssetMention) throws(CodecError) -> Void
    ) throws(CodecError) {
        guard let revision = revisions[type]?.last(where: { $0.since <= last }) else { return }
        try revision.forEachAsset(inRow: row, of: id, isKept: true, body)
    }

    // MARK: Transactions

    /// Calls `body` with each asset that a transaction names: what it leaves, and what it replaces or deletes. Of what
    /// it defines, that is what rows take from now on which lack a property.
    package func forEachAsset<Failure: Error>(
        in transaction: TransactionView, _ body: (AssetMention) throws(Failure) -> Void
    ) throws(AssetWalkFailure<Failure>) {
        let hasRows = transaction.entities.contains { revisions[$0.type] != nil }
        var events = transaction.events
        var mentions: [AssetMention] = []
        while true {
            do throws(EventError) {
                guard let event = try events.next() else { return }
                // Definitions come first. Most transactions are over with one event where no type has assets.
                if case .define = event {} else if !hasRows { return }
                mentions.removeAll(keepingCapacity: true)
                try collect(event, of: transaction, into: &mentions)
            } catch {
                throw .events(error)
            }
            for mention in mentions {
                do throws(Failure) {
                    try body(mention)
                } catch {
                    throw .consumer(error)
                }
            }
        }
    }

    private func collect(
        _ event: TransactionEvent, of transaction: TransactionView,
        into mentions: inout [AssetMention]
    ) throws(EventError) {
        if case .define(let event) = event {
            let definition = try event.definition()
            let former = revisions[definition.number]?.last { $0.since < transaction.id }
            AssetRows(definition).forEachFill(butOf: former?.layout.definition) {
                mentions.append($0)
            }
            return
        }
        do throws(CodecError) {
            try collectRows(event, of: transaction, into: &mentions)
        } catch {
            throw .malformed(error)
        }
    }

    private func collectRows(
        _ event: TransactionEvent, of transaction: TransactionView,
        into mentions: inout [AssetMention]
    ) throws(CodecError) {
        switch event {
        case .insert(let event):
            try collect(event.row, of: event.entity, isKept: true, transaction, &mentions)
        case .delete(let event):
            // Without a live row before, the tombstone is what the transaction brings.
            try collect(
                event.row, of: event.entity, isKept: event.isRowless, transaction, &mentions)
        case .former(let event):
            guard let tombstone = event.tombstone else { return }
            try collect(tombstone.row, of: event.entity, isKept: false, transaction, &mentions)
        case .update(let event): try collect(event, transaction, &mentions)
        case .define, .link, .purge, .withdraw, .depart, .saveOrder, .unknown: break
        }
    }

    private func revision(
        of entity: TransactionView.Entity, in transaction: TransactionView
    ) -> AssetRows? {
        revisions[entity.type]?.last { $0.since <= transaction.id }
    }

    private func collect(
        _ row: UnsafeRawBufferPointer, of index: EntityIndex, isKept: Bool,
        _ transaction: TransactionView, _ mentions: inout [AssetMention]
    ) throws(CodecError) {
        let entity = transaction.entities[Int(index.rawValue)]
        guard let revision = revision(of: entity, in: transaction) else { return }
        try revision.forEachAsset(inRow: row, of: entity.id, isKept: isKept) { mention in
            mentions.append(mention)
        }
    }

    private func collect(
        _ event: UpdateEvent, _ transaction: TransactionView, _ mentions: inout [AssetMention]
    ) throws(CodecError) {
        let entity = transaction.entities[Int(event.entity.rawValue)]
        guard let revision = revision(of: entity, in: transaction) else { return }
        for (position, change) in event.changes where revision.fields.contains(position) {
            // What names assets is never a text, data or JSON, which alone are spliced.
            guard case .values(let old, let new) = change else { continue }
            for (value, isKept) in [(old, false), (new, true)] {
                try revision.forEachAsset(
                    inValue: value, at: position, of: entity.id, isKept: isKept
                ) { mention in mentions.append(mention) }
            }
        }
    }
}

/// Why a walk over the assets of a transaction ended early.
package enum AssetWalkFailure<Consumer: Error>: Error {
    case events(EventError)
    case consumer(Consumer)
}
