internal import VarveEvents
internal import VarveGraph

/// Tells those who watch a store what its transactions touch, as they are shown.
///
/// The writer notes what each transaction touches, while anybody watches; it is handed on when the
/// state behind it is shown, transaction by transaction, although one sync may show many at once. A
/// watcher that finds a transaction missing, because nobody watched when it was written, is given the
/// state alone.
final class StateWatch: Sendable {
    private struct State: Sendable {
        var watchers: [UInt64: StateWatcher] = [:]
        /// Rung whenever something may have become durable, and when the store ends.
        var bells: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var next: UInt64 = 0
        /// Written and not shown yet, oldest first.
        var pending: [StateChange] = []
        /// The store was closed: nothing will come any more.
        var isEnded = false

        /// Whether nobody wants to know anything.
        var isIdle: Bool { watchers.isEmpty && bells.isEmpty && pending.isEmpty }
    }

    private let state = Lock(State())

    /// Whether what is touched is worth noting.
    var isWatched: Bool { state.withLock { !$0.watchers.isEmpty } }

    // MARK: - Told by the store

    /// Called in the writer's turn, behind the append and before anybody can show the state.
    func note(_ change: StateChange) {
        state.withLock { state in
            if !state.watchers.isEmpty { state.pending.append(change) }
        }
    }

    /// A state is shown, or one that was shown has become durable.
    func advance(to shown: SharedState) {
        let done = state.withLock { state -> [StateChange] in
            if state.isIdle { return [] }
            for bell in state.bells.values { bell.yield() }
            let count = state.pending.prefix {
                $0.transactions.upperBound <= shown.lastTransaction
            }.count
            let ready = Array(state.pending.prefix(count))
            if !state.watchers.isEmpty {
                // Nil where another state has followed: whoever shows that comes here too.
                guard let new = shown.state else { return [] }
                for watcher in state.watchers.values { watcher.take(ready, shown: new) }
            }
            state.pending.removeFirst(count)
            return ready
        }
        // Contexts are released outside of the lock.
        withExtendedLifetime(done) {}
    }

    /// What is shown from here on was read anew: slots stand for other ids.
    func replace(by new: StoreState) {
        state.withLock { state in
            state.pending.removeAll()
            for watcher in state.watchers.values { watcher.restart(shown: new) }
            for bell in state.bells.values { bell.yield() }
        }
    }

    /// The store was closed. Watchers end behind what they have not taken yet, and feeds behind a last look.
    func end() {
        state.withLock { state in
            state.isEnded = true
            for watcher in state.watchers.values { watcher.end() }
            for bell in state.bells.values { bell.yield() }
        }
    }

    // MARK: - Watching

    /// Watches from the state on that is shown now.
    func watch(_ published: PublishedState) -> (watcher: StateWatcher, shown: StoreState) {
        let (watcher, shown) = state.withLock { state in
            let shown = published.current
            let number = state.next
            state.next += 1
            let watcher = StateWatcher(number, after: shown.lastTransaction)
            state.watchers[number] = watcher
            if state.isEnded { watcher.end() }
            return (watcher, shown)
        }
        return (watcher, shown)
    }

    func end(_ watcher: StateWatcher) {
        let former = state.withLock { $0.watchers.removeValue(forKey: watcher.number) }
        withExtendedLifetime(former) {}
    }

    /// A stream with an element whenever it is worth to look at the log again.
    func bell() -> (stream: AsyncStream<Void>, number: UInt64) {
        let (stream, bell) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            let number = state.next
            state.next += 1
            state.bells[number] = bell
            return number
        }
        return (stream, number)
    }

    func endBell(_ number: UInt64) {
        let former = state.withLock { $0.bells.removeValue(forKey: number) }
        former?.finish()
    }
}
