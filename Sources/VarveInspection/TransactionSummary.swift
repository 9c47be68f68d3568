/// A transaction without the content of its events.
public struct TransactionSummary: Hashable, Sendable {
    /// What a transaction is for.
    public typealias Kind = TransactionPurpose

    /// The events of a transaction that concern one type.
    public struct TypeEvents: Hashable, Sendable {
        /// The name of the type.
        public let type: String
        /// Definitions of the type.
        public fileprivate(set) var definitions = 0
        /// Entities that were inserted.
        public fileprivate(set) var insertions = 0
        /// Entities whose fields got other values.
        public fileprivate(set) var updates = 0
        /// Entities that were deleted.
        public fileprivate(set) var deletions = 0
        /// Lists of links that changed, of parents of this type.
        public fileprivate(set) var links = 0
        /// Tombstones that were removed.
        public fileprivate(set) var purges = 0

        fileprivate init(_ type: String) { self.type = type }
    }

    /// The number of the transaction.
    public let id: TransactionID
    /// When it was written, by its writer's clock.
    public let time: Moment
    /// What the transaction is for.
    public let kind: Kind
    /// Whether an undo may take it back.
    public let isUndoable: Bool
    /// What it does, for people, as its writer said it.
    public let label: String?
    /// The undo stack that it belongs to; nil for the stack of writes without a scope.
    public let scope: String?
    /// The group of transactions that are one undo step; nil without one.
    public let group: String?
    /// Who made the change, as the writer said it.
    public let author: String?
    /// What else the writer kept with it.
    public let metadata: [String: String]
    /// The migrations that it performed, or that a new store did not need.
    public let migrations: [String]
    /// Where its first frame lies.
    public let location: FrameLocation
    /// What its frames occupy in the file.
    public let storedBytes: ByteCount
    /// What its frames hold before compression.
    public let rawBytes: ByteCount
    /// How many events it has, those of later versions included.
    public let eventCount: Int
    /// In the order in which the types were first defined.
    public let types: [TypeEvents]
    /// Events of a later version, which this one passes over.
    public let unknownEventCount: Int
}

extension TransactionSummary {
    /// - Parameter catalog: one that has taken in this transaction's definitions.
    init(
        _ logged: LoggedTransaction, _ transaction: TransactionView, catalog: Catalog
    ) throws(InspectionError) {
        var tally = EventTally(transaction: transaction, catalog: catalog)
        do throws(EventError) {
            try tally.run()
        } catch {
            throw .transaction(transaction.id, logged.location, reason: "\(error)")
        }
        let header = transaction.header
        id = header.id
        time = Moment(header.time)
        kind = header.purpose
        isUndoable = header.isUndoable
        label = header.label
        scope = header.scope
        group = header.group
        author = header.author
        metadata = header.metadata
        migrations = header.migrations.map(\.description)
        location = logged.location
        storedBytes = logged.storedBytes
        rawBytes = ByteCount(UInt64(logged.payload.count))
        eventCount = transaction.eventCount
        types = tally.types.sorted { $0.key < $1.key }.map(\.value)
        unknownEventCount = tally.unknownEventCount
    }
}

/// Counts the events of a transaction by type.
private struct EventTally {
    let transaction: TransactionView
    let catalog: Catalog
    var types: [TypeNumber: TransactionSummary.TypeEvents] = [:]
    var unknownEventCount = 0

    mutating func run() throws(EventError) {
        var events = transaction.events
        while let event = try events.next() {
            switch event {
            case .define(let event): add(to: try event.definition().number) { $0.definitions += 1 }
            case .insert(let event): add(to: event.entity) { $0.insertions += 1 }
            case .update(let event): add(to: event.entity) { $0.updates += 1 }
            case .delete(let event): add(to: event.entity) { $0.deletions += 1 }
            case .link(let event): add(to: event.parent) { $0.links += 1 }
            case .purge(let event):
                for entity in event.entities { add(to: entity) { $0.purges += 1 } }
            case .former, .withdraw, .depart, .saveOrder: break
            case .unknown: unknownEventCount += 1
            }
        }
    }

    private mutating func add(
        to entity: EntityIndex, _ change: (inout TransactionSummary.TypeEvents) -> Void
    ) {
        // The iterator has checked that the entity is in the table.
        add(to: transaction.entities[Int(entity.rawValue)].type, change)
    }

    private mutating func add(
        to type: TypeNumber, _ change: (inout TransactionSummary.TypeEvents) -> Void
    ) {
        let name = catalog.definition(of: type, after: transaction.id)?.name
        change(&types[type, default: .init(name ?? "type \(type)")])
    }
}
