/// A link of a restored entity that is not visible yet: its other end is still deleted, and has a tombstone
/// from which it can be restored.
package struct HiddenLink: Hashable, Sendable {
    package let type: String
    package let id: String
    package let relation: String
    package let targetType: String
    package let targetID: String

    /// Those of one entity, by relation, in the order of the lists.
    ///
    /// - Complexity: linear in the number of the entity's links.
    package static func all<Target: ReversalTarget>(
        of place: EntityPlace, in target: Target
    ) -> [HiddenLink] {
        guard target.presence(of: place) == .live else { return [] }
        var found: [HiddenLink] = []
        for index in 0..<target.relationCount(ofTable: place.table) {
            let relation = target.relation(at: index, ofTable: place.table)
            let list = target.list(of: relation.index, at: place)
            for position in 0..<list.count {
                let end = EntityPlace(table: relation.target, slot: list.slot(at: position))
                guard target.presence(of: end) == .tombstone else { continue }
                let (name, other) = (target.name(of: place), target.name(of: end))
                found.append(
                    HiddenLink(
                        type: name.type, id: name.id,
                        relation: target.relationName(relation.index, ofTable: place.table),
                        targetType: other.type, targetID: other.id))
            }
        }
        return found
    }
}

extension Reversal {
    /// The links of all entities that a restoration has brought back which are not visible yet.
    package var hiddenLinks: [HiddenLink] {
        restored.flatMap { HiddenLink.all(of: $0, in: target) }
    }
}
