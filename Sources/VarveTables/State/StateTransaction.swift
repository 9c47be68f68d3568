package import VarveEvents

/// Makes the next state: the one object that changes pages, and that knows how to give up.
///
/// It begins with a copy of the newest state. Every change goes to pages of its own, so no reader
/// sees it, and rolling back is dropping them. ``publish()`` returns the state with the changes.
///
/// Each transaction of the log is checked against the state: entities exist or not, old values are
/// equal, positions hold what the event says. After an error the caller rolls back.
///
/// One transaction of a store is open at a time, on one thread.
package final class StateTransaction {
    let transaction: PageTransaction
    package internal(set) var catalog: Catalog
    package internal(set) var lastTransaction: TransactionID
    package internal(set) var lastTime: Timestamp
    package internal(set) var timeline: Timeline
    package internal(set) var unknownEventCount: Int
    /// The log's transactions that were applied since this one began, and their events.
    package internal(set) var replaySteps: UInt64 = 0

    /// Nil where that is not asked for.
    @exclusivity(unchecked) package var setRows: SetRows?

    // Unchecked: every event touches these several times, and no access calls out to another of the
    // same property.
    @exclusivity(unchecked) var tables: [Table]
    /// Of the log's transaction that is being applied, by its order of entities.
    @exclusivity(unchecked) var slots: [Slot?] = []
    /// The first ones of them have their slots.
    @exclusivity(unchecked) var enteredCount = 0
    /// Of the first ones, those that were known before have their slots too.
    @exclusivity(unchecked) var lookedUpCount = 0
    /// The types that were defined when the transaction began: entities of others get slots as events name them.
    @exclusivity(unchecked) var expectedTypeCount = 0
    @exclusivity(unchecked) var lookup = EntityLookup()
    /// Of the link event that is being applied.
    @exclusivity(unchecked) var changes = SlotListChanges()
    @exclusivity(unchecked) var row = ByteWriter(capacity: 1_024)
    @exclusivity(unchecked) var conversion = ByteWriter(capacity: 1_024)
    /// To the newest revisions, by type and old revision.
    @exclusivity(unchecked) var conversions: [RowRevision: RowConversion] = [:]

    private let baseDamage: PageDamage?
    /// With damage, before the transaction.
    private let meetingCount: Int

    /// Begins to change a state, which is the newest of its store.
    package init(_ base: State) {
        baseDamage = base.damage
        meetingCount = base.store.cold?.health.meetingCount ?? 0
        transaction = PageTransaction(base.store, base: base.snapshot)
        catalog = base.catalog
        tables = base.tables
        lastTransaction = base.lastTransaction
        lastTime = base.lastTime
        timeline = base.timeline
        unknownEventCount = base.unknownEventCount
        forgetRemovedEntries()
    }

    /// Ends the transaction. The state before stays as it is, for as long as it is kept.
    ///
    /// Where there is ``damage``, the new state is damaged too: ``State/reading(_:)`` throws.
    package func publish() -> State {
        State(
            transaction.store, transaction.publish(), catalog: catalog, tables: tables,
            lastTransaction: lastTransaction, lastTime: lastTime, timeline: timeline,
            unknownEventCount: unknownEventCount, damage: damage)
    }

    /// What was read of damaged pages since the transaction began; what it makes of zeros is no state.
    package var damage: PageDamage? {
        if let baseDamage { return baseDamage }
        do throws(PageDamage) {
            try transaction.store.cold?.health.check(since: meetingCount)
            return nil
        } catch {
            return error
        }
    }

    /// Ends the transaction as if it had not been. So does the end of the object.
    package func rollBack() { transaction.rollBack() }

    /// The id that the next transaction of the log must have.
    var nextTransaction: TransactionID { TransactionID(lastTransaction.rawValue &+ 1) }

    /// Evicts unchanged pages of the image where what is loaded takes more memory than it may. What the transaction has
    /// changed stays.
    ///
    /// Between two calls to this transaction. Other threads read no pages of the image through the states of its store, but
    /// through ``State/limited(to:from:)``: what writes a planned image reads those beside the image alone.
    package func evictPages() { transaction.store.evictBlocks() }

    /// A revision of a type.
    struct RowRevision: Hashable {
        let type: TypeNumber
        let revision: UInt32
    }
}
