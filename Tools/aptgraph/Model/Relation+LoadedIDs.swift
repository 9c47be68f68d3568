import Varve

extension Relation where Cardinality == Relations.ToMany<Entity> {
    /// The ids that a query has loaded, none where it has not.
    var loadedIDs: [Entity.ID] { ids ?? [] }
}
