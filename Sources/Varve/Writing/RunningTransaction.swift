internal import VarveEvents
internal import VarveGraph

/// A transaction while its body runs: the state that it changes, and the way back.
///
/// Where nobody watches, it changes that in place: nothing is copied that no reader holds.
struct RunningTransaction: ~Copyable {
    private let token: TransactionToken
    private let base: SharedState
    /// What the tables were, where they are changed in place and it has not ended yet.
    private var former: FormerTables?
    var state: StoreState

    /// - Parameters:
    ///   - base: the state that it builds on, whose context is there.
    ///   - former: what was changed in place and is not shown yet.
    ///   - token: by which its context is known.
    init(
        on base: SharedState, _ former: FormerTables, inPlace: Bool, token: TransactionToken
    ) {
        self.base = base
        self.token = token
        if inPlace {
            state = base.lend(to: former, running: token)
            self.former = former
        } else {
            // What it changes is not told there.
            former.keepAll()
            guard let state = base.state else {
                preconditionFailure("the head is there whenever no transaction is running")
            }
            self.state = state
        }
    }

    var isInPlace: Bool { former != nil }

    /// Evicts cached leaves of stored tables, if they take more memory than they may.
    private mutating func evictLeaves(_ memory: StoreMemory) {
        guard memory.hasManyLeaves else { return }
        state.context.tables.evictLeaves(above: memory.evictedLeafBytesMin)
        memory.noteEviction()
    }

    /// From here on the journal keeps what is changed.
    mutating func begin(_ transaction: TransactionID, at time: Timestamp) {
        state.context.beginTracking(
            transaction: transaction.rawValue, time: time.microseconds, token: token,
            former: former)
    }

    /// Runs the body, whose changes the journal keeps.
    mutating func run(
        _ header: borrowing TransactionHeader, _ memory: StoreMemory,
        _ body: (inout StoreState) throws -> Void
    ) throws {
        evictLeaves(memory)
        begin(header.id, at: header.time)
        try body(&state)
        // Any other context has other changes, or none, in its journals: what would be logged is
        // not what happened to this store.
        guard state.context.session.token === token else { throw StoreError.foreignContext }
    }

    /// What it has inserted, where that is all that it has done, and enough to be logged by another thread. Nil as well
    /// where the log lacks definitions, or where rows have fields that the app does not know.
    mutating func insertionsToHandOver() throws -> Insertions? {
        guard isInPlace, state.context.changeCount >= RunningTransaction.handedOverMin else {
            return nil
        }
        try state.extendSchema()
        guard state.schema.pending.isEmpty, !state.schema.completesRows else { return nil }
        return state.context.insertions()
    }

    /// So many changes take longer to encode than another thread to wake.
    private static var handedOverMin: Int { 64 }

    /// The transaction is logged. Returns the state behind it.
    ///
    /// - Parameter remains: what is to be released outside of all locks.
    mutating func succeed(leaving remains: inout TransactionRemains) -> SharedState {
        former?.succeed(&state.context, leaving: &remains)
        former = nil
        state.context.endTracking(leaving: &remains)
        // Not kept here as well: it would look shared.
        return SharedState(taking: &state)
    }

    /// Gives back what was changed in place by a transaction that came to nothing. To be called in any case.
    mutating func end() {
        guard let former else { return }
        self.former = nil
        base.takeBack(state.context, former)
    }
}
