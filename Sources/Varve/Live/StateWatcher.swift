internal import VarveEvents
internal import VarveGraph

/// One who watches a store: the changes that he has not taken yet.
///
/// He takes them when he is ready for them. When many have come meanwhile, the newest are joined, so
/// that a slow watcher costs bounded memory; he misses none of their effects.
final class StateWatcher: Sendable {
    fileprivate static let changesMax = 32

    fileprivate struct State: Sendable {
        var changes: [StateChange] = []
        /// Through that transaction everything was taken in; nil when that is not known.
        var reached: TransactionID?
    }

    let number: UInt64
    private let state: Lock<State>
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init(_ number: UInt64, after transaction: TransactionID) {
        self.number = number
        state = Lock(State(reached: transaction))
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - Giving

    /// Takes in what leads to a state that is shown.
    func take(_ changes: [StateChange], shown: StoreState) {
        let isNew = state.withLock { state in
            let before = state.reached
            for change in changes { state.take(change) }
            if state.reached.map({ $0 < shown.lastTransaction }) ?? true {
                state.take(
                    StateChange(
                        transactions: shown.lastTransaction...shown.lastTransaction,
                        context: shown.context, rows: nil))
            }
            return state.reached != before
        }
        if isNew { arrival.yield() }
    }

    /// What is shown next has nothing to do with what was shown.
    func restart(shown: StoreState) {
        state.withLock { $0.reached = nil }
        take([], shown: shown)
    }

    /// Nothing will come any more.
    func end() { arrival.finish() }

    // MARK: - Taking

    func pop() -> StateChange? {
        state.withLock { $0.changes.isEmpty ? nil : $0.changes.removeFirst() }
    }

    /// Whoever waits for a change; one at a time.
    func makeArrivals() -> AsyncStream<Void>.Iterator { arrivals.makeAsyncIterator() }
}

extension StateWatcher.State {
    fileprivate mutating func take(_ change: StateChange) {
        var change = change
        let newest = change.transactions.upperBound
        if let reached {
            guard newest > reached else { return }
            let next = TransactionID(reached.rawValue + 1)
            if change.transactions.lowerBound > next {
                change.transactions = next...newest
                change.rows = nil
            }
        } else {
            change.rows = nil
        }
        reached = newest
        if changes.count < StateWatcher.changesMax {
            changes.append(change)
        } else {
            changes[changes.count - 1].join(change)
        }
    }
}

/// A watcher as long as somebody wants him.
final class Watching: Sendable {
    let watcher: StateWatcher
    /// What was shown when watching began.
    let shown: StoreState
    private let source: StateSource

    init(_ source: StateSource) {
        self.source = source
        (watcher, shown) = source.published.watch.watch(source.published)
    }

    deinit { source.published.watch.end(watcher) }
}

/// The states that live results follow: those of a store, or those of a draft.
struct StateSource: Sendable {
    let published: PublishedState
    /// The store or the draft, which lives as long as its states are followed.
    let owner: any AnyObject & Sendable

    init(_ store: Store) {
        published = store.published
        owner = store
    }

    init(_ published: PublishedState, of owner: any AnyObject & Sendable) {
        self.published = published
        self.owner = owner
    }
}

/// Waits for a watcher's changes, for one consumer.
struct WatcherArrivals {
    private var arrivals: AsyncStream<Void>.Iterator

    init(_ watcher: StateWatcher) { arrivals = watcher.makeArrivals() }

    /// Until there may be a change. False when the task is cancelled, and behind the last change of a closed store.
    mutating func wait() async -> Bool {
        // A stream that has an element delivers it even then.
        if Task.isCancelled { return false }
        return await arrivals.next() != nil
    }
}
