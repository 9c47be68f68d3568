internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension StoreOpening {
    /// The content of the newest state again, of the newest checkpoint and the log behind it; nil where the log does not end
    /// with a transaction.
    func reopened(
        _ current: StoreState, behind transaction: TransactionID
    ) throws(StoreError) -> Context? {
        let opening = opener(of: current)
        return try typed {
            let scanned = try ScannedLog.scan(
                fileSystem, environment: environment, configuration: configuration,
                mode: .readOnly, passesPromises: true)
            return try opening.readingNewest(scanned, comparingUpTo: comparedImageMax) { replayed in
                guard replayed.state.lastTransaction == transaction else { return nil }
                return try opening.hydrate(replayed.state, replayed.tried, for: .past)
                    .state.context
            }
        }
    }

    /// A state to read tables from that wait, with pages that make room for one another where they do not fit the store's
    /// memory.
    func limited(_ state: State) -> State {
        state.limited(to: memory.pages, from: memory.limitedImageMin)
    }
}
