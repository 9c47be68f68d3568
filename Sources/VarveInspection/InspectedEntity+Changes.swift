internal import VarveEvents

extension InspectedEntity.Links {
    /// A target with its position in a list.
    package typealias Place = (position: Int, target: InspectedValue)

    /// What makes one list of another: what went or moved, by its position before, and what came or moved, by its position
    /// behind. As few targets as possible move.
    package static func changes(
        from old: [InspectedValue], to new: [InspectedValue]
    ) -> (removals: [Place], insertions: [Place]) {
        let difference = ListDifference(from: old, to: new)
        return (
            difference.removals.map { ($0.position, $0.element) },
            difference.insertions.map { ($0.position, $0.element) }
        )
    }
}
