/// A place where a transaction changed how often a pattern occurs.
public struct TextChange: Sendable {
    public enum Place: Hashable, Sendable {
        /// A property of an entity, by its name.
        case field(EntityName, String)
        /// The id of an entity that came or went.
        case id(EntityName)
        /// The label of the transaction itself.
        case label
    }

    /// A text with the places where the pattern occurs.
    public struct Side: Hashable, Sendable {
        public let text: String
        public let matches: [Range<String.Index>]
    }

    public let place: Place
    /// How often the pattern occurs before the transaction, and behind it. They differ.
    public let countBefore: Int
    public let countAfter: Int
    /// The texts before and behind the transaction, empty where there was none.
    public let before: Side
    public let after: Side
}

/// A transaction that changed how often a pattern occurs.
public struct TextSearchResult: Sendable {
    public let transaction: TransactionSummary
    /// In the order of the transaction's events.
    public let changes: [TextChange]
}

/// Where a search looks.
public struct TextSearchScope: Hashable, Sendable {
    /// The one type to look in; nil for all.
    public var type: String?
    /// The one property to look in; nil for all.
    public var field: String?
    public var includesIDs = false
    public var includesLabels = false

    public init() {}
}
