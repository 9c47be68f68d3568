internal import VarveEvents
internal import VarveGraph

/// What turns one link list into another, as slots.
///
/// Nearly all changes add to one end, remove one, or fill an empty list: those are found by
/// comparing from both ends. Only what remains between them is searched for the fewest moves.
struct ListChanges {
    private(set) var removals: [(position: Int, slot: UInt32)] = []
    private(set) var insertions: [(position: Int, slot: UInt32)] = []

    var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }

    init(from before: LinkList, to now: LinkList) {
        let stretch = now.stretch(differingFrom: before)
        let start = stretch.start
        if stretch.old.isEmpty || stretch.new.isEmpty {
            removals = stretch.old.enumerated().map { ($0 + start, $1) }
            insertions = stretch.new.enumerated().map { ($0 + start, $1) }
            return
        }
        let difference = ListDifference(from: stretch.old, to: stretch.new)
        removals = difference.removals.map { ($0.position + start, $0.element) }
        insertions = difference.insertions.map { ($0.position + start, $0.element) }
    }
}
