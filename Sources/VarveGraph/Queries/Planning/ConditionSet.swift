/// Some of a query's conditions, by their positions.
///
/// A query may have more than 64. What is behind those is in no set, which means that no index looks
/// for it, and that rows are tested for it.
struct ConditionSet: Sendable, Equatable {
    static var limit: Int { UInt64.bitWidth }

    private var bits: UInt64 = 0

    init() {}

    init(_ position: Int) { insert(position) }

    var isEmpty: Bool { bits == 0 }
    var count: Int { bits.nonzeroBitCount }

    /// The position of the only condition; nil where there is none or several.
    var only: Int? { count == 1 ? bits.trailingZeroBitCount : nil }

    func contains(_ position: Int) -> Bool {
        position < ConditionSet.limit && bits & (1 << UInt64(position)) != 0
    }

    mutating func insert(_ position: Int) {
        guard position < ConditionSet.limit else { return }
        bits |= 1 << UInt64(position)
    }

    func union(_ other: ConditionSet) -> ConditionSet {
        var all = self
        all.bits |= other.bits
        return all
    }

    func isDisjoint(with other: ConditionSet) -> Bool { bits & other.bits == 0 }
    func isSubset(of other: ConditionSet) -> Bool { bits & ~other.bits == 0 }
}
