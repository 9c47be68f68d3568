internal import Foundation
internal import VarveEvents
public import VarveGraph
internal import VarveLog

extension Store {
    /// How two states of the store differ, whichever is the older one.
    ///
    /// - Throws: as ``context(asOf:)``.
    /// - Complexity: that of ``context(asOf:)`` for both, and of the changes between them.
    public func diff(
        from first: HistoryPoint, to second: HistoryPoint
    ) throws -> StoreDiff {
        let current = published.current
        return try readingHistory { history in
            let ends = try (
                history.transaction(at: first, current), history.transaction(at: second, current)
            )
            let later = try state(behind: max(ends.0, ends.1), from: current, history)
            let earlier = try state(behind: min(ends.0, ends.1), from: later, history)
            let subjects = try subjects(
                from: TransactionID(earlier.lastTransaction.rawValue + 1), to: later, history)
            let (before, after) = ends.0 <= ends.1 ? (earlier, later) : (later, earlier)
            return try compare(before, after, subjects, of: later)
        }
    }

    /// What a block would change, without changing anything: it runs on a copy of ``context``, with
    /// hooks, merge strategies and delete rules.
    ///
    /// - Throws: whatever the body throws.
    public func preview(_ body: (inout Context) throws -> Void) throws -> StoreDiff {
        let before = published.current
        var after = before
        after.context.beginTracking(
            transaction: before.lastTransaction.rawValue + 1,
            time: opener.environment.wallClockMicroseconds(), token: TransactionToken())
        try body(&after.context)
        let subjects = try ChangedRows(journalOf: after.context).subjects(in: after.context)
        // Types that the body was first to save are defined, as a write would.
        try after.extendSchema()
        after.context.endTracking()
        return try compare(before, after, subjects, of: after)
    }

    /// - Parameter named: the state whose tables the subjects name.
    private func compare(
        _ before: StoreState, _ after: StoreState, _ subjects: [StateComparison.Subject],
        of named: StoreState
    ) throws -> StoreDiff {
        let comparison = StateComparison(before: before, after: after, named: named)
        return StoreDiff(
            before: before.context, after: after.context,
            changes: EntityChanges(comparison, try comparison.changed(subjects)))
    }

    /// The entities that transactions name, through the one that led to `later`.
    private func subjects(
        from oldest: TransactionID, to later: StoreState, _ history: LogHistory
    ) throws -> [StateComparison.Subject] {
        var positions: [TypeNumber: Int] = [:]
        for (position, definition) in later.schema.definitions.enumerated() {
            if let definition { positions[definition.number] = position }
        }
        var seen: Set<StateComparison.Subject> = []
        var subjects: [StateComparison.Subject] = []
        guard oldest <= later.lastTransaction else { return [] }
        try history.forEach(from: oldest) { view in
            for entity in view.entities {
                guard let position = positions[entity.type] else { continue }
                let subject = StateComparison.Subject(table: position, id: [UInt8](entity.id))
                if seen.insert(subject).inserted { subjects.append(subject) }
            }
            return view.id < later.lastTransaction
        }
        return subjects
    }
}
