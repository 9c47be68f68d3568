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

    let definitions: StoreDefinitions
    let lastTransaction: TransactionID
    let lastTime: Timestamp
    let timeline: Timeline
    private let held: InlineLock<Held>

    convenience init(_ state: consuming StoreState) { self.init(taking: &state) }

    /// Leaves the state with an empty context and timeline. Exchanged: a copy would make every table look shared, and count
    /// what the timeline consists of.
    init(taking state: inout StoreState) {
        var context = Context.vacant
        swap(&context, &state.context)
        held = InlineLock(Held(context: consume context))
        definitions = state.definitions
        lastTransaction = state.lastTransaction
        lastTime = state.lastTime
        var timeline = Timeline()
        swap(&timeline, &state.timeline)
        self.timeline = timeline
    }

    var reading: ChangeReading { ChangeReading(definitions.catalog, definitions.schema) }

    private func state(with context: consuming Context) -> StoreState {
        StoreState(
            context: context, definitions: definitions, lastTransaction: lastTransaction,
            lastTime: lastTime, timeline: timeline)
    }

    /// The context, or nil where it was lent and a state that follows is shown. Nil also where it was returned and
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
        return state(with: context)
    }

    /// Evicts cached leaves of stored tables, unless the context is lent: then the transaction does so.
    ///
    /// - Parameter byteCount: tables whose leaves take no more are left alone.
    func evictLeaves(above byteCount: Int) {
        replaceTables { $0.evictLeaves(above: byteCount) }
    }

    /// Replaces tables by others of equal content, unless the context is lent.
    func replaceTables(_ body: (inout TableList) -> Void) {
        // Released outside of the lock: it may be the last reference to many leaves.
        let former = held.withLock { held -> Context? in
            guard held.lentTo == nil else { return nil }
            let former = held.context
            body(&held.context.tables)
            return former
        }
        withExtendedLifetime(former) {}
    }

    // MARK: - Lending

    /// Takes the context out, for a transaction that changes it in place.
    func lend(to former: FormerTables, running token: TransactionToken) -> StoreState {
        var context = Context.vacant
        former.makeRoom()
        held.withLock { held in
            precondition(held.lentTo == nil, "a context is lent to one transaction at a time")
            // Exchanged, because a copy would make every table look shared.
            swap(&context, &held.context)
            former.begin(&context, number: lastTransaction.rawValue, running: token)
            held.lentTo = former
        }
        return state(with: consume context)
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
    deinit { former.forgetAll() }

    var current: StoreState {
        while true {
            // Nil where the next state is shown by now, or this one was returned and lent again.
            if let state = shared.withLock({ $0 }).state { return state }
        }
    }

    /// The context of that state alone.
    var context: Context {
        while true {
            if let context = shared.withLock({ $0 }).context { return context }
        }
    }

    /// Evicts cached leaves of stored tables: contexts from now on have tables with empty caches.
    func evictLeaves(_ memory: StoreMemory) {
        shared.withLock { $0 }.evictLeaves(above: memory.evictedLeafBytesMin)
        memory.noteEviction()
    }

    /// Replaces tables by others of equal content, if a transaction is the newest that readers see.
    func replaceTables(behind transaction: TransactionID, _ body: (inout TableList) -> Void) {
        let newest = shared.withLock { $0 }
        if newest.lastTransaction == transaction { newest.replaceTables(body) }
    }

    var lastTransaction: TransactionID { shared.withLock { $0 }.lastTransaction }

    /// How its transactions are read; without the context, which may have to be made.
    var reading: ChangeReading { shared.withLock { $0 }.reading }

    var timeline: Timeline { shared.withLock { $0 }.timeline }

    /// Shows a state, unless a newer one was shown already: writers that waited for one sync come
    /// here in any order.
    ///
    /// - Parameter remains: what was shown before is added to them, to be released outside of all locks: it may be the
    ///   last to hold many pages.
    func publish(_ new: SharedState, leaving remains: inout TransactionRemains) {
        let before = shared.withLock { shared -> SharedState? in
            guard new.lastTransaction > shared.lastTransaction else { return nil }
            let before = shared
            shared = new
            return before
        }
        if let before {
            // Behind it: who finds a state forgotten looks again for what is shown.
            former.forget(before: new.lastTransaction.rawValue, leaving: &remains)
            remains.add(before)
        }
        advance()
    }

    func publish(_ new: SharedState) {
        var remains = TransactionRemains()
        publish(new, leaving: &remains)
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
        former.forgetAll()
        watch.replace(by: new)
    }
}
