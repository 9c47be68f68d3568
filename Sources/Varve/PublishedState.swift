internal import VarveEvents
internal import VarveLog

/// The state that readers see: the newest acknowledged one. It never goes backwards.
final class PublishedState: Sendable {
    private let state: Lock<StoreState>
    /// Those who are told what is shown.
    let watch = StateWatch()

    init(_ state: StoreState) { self.state = Lock(state) }

    var current: StoreState { state.withLock { $0 } }

    var lastTransaction: TransactionID { state.withLock { $0.lastTransaction } }

    /// Shows a state, unless a newer one was shown already: writers that waited for one sync come
    /// here in any order.
    func publish(_ new: StoreState) {
        // The former state is let go outside of the lock: it may be the last to hold many pages.
        let former = state.withLock { state -> StoreState? in
            guard new.lastTransaction > state.lastTransaction else { return nil }
            defer { state = new }
            return state
        }
        withExtendedLifetime(former) {}
        watch.advance(to: current)
    }

    /// Shows the state of a log that another process has written, even where it ends earlier.
    func replace(by new: StoreState) {
        let former = state.withLock { state in
            defer { state = new }
            return state
        }
        withExtendedLifetime(former) {}
        watch.replace(by: new)
    }
}
