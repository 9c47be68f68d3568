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
        private var iteration: ResultIteration<LiveQuery<Entity>>

        /// - Parameter list: what was found already in the state that the watcher saw first.
        init(_ watching: Watching, _ query: LiveQuery<Entity>, list: ResultList<Entity>? = nil) {
            iteration = ResultIteration(watching, query, results: list)
        }

        /// Returns the next list that differs, and waits until there is one.
        ///
        /// - Returns: nil when the task is cancelled or the store is closed.
        public mutating func next() async -> ResultUpdate<Entity>? { await iteration.next() }

        /// What is new by now, without waiting for it.
        package mutating func poll() -> ResultUpdate<Entity>? { iteration.poll() }
    }
}

extension LiveQuery: FollowedResults {
    func results(in context: Context) -> ResultList<Entity> { list(in: context) }

    func update(of first: ResultList<Entity>, _ transaction: TransactionID) -> ResultUpdate<Entity>
    {
        ResultUpdate(
            list: first, changes: ResultChanges(allInserted: first.count), transaction: transaction)
    }

    func advance(
        _ old: ResultList<Entity>, to change: StateChange
    ) -> (results: ResultList<Entity>, update: ResultUpdate<Entity>?) {
        let (list, changes) = advance(old, to: change.context, change.rows)
        guard !changes.isEmpty else { return (list, nil) }
        let transaction = change.transactions.upperBound
        return (list, ResultUpdate(list: list, changes: changes, transaction: transaction))
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
