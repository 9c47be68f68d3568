/// What a store holds and how it came to hold it, by type, field, label and age.
///
/// Bytes of entities and of history are raw: as rows, ids and events are encoded, before compression. Where "stored"
/// is said, they are the share of the compressed file.
public struct InspectedStatistics: Sendable {
    /// The directory, as it was given.
    public let path: String
    /// Nil where no file says so any more.
    public let store: StoreID?
    /// How the store ended, and what of it can be read.
    public let health: Health
    /// The oldest of the transactions that could be read; nil where there is none.
    public let first: StoreSummary.Transaction?
    /// The newest of them.
    public let last: StoreSummary.Transaction?
    /// How many transactions could be read, with their events and bytes.
    public let log: Amount
    /// Transactions that are not part of the history any more, and whose segments are still there: the next
    /// compactions remove them.
    public let belowFloor: Amount
    /// In order of their numbers.
    public let types: [TypeStatistics]
    /// What was written under each label.
    public let labels: NameStatistics
    /// Labels that differ in quoted parts and numbers alone are one here: `Add “…”`.
    public let labelPatterns: NameStatistics
    /// What each author wrote.
    public let authors: NameStatistics
    /// What was written in each scope.
    public let scopes: NameStatistics
    /// The time from the first transaction to the last in equal periods.
    public let periods: Periods
    /// By what they take in the file, the largest first: at most 20.
    public let largestTransactions: [TransactionSummary]
    /// Entities whose rows are longest, the longest first: at most 20. Empty where the state could not be read.
    public let largestEntities: [EntityFigure]
    /// The entities that were changed most often.
    public let mostChanged: MostChanged
    /// By how long ago an entity was last changed, or a transaction was written.
    public let ages: [AgeStatistics]
    /// In order of their names.
    public let files: [FileStatistics]

    /// Transactions with what they hold and take.
    public struct Amount: Hashable, Sendable {
        /// How many there are.
        public internal(set) var transactions: UInt64 = 0
        /// The events in them.
        public internal(set) var events: UInt64 = 0
        /// Their content before compression.
        public internal(set) var raw = ByteCount.zero
        /// Frames as they lie in the files.
        public internal(set) var stored = ByteCount.zero
    }

    /// An entity with a number: of bytes, or of changes.
    public struct EntityFigure: Sendable {
        /// Its type and id.
        public let entity: EntityName
        /// The bytes of its row and id, or how often it was changed.
        public let figure: UInt64
        /// The transaction that last changed it.
        public let transaction: TransactionID
    }

    /// The entities that were changed most often behind their insertion.
    public struct MostChanged: Sendable {
        /// The most changed first: at most 20.
        public let entities: [EntityFigure]
        /// More entities changed than are counted exactly: each figure may be too low by this.
        public let missed: UInt64
    }
}

extension InspectedStatistics.Amount {
    /// Adds up what two sets of transactions hold and take.
    public static func += (sum: inout Self, other: Self) {
        sum.transactions &+= other.transactions
        sum.events &+= other.events
        sum.raw = sum.raw.adding(other.raw.rawValue)
        sum.stored = sum.stored.adding(other.stored.rawValue)
    }
}

extension ByteCount {
    func adding(_ bytes: UInt64) -> ByteCount { ByteCount(rawValue &+ bytes) }
}
