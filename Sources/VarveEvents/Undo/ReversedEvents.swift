/// The events of a transaction, newest first, in the order in which they are taken back.
struct ReversedEvents {
    enum RowEvent {
        case update(UpdateEvent)
        case delete(DeleteEvent)
        case purge(EntityIndex)
    }

    private(set) var rows: [RowEvent] = []
    private(set) var links: [LinkEvent] = []
    private(set) var insertions: [InsertEvent] = []
    private(set) var formers: [EntityIndex: FormerEvent] = [:]

    init(_ transaction: TransactionView) throws(ReversalError) {
        var events = transaction.events
        do throws(EventError) {
            while let event = try events.next() { add(event) }
        } catch {
            throw .event(error)
        }
        rows.reverse()
        links.reverse()
        insertions.reverse()
    }

    /// Keeps what brings these entities back.
    mutating func keepDeletions(of entities: Set<EntityIndex>) {
        rows = rows.filter { event in
            if case .delete(let event) = event {
                !event.isRowless && entities.contains(event.entity)
            } else {
                false
            }
        }
        links = links.filter { link in
            entities.contains(link.parent)
                || link.removals.contains { entities.contains($0.entity) }
        }
        insertions = []
    }

    private mutating func add(_ event: TransactionEvent) {
        switch event {
        case .insert(let event): insertions.append(event)
        case .update(let event): rows.append(.update(event))
        case .delete(let event): rows.append(.delete(event))
        case .purge(let event): rows += event.entities.map { .purge($0) }
        case .link(let event): links.append(event)
        case .former(let event): formers[event.entity] = event
        case .define, .withdraw, .unknown: break
        }
    }
}
