// What holds of a state, whatever is reverted from it.
extension Reversal {
    /// Looks for what must not be there: a unique value twice, and an id that means none. Called behind the last
    /// transaction.
    package func checkConstraints() {
        for place in returnedWithoutID where target.presence(of: place) == .live {
            report(.zeroID, of: place)
        }
        for place in changed where target.presence(of: place) == .live {
            guard let (index, rival) = target.uniqueRival(of: place) else { continue }
            report(
                .uniqueValueTaken(index: index, by: target.name(of: rival).id), of: place)
        }
    }

    /// Whether an entity that returns has the id 0, and the store gives the ids of its type by now.
    func isWithoutID(
        _ entity: EntityIndex, at place: EntityPlace, _ step: ReversalStep
    ) -> Bool {
        guard !isPast, target.presence(of: place) != .live else { return false }
        return target.numbersIDs(ofTable: place.table)
            && target.definition(ofTable: place.table).idType
                .number(ofID: step.entity(entity).id) == 0
    }
}
