package import VarveEvents

/// The content of a store after some transaction: definitions, entities, links, undo stacks.
///
/// A value. A copy costs some reference counts and is a snapshot: it reads as it is for as long as it
/// is kept, whatever transactions follow. ``StateTransaction`` makes the next state of the newest one.
///
/// Any number of threads may read a state and its copies.
package struct State: Sendable {
    let store: PageStore
    /// Keeps the pages of this state alive; nil in a store whose first transaction is still to come.
    let snapshot: PageSnapshot?
    package let catalog: Catalog
    /// By type number - 1.
    let tables: [Table]
    /// The newest transaction applied, and its time.
    package let lastTransaction: TransactionID
    package let lastTime: Timestamp
    /// What can be undone and redone behind it.
    package private(set) var timeline: Timeline
    /// Events of later versions that were passed over.
    package let unknownEventCount: Int
    /// Why the state is not to be used: the transaction that made it met damaged pages.
    package let damage: PageDamage?

    /// An empty state, in a store of its own, before the transaction that follows `lastTransaction`.
    ///
    /// - Parameters:
    ///   - blockBytes: what an image of the state reads at a time.
    ///   - memory: what pages may take; nil for no limit.
    package init(
        after lastTransaction: TransactionID = TransactionID(0),
        blockBytes: Int = PageStore.blockBytesStandard, memory: ReplayMemory? = nil
    ) {
        store = PageStore(blockBytes: blockBytes, memory: memory)
        snapshot = nil
        catalog = Catalog()
        tables = []
        self.lastTransaction = lastTransaction
        lastTime = Timestamp(microseconds: 0)
        timeline = Timeline()
        unknownEventCount = 0
        damage = nil
    }

    init(
        _ store: PageStore, _ snapshot: PageSnapshot, catalog: Catalog, tables: [Table],
        lastTransaction: TransactionID, lastTime: Timestamp, timeline: Timeline,
        unknownEventCount: Int, damage: PageDamage? = nil
    ) {
        self.store = store
        self.snapshot = snapshot
        self.catalog = catalog
        self.tables = tables
        self.lastTransaction = lastTransaction
        self.lastTime = lastTime
        self.timeline = timeline
        self.unknownEventCount = unknownEventCount
        self.damage = damage
    }

    /// A state of the content with other undo stacks.
    init(_ state: State, timeline: Timeline) {
        self = state
        self.timeline = timeline
    }

    var pages: PageTable { store.pages }

    /// The id that the next transaction must have.
    package var nextTransaction: TransactionID { TransactionID(lastTransaction.rawValue &+ 1) }

    package var typeCount: Int { tables.count }

    /// The memory that the pages of all states of the store take, in bytes.
    package var reservedBytes: Int { store.reservedBytes }

    package func table(_ type: TypeNumber) -> Table? { tablePosition(of: type).map { tables[$0] } }

    /// The position of a type's table. What reads one row uses the table where it is: a copy counts
    /// references to all that the table has.
    func tablePosition(of type: TypeNumber) -> Int? {
        let index = Int(type.rawValue) &- 1
        return tables.indices.contains(index) ? index : nil
    }

    /// Calls `body` with a transaction, and returns the state that it makes. Where `body` throws, the
    /// transaction is rolled back.
    package func changed<Failure: Error>(
        _ body: (StateTransaction) throws(Failure) -> Void
    ) throws(Failure) -> State {
        let transaction = StateTransaction(self)
        do throws(Failure) {
            try body(transaction)
        } catch {
            transaction.rollBack()
            throw error
        }
        return transaction.publish()
    }
}
