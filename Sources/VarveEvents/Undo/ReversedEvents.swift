/// The events of a transaction, newest first, in the order in which they are reverted.
struct ReversedEvents {
    enum RowEvent {
        case update(UpdateEvent)
        case delete(DeleteEvent)
        case purge(EntityIndex)
        case depart(EntityIndex)
    }

    private(set) var rows: [RowEvent] = []
    private(set) var links: [LinkEvent] = []
    private(set) var insertions: [InsertEvent] = []
    /// Insertions of entities that the transaction had deleted for good before, by which they
    /// came to another place in the order of their type.
    private(set) var replacements: [EntityIndex: InsertEvent] = [:]
    private(set) var formers: [EntityIndex: FormerEvent] = [:]
    /// Where the saves that the transaction replaced were among those of theirs.
    private var formerSaveOrders: [EntityIndex: UInt32] = [:]
    /// Entities to be brought back whose tombstone is not what the row was that went: what it holds
    /// says what they were linked to, and no event does.
    private(set) var heldByTombstone: Set<EntityIndex> = []
    /// Entities whose row changed and went: it returns as a whole, with what the app does not know of it.
    private(set) var wholeRows: Set<EntityIndex> = []
    private let isMove: Bool

    init(_ transaction: borrowing TransactionView) throws(ReversalError) {
        isMove =
            switch transaction.header.kind {
            case .undo, .redo: true
            case .write, .schema, .purge: false
            }
        var events = transaction.events
        do throws(EventError) {
            while let event = try events.next() { add(event) }
        } catch {
            throw .event(error)
        }
        rows.reverse()
        links.reverse()
        insertions.reverse()
        separateReplacements()
        findWholeRows()
    }

    private mutating func findWholeRows() {
        var updated: Set<EntityIndex> = []
        for case .update(let event) in rows { updated.insert(event.entity) }
        guard !updated.isEmpty else { return }
        for case .delete(let event) in rows where updated.contains(event.entity) {
            wholeRows.insert(event.entity)
        }
    }

    private mutating func separateReplacements() {
        guard !insertions.isEmpty else { return }
        var cleared: Set<EntityIndex> = []
        for case .delete(let event) in rows where !event.keepsTombstone {
            cleared.insert(event.entity)
        }
        guard !cleared.isEmpty else { return }
        for insertion in insertions where cleared.contains(insertion.entity) {
            replacements[insertion.entity] = insertion
        }
        insertions.removeAll { cleared.contains($0.entity) }
    }

    /// Keeps what brings these entities back.
    mutating func keepDeletions(of entities: Set<EntityIndex>) {
        heldByTombstone = entities.intersection(replaced)
        rows = rows.filter { event in
            if case .delete(let event) = event {
                event.keepsTombstone && entities.contains(event.entity)
            } else {
                false
            }
        }
        // The links that went were of something else.
        let linked = entities.subtracting(heldByTombstone)
        links = links.filter { link in
            linked.contains(link.parent)
                || link.removals.contains { linked.contains($0.entity) }
        }
        insertions = []
        replacements = [:]
    }

    /// Entities that became a tombstone, or another one, without having had a row, and those of which an
    /// undo brought another tombstone back than their row would have left: that is told as an update in
    /// front of the deletion.
    private var replaced: Set<EntityIndex> {
        var updated: Set<EntityIndex> = []
        var replaced: Set<EntityIndex> = []
        for event in rows.reversed() {
            switch event {
            case .update(let event): updated.insert(event.entity)
            case .delete(let event):
                if event.isRowless || isMove && updated.contains(event.entity) {
                    replaced.insert(event.entity)
                }
            case .purge, .depart: break
            }
        }
        return replaced
    }

    private mutating func add(_ event: TransactionEvent) {
        switch event {
        case .insert(let event): insertions.append(event)
        case .update(let event): rows.append(.update(event))
        case .delete(let event): rows.append(.delete(event))
        case .purge(let event): rows += event.entities.map { .purge($0) }
        case .link(let event): links.append(event)
        case .former(let event): formers[event.entity] = event
        case .depart(let event): rows.append(.depart(event.entity))
        case .withdraw(let event):
            // Of one that goes in this transaction, another event says what it was.
            if let former = formers[event.entity], former.tombstone == nil {
                rows.append(.purge(event.entity))
            }
        case .saveOrder(let event):
            for order in event.orders where order.before > 0 {
                formerSaveOrders[order.entity] = order.before
            }
        case .define, .unknown: break
        }
    }

    /// The version of an entity that an event names, with the order of its save.
    func version(_ previous: PreviousVersion?, of entity: EntityIndex) -> PreviousVersion? {
        guard var version = previous, let order = formerSaveOrders[entity] else { return previous }
        version.saveOrder = order
        return version
    }
}
