public import Observation
public import VarveEvents
public import VarveGraph

/// What a query finds, as an object that a view observes.
///
/// ```swift
/// let users = ObservedResults(of: User.query().sorted(by: \.name), in: store)
/// let songs = ObservedResults(of: Album.query("1").related(\.$songs), in: store)  // a relation
/// ```
///
/// The results are there at once; from then on they follow the store's transactions, as long as the object lives and
/// the store is open. Observers are notified on the main actor or another one, of all that a transaction changed at
/// once.
public final class ObservedResults<Entity: EntityModelProtocol>: Observable, Sendable {
    private let state: ObservedState<ResultUpdate<Entity>>

    /// Finds the results of now, and follows the store from then on.
    ///
    /// - Parameter actor: where observers are notified.
    /// - Complexity: that of resolving the query once.
    public convenience init(
        of query: QueryList<Entity>, in store: Store, on actor: any Actor = MainActor.shared
    ) {
        self.init(query, StateSource(store), on: actor)
    }

    init(_ query: QueryList<Entity>, _ source: StateSource, on actor: any Actor) {
        state = ObservedState(LiveQuery(query), source, on: actor) { $0 }
    }

    /// What the query finds now.
    public var list: ResultList<Entity> { state.value.list }
    /// How the list before became this one; empty at first.
    public var changes: ResultChanges { state.value.changes }
    /// The newest transaction that the list shows.
    public var transaction: TransactionID { state.value.transaction }
}
