internal import VarveEvents

/// How transactions are read that are reverted: as they are, or, where a migration came since, as if they had been made
/// behind it.
struct ReversalWay {
    let history: LogHistory
    let catalog: Catalog
    /// The migrations that came since; nil where none did.
    let past: PastMigrations?

    init(
        _ transactions: [TransactionID], _ state: StoreState, _ history: LogHistory
    ) throws {
        guard let newest = state.timeline.migration(since: transactions)?.transaction else {
            self.history = history
            catalog = state.catalog
            past = nil
            return
        }
        let past = try history.migrations(behind: state)
        self.past = past
        // They keep the state, whose tables look shared then: only where they are asked.
        let ordinals = past.movesEntities(behind: 0) ? MovedOrdinals(state) : nil
        self.history = try history.translated(through: past, state.catalog, ordinals)
        catalog = state.catalog.rewritten(through: newest)
    }

    /// The error for a migration among the transactions: the app's types cannot hold what was before it.
    func refusal(of transactions: [TransactionID]) -> StoreError? {
        guard let past else { return nil }
        return transactions.lazy.compactMap { past.refusal(of: $0) }.first
    }
}
