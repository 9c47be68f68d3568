internal import Foundation
internal import VarveEvents
internal import VarveText

/// In which order the pages of a query follow one another.
@usableFromInline
struct PageOrder<Entity: EntityModelProtocol> {
    /// What the query sorts by, if the order of its answer is that and then insertion order; nil
    /// for a query in an order of its own.
    private let parts: [RowComparator.Part]?

    /// Where a page starts.
    @usableFromInline
    enum Start {
        /// With the first row that this query finds.
        case query(QueryList<Entity>)
        /// With a slot, where slot order is the order: the place is found, not looked for.
        case slot(UInt32, (@Sendable (UnsafeRawPointer) -> Bool)?)
        /// Somewhere in the whole list.
        case list
    }

    @usableFromInline
    init(of query: QueryList<Entity>, _ cursor: QueryCursor?) throws(QueryCursorError) {
        let head = QueryHead(of: query.plan.steps)
        var parts: [RowComparator.Part]?
        if case .all = query.source, case .all = head.page, head.next == query.plan.steps.count {
            parts = head.orderings.isEmpty ? [] : head.comparator?.parts
        }
        self.parts = parts
        guard let cursor else { return }
        let name = Entity._descriptor.name
        guard cursor.entity == name, cursor.values.count == parts?.count ?? 0 else {
            throw .otherQuery(
                cursor: "\(cursor.entity) by \(cursor.values.count.counted("value"))",
                query: "\(name) by \((parts?.count ?? 0).counted("value"))")
        }
    }

    @usableFromInline
    func start(
        of query: QueryList<Entity>, behind cursor: QueryCursor?, in context: Context
    ) throws(QueryCursorError) -> Start {
        guard let parts else { return .list }
        guard let cursor else { return .query(query) }
        if parts.isEmpty, let table = context.table(of: Entity.self) {
            let planned = query.plan.list.planned(whole: table)
            if planned.isOfAllRows, let slot = table.slot(behind: cursor) {
                return .slot(slot, planned.residual?.matches)
            }
        }
        return .query(restricted(query, try bounds(of: cursor, parts), cursor.ordinal))
    }

    private func bounds(
        of cursor: QueryCursor, _ parts: [RowComparator.Part]
    ) throws(QueryCursorError) -> [CursorValue.Bound] {
        var bounds: [CursorValue.Bound] = []
        for (part, text) in zip(parts, cursor.values) {
            guard let bound = part.cursorValue?.bound(text) else {
                throw .unreadableValue(entity: cursor.entity, property: part.words, value: text)
            }
            bounds.append(bound)
        }
        return bounds
    }

    /// The query with nothing but what stands behind the cursor.
    private func restricted(
        _ query: QueryList<Entity>, _ bounds: [CursorValue.Bound], _ ordinal: UInt64
    ) -> QueryList<Entity> {
        let comparisons = bounds.map(\.comparison)
        let isBehind = QueryPredicate<Entity>(.opaque("behind a cursor")) { row in
            for comparison in comparisons {
                let order = comparison(row)
                if order != 0 { return order > 0 }
            }
            return row.metadata(at: Table<Entity>.metadataOffset).ordinal > ordinal
        }
        // The first says less than the second, but an index may know it.
        guard let condition = bounds.first?.condition else { return query.filter(isBehind) }
        return query.filter(QueryPredicate(condition)).filter(isBehind)
    }

    /// The cursor behind the row at a slot.
    @usableFromInline
    func cursor(
        at slot: UInt32, position: Int, _ table: Table<Entity>
    ) throws(QueryCursorError) -> QueryCursor {
        let slot = Slot(slot)
        let table = table.forOneReader().rows(of: Entity.self)
        var values: [String] = []
        for part in parts ?? [] {
            let encoded = table.withRow(at: slot) { part.cursorValue?.encode($0) }
            guard let text = encoded ?? nil else {
                throw .valueNotCodable(entity: Entity._descriptor.name, property: part.words)
            }
            values.append(text)
        }
        return QueryCursor(
            entity: Entity._descriptor.name, values: values,
            ordinal: table.metadata(of: slot).ordinal, id: table.encodedID(of: slot),
            position: position)
    }
}

extension RowComparator.Part {
    /// The property in words.
    fileprivate var words: String { name ?? path?.propertyName ?? "" }
}

extension Table {
    /// The slot behind the cursor's, where slot order is insertion order and the slot is known.
    fileprivate func slot(behind cursor: QueryCursor) -> UInt32? {
        guard isInSlotOrder, let slot = slot(ofEncodedID: cursor.id) else { return nil }
        var rows = RowCursor(self)
        guard rows.metadata(at: slot.rawValue).ordinal == cursor.ordinal else { return nil }
        return slot.rawValue + 1
    }

    /// The id as a log writes it; empty for an id that no log can hold.
    fileprivate func encodedID(of slot: Slot) -> [UInt8] {
        var writer = ByteWriter()
        guard (try? Entity._storeID(id(of: slot), into: &writer)) != nil else { return [] }
        return writer.withBytes { [UInt8]($0) }
    }

    func slot(ofEncodedID id: [UInt8]) -> Slot? {
        guard !id.isEmpty else { return nil }
        return id.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return (try? Entity._loadID(from: &reader)).flatMap { slot(of: $0) }
        }
    }
}
