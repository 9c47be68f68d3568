/// A place where a transaction changed how often a pattern occurs.
public struct TextChange: Sendable {
    /// Where a pattern is found.
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
        /// The text; of a value with several the first with the pattern.
        public let text: String
        /// Where the pattern occurs in it, without overlaps.
        public let matches: [Range<String.Index>]
    }

    /// The place.
    public let place: Place
    /// How often the pattern occurs before the transaction.
    public let countBefore: Int
    /// How often the pattern occurs behind the transaction: not as often as before.
    public let countAfter: Int
    /// The text before the transaction, empty where there was none.
    public let before: Side
    /// The text behind the transaction, empty where there is none.
    public let after: Side
}

/// A transaction that changed how often a pattern occurs.
public struct TextSearchResult: Sendable {
    /// The transaction.
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
    /// Whether ids of entities that come and go count as texts.
    public var includesIDs = false
    /// Whether labels of transactions count as texts.
    public var includesLabels = false

    /// Every property of every type.
    public init() {}
}
