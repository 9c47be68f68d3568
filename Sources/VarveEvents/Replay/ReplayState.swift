/// The state after some transactions, over encoded rows: no app types, no hooks, no clock.
///
/// Transactions are applied in order, and each is checked against the state: entities exist or
/// not, old values are equal, positions hold what the event says. After an error the state is
/// that of a transaction half applied, and of no use but to look at.
///
/// Not safe for concurrent changes; several threads may read while none changes it.
package final class ReplayState {
    package internal(set) var catalog = Catalog()
    /// The newest transaction applied.
    package internal(set) var lastTransaction: TransactionID
    /// The time of the newest transaction.
    package internal(set) var lastTime = Timestamp(microseconds: 0)
    /// What can be undone and redone behind it.
    package internal(set) var timeline = Timeline()
    /// Events of later versions that were passed over.
    package internal(set) var unknownEventCount = 0

    /// By type number - 1; nil where the type was handed over.
    @exclusivity(unchecked) var tables: [ReplayTable?] = []

    // Reused from event to event. Unchecked: events touch them several times, and no access
    // leads to another of the same property.
    @exclusivity(unchecked) var slots: [UInt32] = []
    @exclusivity(unchecked) var hashes = RawColumn<UInt64>()
    @exclusivity(unchecked) var row = ByteWriter(capacity: 1_024)
    @exclusivity(unchecked) var removals: [LinkColumn.Change] = []
    @exclusivity(unchecked) var insertions: [LinkColumn.Change] = []
    /// Written so that the loads of ``SlotMap/touch(_:_:)`` are not for nothing.
    @exclusivity(unchecked) var touched = 0

    /// An empty state, before the transaction that follows `lastTransaction`.
    package init(after lastTransaction: TransactionID = TransactionID(0)) {
        self.lastTransaction = lastTransaction
    }

    /// A state that was loaded.
    init(
        catalog: Catalog, lastTransaction: TransactionID, lastTime: Timestamp,
        tables: [ReplayTable], timeline: Timeline
    ) {
        self.catalog = catalog
        self.lastTransaction = lastTransaction
        self.lastTime = lastTime
        self.tables = tables
        self.timeline = timeline
    }

    /// The id that the next transaction must have.
    package var nextTransaction: TransactionID { TransactionID(lastTransaction.rawValue &+ 1) }

    func table(_ type: TypeNumber) -> ReplayTable? {
        let index = Int(type.rawValue) - 1
        return tables.indices.contains(index) ? tables[index] : nil
    }

    /// Frees the rows, ids and links of a type whose entities the caller has taken over. Events of
    /// the type are refused from now on; links of other types to it are still told as slots.
    package func release(_ type: TypeNumber) {
        let index = Int(type.rawValue) - 1
        if tables.indices.contains(index) { tables[index] = nil }
    }
}
