/// One transaction that is being reverted, with the places of its entities.
// Outside of `Reversal`, which is generic: its type would be looked up at run time.
struct ReversalStep {
    let id: TransactionID
    let entities: [TransactionView.Entity]
    let places: [EntityPlace?]
    /// The entities whose deletion alone is reverted; nil for all.
    let selection: Set<EntityIndex>?

    func entity(_ index: EntityIndex) -> TransactionView.Entity { entities[Int(index.rawValue)] }

    func place(_ entity: EntityIndex) -> EntityPlace? { places[Int(entity.rawValue)] }
}
