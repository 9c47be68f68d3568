/// How much was written under a name: a label, an author or a scope.
public struct NameStatistics: Sendable {
    /// One name.
    public struct Entry: Hashable, Sendable {
        /// Nil for what has no such name. Of a very long name the first 400 characters.
        public let name: String?
        /// What was written under it.
        public let amount: InspectedStatistics.Amount
        /// The oldest transaction of the name.
        public let first: StoreSummary.Transaction
        /// The newest one.
        public let last: StoreSummary.Transaction
    }

    /// The largest first.
    public let entries: [Entry]
    /// What was written under more names than are kept apart.
    public let others: InspectedStatistics.Amount
}

/// A span of time in equal periods.
public struct Periods: Sendable {
    /// What was written in one period.
    public struct Period: Sendable {
        /// When it begins.
        public let start: Moment
        /// All transactions of the period.
        public let amount: InspectedStatistics.Amount
        /// By type number: how many live entities it has more or less, and its share of the stored bytes.
        public let types: [UInt32: (growth: Int64, stored: ByteCount)]
        /// By position in ``InspectedStatistics/labelPatterns``; -1 for the others.
        public let labels: [Int: InspectedStatistics.Amount]
        /// By position in ``InspectedStatistics/authors``; -1 for the others.
        public let authors: [Int: InspectedStatistics.Amount]
        /// By position in ``InspectedStatistics/scopes``; -1 for the others.
        public let scopes: [Int: InspectedStatistics.Amount]
    }

    /// One behind the other, without gaps.
    public let periods: [Period]
    /// How long each of them is, in microseconds.
    public let microseconds: Int64
}
