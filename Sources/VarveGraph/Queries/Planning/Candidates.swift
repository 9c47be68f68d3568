/// Rows that indexes name for some of a query's conditions: all that meet them and, where it is
/// not exact, some more.
@usableFromInline
struct Candidates: Sendable {
    enum Shape: Sendable {
        /// Ranges of one index. Two of a unique one may be the same, where a hash stands for both values.
        case ranges(IndexRanges)
        /// What a text index names.
        case text(TextCondition)
        case union([Candidates])
        indirect case intersection(Candidates, Candidates)
    }

    let shape: Shape
    /// How many there are: at most so many of a union or a text index, about so many of an intersection.
    let count: Int
    /// Which of the query's conditions they meet, so that no row needs a test.
    let covered: ConditionSet
    /// Which of the conditions they are made from.
    let used: ConditionSet

    /// Whether `count` is not merely a limit.
    var isCounted: Bool {
        if case .ranges = shape { return true }
        return false
    }
}

/// Where in an index the rows stand that meet a condition.
struct IndexRanges: Sendable {
    let index: Int
    let definition: IndexDefinition
    /// How many of its components are looked up.
    let componentCount: Int
    let ranges: [PostingRange]

    /// Their names, for those who ask: spelling out a key path takes longer than many a query.
    var properties: [String] { definition.properties(componentCount) }

    var count: Int {
        var count = 0
        for range in ranges { count += range.count }
        return count
    }
}

/// An index that is walked because its order is the query's.
@usableFromInline
struct IndexWalk: Sendable {
    @usableFromInline let index: Int
    let definition: IndexDefinition
    /// How many of its components are looked up or give the order.
    let componentCount: Int
    @usableFromInline let range: PostingRange
    @usableFromInline let order: PostingOrder
    let isDescending: Bool
    /// As with ``Candidates``.
    let covered: ConditionSet
    let used: ConditionSet

    /// Whether all of its properties count. Rows that are equal in the first ones have to be
    /// gathered first, and put in insertion order.
    var isWhole: Bool { componentCount == definition.components.count }

    var properties: [String] { definition.properties(componentCount) }
}

extension IndexDefinition {
    /// The names of the first properties.
    func properties(_ count: Int) -> [String] {
        components.prefix(count).map(\.path.propertyName)
    }
}
