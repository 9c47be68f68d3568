internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// A state that several hold: a reference instead of the many that a state consists of.
///
/// Its context may be lent to a transaction, which changes it in place. Whoever asks meanwhile is given the context
/// as it was; when the transaction stays, this state has no context any more, and one that follows it is shown.
final class SharedState: Sendable {
    private struct Held: Sendable {
        var context: Context
        var whereabouts: Whereabouts
    }

    private enum Whereabouts: Sendable {
        case here
        case lent(FormerTables)
        case succeeded
    }

    /// With an empty context.
    private let rest: StoreState
    private let held: Lock<Held>

    init(_ state: consuming StoreState) {
        var context = Context()
        // Exchanged and handed on: a state consists of many references, each of which a copy counts.
        swap(&context, &state.context)
        held = Lock(Held(context: context, whereabouts: .here))
        rest = state
    }

    var lastTransaction: TransactionID { rest.lastTransaction }
    var timeline: Timeline { rest.timeline }
    var catalog: Catalog { rest.catalog }

    /// The context, or nil where a transaction has made another of it.
    var context: Context? {
        while true {
            let held = held.withLock { $0 }
            switch held.whereabouts {
            case .here: return held.context
            case .lent(let former):
                // Not in the lock: who asks from inside the transaction would wait for one who waits for it.
                // Nil where the transaction has ended meanwhile: then it says so here.
                if let context = former.context() { return context }
            case .succeeded: return nil
            }
        }
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
    func lend() -> (state: StoreState, former: FormerTables) {
        var state = rest
        let former = held.withLock { held in
            guard case .here = held.whereabouts else {
                preconditionFailure("a context is lent to one transaction at a time")
            }
            // Exchanged, because a copy would make every table look shared.
            swap(&state.context, &held.context)
            let former = FormerTables(of: &state.context)
            held.whereabouts = .lent(former)
            return former
        }
        return (state, former)
    }

    /// The transaction came to nothing, and has made `context` of what was lent.
    func takeBack(_ context: borrowing Context, _ former: FormerTables) {
        let whole = former.takeBack(context)
        held.withLock { held in
            held.context = whole
            held.whereabouts = .here
        }
        _ = former.close()
    }

    /// The transaction stays, and the body shows the state that follows. Answers what is to be let go where nobody
    /// waits.
    func succeed(_ former: FormerTables, _ body: () -> Void) -> TransactionRemains {
        var remains = TransactionRemains()
        held.withLock { held in
            remains = former.close()
            held.whereabouts = .succeeded
            body()
        }
        return remains
    }
}

/// The state that readers see: the newest acknowledged one. It never goes backwards.
final class PublishedState: Sendable {
    private let shared: Lock<SharedState>
    /// Those who are told what is shown.
    let watch = StateWatch()

    init(_ state: SharedState) { shared = Lock(state) }

    var current: StoreState {
        while true {
            // Nil where the next state is shown by now.
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

    var timeline: Timeline { shared.withLock { $0 }.timeline }

    /// Shows a state, unless a newer one was shown already: writers that waited for one sync come
    /// here in any order.
    func publish(_ new: SharedState) {
        set(new)
        advance()
    }

    /// The same, without telling those who watch. Answers what was shown before, to be let go where nobody
    /// waits: it may be the last to hold many pages.
    @discardableResult
    func set(_ new: SharedState) -> SharedState? {
        shared.withLock { shared -> SharedState? in
            guard new.lastTransaction > shared.lastTransaction else { return nil }
            let former = shared
            shared = new
            return former
        }
    }

    /// Tells those who watch what is shown.
    func advance() { watch.advance(to: shared.withLock { $0 }) }

    /// Shows the state of a log that another process has written, even where it ends earlier.
    func replace(by new: StoreState) {
        let former = shared.withLock { shared in
            let former = shared
            shared = SharedState(new)
            return former
        }
        withExtendedLifetime(former) {}
        watch.replace(by: new)
    }
}
