internal import VarveEvents
internal import VarveGraph

/// What turns one link list into another, as slots.
///
/// Nearly all changes add to one end, remove one, move one, or fill an empty list. What the two lists share is found by
/// their structure, so that the rest is short: only that is searched for the fewest moves.
struct ListChanges {
    private(set) var removals: [(position: Int, slot: UInt32)] = []
    private(set) var insertions: [(position: Int, slot: UInt32)] = []

    var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }

    init(from before: LinkList, to now: LinkList) {
        for stretch in now.stretches(differingFrom: before) {
            if stretch.old.isEmpty || stretch.new.isEmpty {
                removals += stretch.old.enumerated().map { ($0 + stretch.start, $1) }
                insertions += stretch.new.enumerated().map { ($0 + stretch.newStart, $1) }
                continue
            }
            let difference = ListDifference(from: stretch.old, to: stretch.new)
            removals += difference.removals.map { ($0.position + stretch.start, $0.element) }
            insertions += difference.insertions.map { ($0.position + stretch.newStart, $0.element) }
        }
    }
}
