/// A place in the journal of a context, to which it can be rolled back.
@usableFromInline
package struct JournalMark: Sendable {
    let count: Int
    @usableFromInline let isOutermost: Bool
    let deleting: Int
    let pending: Int
    let orphans: Int
}

extension Context {
    /// Starts a change that happens whole or not at all. Changes nest.
    @usableFromInline
    package mutating func begin() -> JournalMark {
        if session.depth == 0 {
            session.time = session.fixedTime != 0 ? session.fixedTime : Context.now()
        }
        session.depth += 1
        return JournalMark(
            count: session.journal.count, isOutermost: session.depth == 1,
            deleting: session.deleting.count, pending: session.pending.count,
            orphans: session.orphans.count)
    }

    /// Ends a change that stays.
    @usableFromInline
    package mutating func end(_ mark: JournalMark) {
        session.depth -= 1
        if mark.isOutermost { session.orphans.removeAll() }
        if mark.isOutermost && !session.isTracking { clearJournal() }
    }

    /// Ends a save that stays, which in nearly all cases has changed one row of the type.
    @inlinable
    mutating func end<Entity: EntityModelProtocol>(_ mark: JournalMark, of type: Entity.Type) {
        session.depth -= 1
        guard mark.isOutermost && !session.isTracking else { return }
        guard session.journal.count == 1, let entry = session.journal.last, !entry.isLink,
            Int(entry.table) == tables.position(of: Entity._descriptor)
        else { return clearJournal() }
        change(Entity.self, at: Int(entry.table)) { $0.clearJournalOfOneRow() }
        session.journal.removeLast()
    }

    /// Rolls back everything since the mark, newest first.
    @usableFromInline
    package mutating func rollBack(to mark: JournalMark) {
        session.depth -= 1
        session.deleting.removeLast(session.deleting.count - mark.deleting)
        session.pending.removeLast(session.pending.count - mark.pending)
        session.orphans.removeLast(session.orphans.count - mark.orphans)
        while session.journal.count > mark.count {
            let entry = session.journal.removeLast()
            changeTable(at: Int(entry.table)) { table in
                if entry.isLink {
                    let change = table.linkJournal.removeLast()
                    table.links[change.relation][change.slot] = change.before.list
                } else {
                    table.undoLastRowChange()
                }
            }
        }
    }

    /// Forgets all before-images: nothing up to here can be rolled back any more.
    @usableFromInline
    package mutating func clearJournal() {
        var remains = TransactionRemains()
        clearJournal(leaving: &remains)
    }

    private mutating func clearJournal(leaving remains: inout TransactionRemains) {
        var last: UInt32?
        // Entries of one table come in runs, and clearing a journal twice is clearing it once.
        for entry in session.journal where entry.table != last {
            last = entry.table
            let position = Int(entry.table)
            guard tables.tables.unfilled[position].hasJournal else { continue }
            changeTable(at: position) { $0.clearJournal(leaving: &remains) }
        }
        session.journal.removeAll(keepingCapacity: session.journal.count < 4_096)
    }

    /// Starts to keep every before-image, until ``endTracking()``: what a transaction is made of.
    ///
    /// - Parameters:
    ///   - transaction: the number that the changes will have.
    ///   - time: microseconds since 1970; all changes carry it.
    ///   - token: by which the context is known at the end.
    ///   - former: where the context's tables are changed in place.
    package mutating func beginTracking(
        transaction: UInt64, time: Int64, token: TransactionToken, former: FormerTables? = nil
    ) {
        precondition(session.depth == 0, "a transaction cannot start inside a save")
        clearJournal()
        tables.useFilledTables()
        session.isTracking = true
        session.transaction = transaction
        session.fixedTime = time
        session.token = token
        session.former = former
        session.hasGivenIDs = false
    }

    /// Whether anything was changed that has not been forgotten.
    package var hasJournal: Bool { !session.journal.isEmpty }

    /// Ends a transaction that stays. Where its tables are changed in place, ``FormerTables/succeed(_:leaving:)``
    /// has taken their journals over by now.
    ///
    /// - Parameter remains: what a large journal held.
    package mutating func endTracking(leaving remains: inout TransactionRemains) {
        session.former = nil
        clearJournal(leaving: &remains)
        session.isTracking = false
        session.fixedTime = 0
        session.token = nil
    }

    package mutating func endTracking() {
        var remains = TransactionRemains()
        endTracking(leaving: &remains)
    }
}
