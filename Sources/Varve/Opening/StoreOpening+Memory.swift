internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension StoreOpening {
    /// The newest state, of the newest checkpoint and the log behind it, which follows that log.
    ///
    /// - Parameter errors: say which checkpoints turned out damaged before.
    func following(avoiding errors: [LogError]) throws(StoreError) -> FollowedState {
        try typed {
            try lookingAgain {
                // Of a writer that is open: what no promise speaks of is there too.
                let scanned = try ScannedLog.scan(
                    fileSystem, environment: environment, configuration: configuration,
                    mode: .readOnly, passesPromises: true)
                return try readingNewest(
                    scanned, comparingUpTo: comparedImageMax, avoiding: errors
                ) { replayed in
                    FollowedState(
                        replayed.state, try LogFollower(scanned), image: replayed.image,
                        tried: replayed.tried)
                }
            }
        }
    }

    /// Stored tables for the content of a state.
    ///
    /// - Parameter current: has the types.
    func renewedTables(
        of state: State, _ current: StoreState
    ) throws(StoreError) -> Hydrated {
        var opening = opener(of: current)
        // How few slots there are matters to how soon reads are, and not here.
        opening.waitingSlotsMin = min(1, waitingSlotsMin)
        return try opening.hydrate(state, nil, for: .renewal)
    }

    /// The state that stored tables read from. Its pages are evicted if they do not fit the memory budget.
    func limited(_ state: State) -> State {
        state.limited(to: memory.pages, from: memory.limitedImageMin)
    }
}
