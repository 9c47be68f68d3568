public import VarveEvents
public import VarveGraph

/// What a query finds, now and after every transaction that makes a difference; see
/// ``Store/results(of:)``.
///
/// The first element comes at once, with everything as inserted. Then there is one for each
/// transaction that changes what the query finds, in order, each list exactly what the query finds
/// behind that transaction. Of a consumer that falls far behind the newest transactions are joined:
/// it skips lists, and no change. The sequence ends when its task is cancelled, and when the store is closed, behind the
/// last change.
public struct LiveResults<Entity: EntityModelProtocol>: AsyncSequence, Sendable {
    /// A list of results, and how it differs from the one before.
    public typealias Element = ResultUpdate<Entity>

    let source: StateSource
    let query: QueryList<Entity>

    /// Begins with the results of now. Each iterator follows the store by itself.
    public func makeAsyncIterator() -> Iterator {
        Iterator(Watching(source), LiveQuery(query))
    }

    /// Results that are being followed.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: LiveQuery<Entity>
        private let watching: Watching
        private var arrivals: WatcherArrivals
        private var list: ResultList<Entity>?

        /// - Parameter list: what was taken already of what the watcher was shown first.
        init(_ watching: Watching, _ query: LiveQuery<Entity>, list: ResultList<Entity>? = nil) {
            self.query = query
            self.watching = watching
            self.list = list
            arrivals = WatcherArrivals(watching.watcher)
        }

        /// Returns the next list that differs, and waits until there is one.
        ///
        /// - Returns: nil when the task is cancelled or the store is closed.
        public mutating func next() async -> ResultUpdate<Entity>? {
            while !Task.isCancelled {
                if let update = poll() { return update }
                guard await arrivals.wait() else { return nil }
            }
            return nil
        }

        /// What is new by now, without waiting for it.
        package mutating func poll() -> ResultUpdate<Entity>? {
            guard var current = list else { return begin() }
            while let change = watching.watcher.pop() {
                let (new, difference) = query.advance(current, to: change.context, change.rows)
                current = new
                list = new
                guard !difference.isEmpty else { continue }
                return ResultUpdate(
                    list: new, changes: difference, transaction: change.transactions.upperBound)
            }
            return nil
        }

        private mutating func begin() -> ResultUpdate<Entity> {
            let first = query.list(in: watching.shown.context)
            list = first
            return ResultUpdate(
                list: first, changes: ResultChanges(allInserted: first.count),
                transaction: watching.shown.lastTransaction)
        }
    }
}

/// What a query finds behind a transaction, and how that differs from what it found before.
public struct ResultUpdate<Entity: EntityModelProtocol>: Sendable {
    /// What the query finds, as a collection over a snapshot.
    public let list: ResultList<Entity>
    /// What turns the list before into this one.
    public let changes: ResultChanges
    /// The newest transaction that the list shows.
    public let transaction: TransactionID
}
