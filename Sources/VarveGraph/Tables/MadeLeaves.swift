import Synchronization

/// How many packed leaves of a large table were made values because their rows were looked up again and again.
///
/// As many rows as a small table has fit into the caches as values, and are found sooner then. Which they are, the
/// work decides: those that are asked for most come first.
@usableFromInline
final class MadeLeaves: Sendable {
    private let count = Atomic(0)

    @usableFromInline
    init() {}

    @inlinable static var countMax: Int { TableAhead.leastSlotCount / PackedLeaf.width }

    /// Whether one more may be made, which counts then.
    @usableFromInline
    func takeOne() -> Bool {
        guard count.load(ordering: .relaxed) < MadeLeaves.countMax else { return false }
        return count.add(1, ordering: .relaxed).oldValue < MadeLeaves.countMax
    }
}
