/// Whether lists hold slots, for many questions about the same lists: the first ones look through a long list, those
/// that follow through a set. Otherwise the cost would be that of the list's length for each of its elements.
struct LinkMembership<Target: ReversalTarget> {
    private struct Key: Hashable {
        let place: EntityPlace
        let relation: Int
    }

    private enum Known {
        case questions(Int)
        case slots(Set<UInt32>)
    }

    private var known: [Key: Known] = [:]
    /// Up to this length a list is looked through as fast.
    private static var shortCount: Int { 32 }
    /// A set costs about as much as looking through the list so many times.
    private static var questionsMax: Int { 16 }

    mutating func contains(
        _ slot: UInt32, in relation: Int, of place: EntityPlace, _ target: Target
    ) -> Bool {
        let list = target.list(of: relation, at: place)
        guard list.count > Self.shortCount else { return list.position(of: slot) != nil }
        let key = Key(place: place, relation: relation)
        switch known[key] {
        case .slots(let slots): return slots.contains(slot)
        case .questions(Self.questionsMax):
            let slots = Set((0..<list.count).map { list.slot(at: $0) })
            known[key] = .slots(slots)
            return slots.contains(slot)
        case .questions(let count): known[key] = .questions(count + 1)
        case nil: known[key] = .questions(1)
        }
        return list.position(of: slot) != nil
    }

    /// A list changes.
    mutating func forget(_ relation: Int, of place: EntityPlace) {
        guard !known.isEmpty else { return }
        known[Key(place: place, relation: relation)] = nil
    }
}
