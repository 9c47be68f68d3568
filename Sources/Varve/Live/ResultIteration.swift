internal import VarveEvents
internal import VarveGraph

/// What a query finds, which can be brought from one state of the store to a later one.
protocol FollowedResults: Sendable {
    associatedtype Results: Sendable
    associatedtype Update: Sendable

    func results(in context: Context) -> Results
    /// The first update, with everything as inserted.
    func update(of first: Results, _ transaction: TransactionID) -> Update
    /// The next results; without an update where they do not differ.
    func advance(_ old: Results, to change: StateChange) -> (results: Results, update: Update?)
}

/// Results that are being followed: what the iterators of live results share.
struct ResultIteration<Followed: FollowedResults> {
    private let followed: Followed
    private let watching: Watching
    private var arrivals: WatcherArrivals
    private var results: Followed.Results?

    /// - Parameter results: what was found already in the state that the watcher saw first.
    init(_ watching: Watching, _ followed: Followed, results: Followed.Results? = nil) {
        self.followed = followed
        self.watching = watching
        self.results = results
        arrivals = WatcherArrivals(watching.watcher)
    }

    /// The next update, when there is one; nil when the task is cancelled or the store is closed.
    mutating func next() async -> Followed.Update? {
        while !Task.isCancelled {
            if let update = poll() { return update }
            guard await arrivals.wait() else { return nil }
        }
        return nil
    }

    /// What is new by now, without waiting for it.
    mutating func poll() -> Followed.Update? {
        guard var current = results else { return begin() }
        while let change = watching.watcher.pop() {
            let (next, update) = followed.advance(current, to: change)
            current = next
            results = next
            if let update { return update }
        }
        return nil
    }

    private mutating func begin() -> Followed.Update {
        let first = followed.results(in: watching.shown.context)
        results = first
        return followed.update(of: first, watching.shown.lastTransaction)
    }
}
