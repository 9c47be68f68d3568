/// Which part of an index is asked for: values of its first components, and limits of the next.
@usableFromInline
struct IndexBounds: Sendable {
    @usableFromInline
    struct Bound: Sendable {
        @usableFromInline let operand: QueryOperand
        @usableFromInline let isInclusive: Bool

        @usableFromInline
        init(operand: QueryOperand, isInclusive: Bool) {
            self.operand = operand
            self.isInclusive = isInclusive
        }
    }

    @usableFromInline var equal: [QueryOperand] = []
    /// Limits of the value, whatever the direction of the index.
    @usableFromInline var lower: Bound?
    @usableFromInline var upper: Bound?

    /// Whether the whole index is asked for.
    @usableFromInline var isOpen: Bool { equal.isEmpty && lower == nil && upper == nil }

    @usableFromInline
    init(equal: [QueryOperand] = [], lower: Bound? = nil, upper: Bound? = nil) {
        self.equal = equal
        self.lower = lower
        self.upper = upper
    }
}

/// Postings of an index that are found together.
@usableFromInline
enum PostingRange: Sendable, Equatable {
    /// Neighbours in a tree, by their positions in its order.
    case ranks(Range<Int>)
    /// What the map of a unique index has under a hash.
    case hash(UInt64, count: Int)

    @usableFromInline var count: Int {
        switch self {
        case .ranks(let ranks): ranks.count
        case .hash(_, let count): count
        }
    }
}

/// The order in which postings are wanted.
///
/// `depth` is how many leading components count; postings that are equal in those come in
/// insertion order, whatever the direction: that is what a stable sort gives.
@usableFromInline
enum PostingOrder: Sendable, Equatable {
    case ascending(depth: Int)
    case descending(depth: Int)
}
