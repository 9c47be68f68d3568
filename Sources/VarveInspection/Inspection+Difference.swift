internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension Inspection {
    /// The entities that differ between the states behind two transactions, whichever is the older
    /// one, in the order in which transactions name them. What the inspection shows stays the same.
    public func difference(
        from first: TransactionID, to second: TransactionID
    ) throws(InspectionError) -> [InspectedDifference] {
        var walk = try differences(from: first, to: second)
        var differences: [InspectedDifference] = []
        while let next = try walk.next() { differences.append(next) }
        return differences
    }

    /// These entities, each of which is decoded when it is its turn: however many there are, they take little memory.
    public func differences(
        from first: TransactionID, to second: TransactionID
    ) throws(InspectionError) -> DifferenceWalk {
        let (older, newer) = (min(first, second), max(first, second))
        let last = shownTransaction ?? lastTransaction
        for id in [older, newer] where id > last || !id.isReachable(from: firstTransaction) {
            throw .noSuchTransaction(id, first: firstTransaction, last: last)
        }
        let states = try states(behind: older, newer)
        let names = try entities(from: older, through: newer)
        let (before, after) =
            first <= second ? (states.older, states.newer) : (states.newer, states.older)
        return DifferenceWalk(from: before, to: after, among: names)
    }

    // MARK: States

    private func states(
        behind older: TransactionID, _ newer: TransactionID
    ) throws(InspectionError) -> (older: State, newer: State) {
        if let states = try replayedForward(behind: older, newer) { return states }
        // An inspection cannot go forward again, so it is another one that goes back.
        let past = try reopened()
        try past.goBack(to: newer)
        let newerState = try past.replay()
        try past.goBack(to: older)
        return (try past.replay(), newerState)
    }

    /// Both states from a replay of the whole log, where that takes no longer than to go back to them.
    ///
    /// Nil as well where definitions changed since: entities of the past are shown by the newest, and going back
    /// does so. And where the log cannot be replayed, or the past is forgotten: going back says what to do.
    private func replayedForward(
        behind older: TransactionID, _ newer: TransactionID
    ) throws(InspectionError) -> (older: State, newer: State)? {
        guard newer <= shownTransaction ?? lastTransaction, isCheaperForward(to: older) else {
            return nil
        }
        let stops = [older, newer, lastTransaction].map { LogSequence($0.rawValue) }
        let states: [State]
        do throws(ReplayFailure<RecordError>) {
            states = try State().states(behind: stops, in: snapshot)
        } catch {
            return nil
        }
        guard states.count == 3, older >= states[2].timeline.forgotten else { return nil }
        let newest = Set(states[2].catalog.definitions)
        guard newest.isSuperset(of: states[0].catalog.definitions),
            newest.isSuperset(of: states[1].catalog.definitions)
        else { return nil }
        return (states[0], states[1])
    }

    /// In transactions: to take one back costs about as much as to apply it.
    private func isCheaperForward(to older: TransactionID) -> Bool {
        guard snapshot.firstSequence == LogSequence(1) else { return false }
        let last = lastTransaction.rawValue
        let base = scanned.manifest.checkpoints.map(\.sequence.rawValue).max() ?? 0
        return min(base, last) <= last - min(older.rawValue, last)
    }

    // MARK: Names

    private func entities(
        from older: TransactionID, through newer: TransactionID
    ) throws(InspectionError) -> [MentionedEntity] {
        var seen: Set<MentionedEntity> = []
        var names: [MentionedEntity] = []
        guard older < newer else { return [] }
        for number in (older.rawValue + 1)...newer.rawValue {
            try with(TransactionID(number)) { view throws(InspectionError) in
                for entity in view.entities {
                    let name = MentionedEntity(type: entity.type, id: [UInt8](entity.id))
                    if seen.insert(name).inserted { names.append(name) }
                }
            }
        }
        return names
    }
}
