internal import VarveEvents
internal import VarveLog

/// A state that several hold: a reference instead of the many that a state consists of.
final class SharedState: Sendable {
    let state: StoreState

    init(_ state: StoreState) { self.state = state }

    var lastTransaction: TransactionID { state.lastTransaction }
}

/// The state that readers see: the newest acknowledged one. It never goes backwards.
final class PublishedState: Sendable {
    private let shared: Lock<SharedState>
    /// Those who are told what is shown.
    let watch = StateWatch()

    init(_ state: StoreState) { shared = Lock(SharedState(state)) }

    var current: StoreState { shared.withLock { $0 }.state }

    var lastTransaction: TransactionID { shared.withLock { $0 }.lastTransaction }

    /// Shows a state, unless a newer one was shown already: writers that waited for one sync come
    /// here in any order.
    func publish(_ new: SharedState) {
        // The former state is let go outside of the lock: it may be the last to hold many pages.
        let (former, current) = shared.withLock { shared -> (SharedState?, SharedState) in
            guard new.lastTransaction > shared.lastTransaction else { return (nil, shared) }
            let former = shared
            shared = new
            return (former, new)
        }
        withExtendedLifetime(former) {}
        watch.advance(to: current)
    }

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
