/// What an import did, or would do.
public struct ImportReport: Hashable, Sendable {
    /// A line that cannot be imported.
    public struct Refusal: Hashable, Sendable {
        /// The path of the file, as it was given.
        public let file: String
        /// From 1.
        public let line: Int
        /// Of JSON a character of the line, of comma-separated values a cell; from 1.
        public let column: Int
        /// What is wrong.
        public let reason: String
    }

    /// Entities that were not there, tombstones among them.
    public internal(set) var inserted = 0
    /// Entities that got other values or links.
    public internal(set) var updated = 0
    /// Entities that had these values and links already.
    public internal(set) var unchanged = 0
    /// How many lines were refused. Nothing is written where there are any.
    public internal(set) var refusedCount = 0
    /// The first of them, in the order in which they were found.
    public internal(set) var refused: [Refusal] = []
    /// The newest transaction of the store; nil where nothing was written.
    public internal(set) var transaction: TransactionID?
    /// Whether the store was made.
    public internal(set) var isNew = false
    /// Types that the store did not have.
    public internal(set) var newTypes: [String] = []

    static let refusalsMax = 100

    mutating func refuse(_ refusal: Refusal) {
        refusedCount += 1
        if refused.count < Self.refusalsMax { refused.append(refusal) }
    }
}
