public import Observation
public import VarveEvents
public import VarveGraph

/// One entity, as an object that a view observes; nil while there is none.
///
/// ```swift
/// let album = ObservedEntity(Album.query("1"), in: store)
/// let songs = ObservedEntity(Album.query("1").with(\.$songs), in: store)      // with a relation
/// let artist = ObservedEntity(Album.query("1").related(\.$artist), in: store)  // where a relation leads
/// ```
///
/// The entity is there at once; from then on it follows the store's transactions, as long as the object lives and the
/// store is open. Observers are notified on the main actor or another one, of all that a transaction changed at
/// once. A deletion is seen as nil, and a restoration as the entity.
public final class ObservedEntity<Entity: EntityModelProtocol>: Observable, Sendable {
    private struct Shown: Sendable {
        let entity: Entity?
        let transaction: TransactionID
    }

    private let state: ObservedState<Shown>

    /// Finds the entity of now, and follows the store from then on.
    ///
    /// - Parameters:
    ///   - query: finds at most one entity: by id, along a to-one relation, or as the first of an order.
    ///   - actor: where observers are notified.
    /// - Complexity: that of resolving the query once.
    public convenience init(
        _ query: Query<Entity>, in store: Store, on actor: any Actor = MainActor.shared
    ) {
        self.init(query, StateSource(store), on: actor)
    }

    init(_ query: Query<Entity>, _ source: StateSource, on actor: any Actor) {
        state = ObservedState(LiveQuery(query), source, on: actor) {
            Shown(entity: $0.list.first, transaction: $0.transaction)
        }
    }

    /// The entity as it is now, with what the query loads of its relations.
    public var entity: Entity? { state.value.entity }
    /// The newest transaction that the entity shows.
    public var transaction: TransactionID { state.value.transaction }
}
