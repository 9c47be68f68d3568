public import Observation
public import VarveEvents
public import VarveGraph

/// What a query finds, as an object that a view observes.
///
/// ```swift
/// let users = ObservedResults(of: User.query().sorted(by: \.name), in: store)
/// ```
///
/// The results are there at once; from then on they follow the store's transactions, on the main
/// actor, as long as the object lives and the store is open.
@MainActor
@Observable
public final class ObservedResults<Entity: EntityModelProtocol> {
    /// What the query finds now.
    public private(set) var list: ResultList<Entity>
    /// How the list before became this one; empty at first.
    public private(set) var changes = ResultChanges()
    /// The newest transaction that the list shows.
    public private(set) var transaction: TransactionID
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Finds the results of now, and follows the store from then on.
    ///
    /// - Complexity: that of resolving the query once.
    public convenience init(of query: QueryList<Entity>, in store: Store) {
        self.init(query, StateSource(store))
    }

    init(_ query: QueryList<Entity>, _ source: StateSource) {
        let watching = Watching(source)
        let query = LiveQuery(query)
        let first = query.list(in: watching.shown.context)
        list = first
        transaction = watching.shown.lastTransaction
        // Away from the main actor: only what is found is shown there.
        following = Task.detached { [weak self] in
            var updates = LiveResults.Iterator(watching, query, list: first)
            while let update = await updates.next() { await self?.show(update) }
        }
    }

    isolated deinit { following?.cancel() }

    private func show(_ update: ResultUpdate<Entity>) {
        list = update.list
        changes = update.changes
        transaction = update.transaction
    }
}
