internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// A state that several hold: a reference instead of the many that a state consists of.
///
/// Its context may be lent to a transaction, which changes it in place. Whoever asks from then on is given the context
/// as it was, until a state that follows is shown.
final class SharedState: Sendable {
    private struct Held: Sendable {
        var context: Context
        /// What the context can be made of while it is lent.
        var lentTo: FormerTables?
    }

    /// With an empty context.
    private let rest: StoreState
    private let held: Lock<Held>

    init(_ state: consuming StoreState) {
        var context = Context()
        // Exchanged and handed on: a state consists of many references, each of which a copy counts.
        swap(&context, &state.context)
        held = Lock(Held(context: context))
        rest = state
    }

    var lastTransaction: TransactionID { rest.lastTransaction }
    var timeline: Timeline { rest.timeline }
    var catalog: Catalog { rest.catalog }
    var reading: ChangeReading { ChangeReading(rest.catalog, rest.schema) }

    /// The context, or nil where it was lent and a state that follows is shown. Nil also where it was given back and
    /// lent again meanwhile: who must have it asks again.
    var context: Context? {
        // The context is copied where it is there, and once.
        let (here, former) = held.withLock { held -> (Context?, FormerTables?) in
            held.lentTo == nil ? (held.context, nil) : (nil, held.lentTo)
        }
        guard let former else { return here }
        // Not in the lock: who asks from inside the transaction would wait for one who waits for it.
        if let context = former.context(after: lastTransaction.rawValue) { return context }
        // Given back meanwhile, or gone.
        return held.withLock { $0.lentTo == nil ? $0.context : nil }
    }

    /// The whole state, or nil as above.
    var state: StoreState? {
        guard let context else { return nil }
        var state = rest
        state.context = context
        return state
    }

    // MARK: - Lending

    /// Takes the context out, for a transaction that changes it in place.
    func lend(to former: FormerTables, running token: TransactionToken) -> StoreState {
        var state = rest
        former.makeRoom()
        held.withLock { held in
            precondition(held.lentTo == nil, "a context is lent to one transaction at a time")
            // Exchanged, because a copy would make every table look shared.
            swap(&state.context, &held.context)
            former.begin(
                &state.context, number: rest.lastTransaction.rawValue, running: token)
            held.lentTo = former
        }
        return state
    }

    /// The transaction came to nothing, and has made `context` of what was lent.
    func takeBack(_ context: borrowing Context, _ former: FormerTables) {
        let whole = former.takeBack(context)
        held.withLock { held in
            held.context = whole
            held.lentTo = nil
        }
        // Behind it: who finds it forgotten looks here again.
        _ = former.forgetNewest()
    }
}

/// The state that readers see: the newest acknowledged one. It never goes backwards.
final class PublishedState: Sendable {
    private let shared: Lock<SharedState>
    /// What is shown, where the tables have been changed in place since.
    let former = FormerTables()
    /// Those who are told what is shown.
    let watch = StateWatch()

    init(_ state: SharedState) { shared = Lock(state) }

    // What it keeps refers to it.
    deinit { _ = former.forget(before: .max) }

    var current: StoreState {
        while true {
            // Nil where the next state is shown by now, or this one was given back and lent again.
            if let state = shared.withLock({ $0 }).state { return state }
        }
    }

    /// The context of that state alone.
    var context: Context {
        while true {
            if let context = shared.withLock({ $0 }).context { return context }
        }
    }

    var lastTransaction: TransactionID { shared.withLock { $0 }.lastTransaction }

    /// How its transactions are read; without the context, which may have to be made.
    var reading: ChangeReading { shared.withLock { $0 }.reading }

    var timeline: Timeline { shared.withLock { $0 }.timeline }

    /// Shows a state, unless a newer one was shown already: writers that waited for one sync come
    /// here in any order.
    ///
    /// - Returns: what was shown before, to be let go where nobody waits: it may be the last to hold many pages.
    @discardableResult
    func publish(_ new: SharedState) -> TransactionRemains {
        var remains = TransactionRemains()
        let before = shared.withLock { shared -> SharedState? in
            guard new.lastTransaction > shared.lastTransaction else { return nil }
            let before = shared
            shared = new
            return before
        }
        if let before {
            // Behind it: who finds a state forgotten looks again for what is shown.
            remains = former.forget(before: new.lastTransaction.rawValue)
            remains.parts.append(before)
        }
        advance()
        return remains
    }

    /// Tells those who watch what is shown.
    func advance() { watch.advance(to: shared.withLock { $0 }) }

    /// Shows the state of a log that another process has written, even where it ends earlier.
    func replace(by new: StoreState) {
        let before = shared.withLock { shared in
            let before = shared
            shared = SharedState(new)
            return before
        }
        withExtendedLifetime(before) {}
        _ = former.forget(before: .max)
        watch.replace(by: new)
    }
}
