/// Rows that indexes name for some of a query's conditions: all that meet them and, where it is
/// not exact, some more.
@usableFromInline
struct Candidates<Entity: EntityModelProtocol>: Sendable {
    indirect enum Shape: Sendable {
        /// Ranges of one index, with no posting in common.
        case ranges(IndexRanges)
        /// What a text index names.
        case text(TextCondition<Entity>)
        case union([Candidates])
        case intersection(Candidates, Candidates)
    }

    let shape: Shape
    /// How many there are: at most so many of a union or a text index, about so many of an intersection.
    let count: Int
    /// Which of the query's conditions they meet, so that no row needs a test.
    let covered: Set<Int>
    /// Which of the conditions they are made from.
    let used: Set<Int>

    /// Whether `count` is not merely a limit.
    var isCounted: Bool {
        if case .ranges = shape { return true }
        return false
    }
}

/// Where in an index the rows stand that meet a condition.
struct IndexRanges: Sendable {
    let index: Int
    let name: String
    let kind: IndexKind
    /// The properties that are looked up.
    let paths: [SendablePath]
    let ranges: [PostingRange]

    /// Their names, for those who ask: spelling out a key path takes longer than many a query.
    var properties: [String] { paths.map(\.propertyName) }

    var count: Int { ranges.reduce(0) { $0 + $1.count } }
}

/// An index that is walked because its order is the query's.
@usableFromInline
struct IndexWalk: Sendable {
    @usableFromInline let index: Int
    let name: String
    let paths: [SendablePath]
    @usableFromInline let range: PostingRange
    @usableFromInline let order: PostingOrder
    let isDescending: Bool
    /// Whether all of its properties count. Rows that are equal in the first ones have to be
    /// gathered first, and put in insertion order.
    let isWhole: Bool
    /// As with ``Candidates``.
    let covered: Set<Int>
    let used: Set<Int>

    var properties: [String] { paths.map(\.propertyName) }
}
