/// A place in the journal of a context, to which it can be rolled back.
@usableFromInline
package struct JournalMark: Sendable {
    let count: Int
    let isOutermost: Bool
    let deleting: Int
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
            deleting: session.deleting.count)
    }

    /// Ends a change that stays.
    @usableFromInline
    package mutating func end(_ mark: JournalMark) {
        session.depth -= 1
        if mark.isOutermost && !session.isTracking { clearJournal() }
    }

    /// Takes back everything since the mark, newest first.
    @usableFromInline
    package mutating func rollBack(to mark: JournalMark) {
        session.depth -= 1
        session.deleting.removeLast(session.deleting.count - mark.deleting)
        while session.journal.count > mark.count {
            let entry = session.journal.removeLast()
            let table = tables.unique(at: Int(entry.table))
            if entry.isLink {
                let change = table.linkJournal.removeLast()
                table.links[change.relation][change.slot] = change.before.list
            } else {
                table.undoLastRowChange()
            }
        }
    }

    /// Forgets all before-images: nothing up to here can be rolled back any more.
    package mutating func clearJournal() {
        if session.journal.count == 1 {
            tables.unique(at: Int(session.journal[0].table)).clearJournal()
        } else {
            for position in Set(session.journal.map(\.table)) {
                tables.unique(at: Int(position)).clearJournal()
            }
        }
        session.journal.removeAll(keepingCapacity: true)
    }

    /// Starts to keep every before-image, until ``endTracking()``: what a transaction is made of.
    ///
    /// - Parameters:
    ///   - transaction: the number that the changes will have.
    ///   - time: microseconds since 1970; all changes carry it.
    ///   - token: by which the context is known at the end.
    package mutating func beginTracking(
        transaction: UInt64, time: Int64, token: TransactionToken
    ) {
        precondition(session.depth == 0, "a transaction cannot start inside a save")
        clearJournal()
        session.isTracking = true
        session.transaction = transaction
        session.fixedTime = time
        session.token = token
    }

    package mutating func endTracking() {
        clearJournal()
        session.isTracking = false
        session.fixedTime = 0
        session.token = nil
    }
}
