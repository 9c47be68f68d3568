internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension StoreOpening {
    /// Reads the newest state again from the newest checkpoint and the log behind it. Nil where the log does not end with
    /// the transaction.
    func reopened(
        _ current: StoreState, behind transaction: TransactionID
    ) throws(StoreError) -> Context? {
        var opening = opener(of: current)
        // How few slots there are matters to how soon reads are, and not here.
        opening.waitingSlotsMin = min(1, waitingSlotsMin)
        return try typed { [opening] in
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

    /// The state that stored tables read from. Its pages are evicted if they do not fit the memory budget.
    func limited(_ state: State) -> State {
        state.limited(to: memory.pages, from: memory.limitedImageMin)
    }
}
