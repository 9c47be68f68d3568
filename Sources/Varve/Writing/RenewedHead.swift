internal import VarveGraph
internal import VarveLog
internal import VarveTables

/// What tables are replaced in: the newest state, all of which is in the files.
struct RenewedHead {
    let state: StoreState
    let opening: StoreOpening
    /// What is to be replaced, with how many slots changes take there.
    let positions: [Int: Int]

    /// Brings the followed state up to this one, or somewhat beyond, with the indexes that the tables look for.
    func follow(
        _ followed: inout TableRenewal.Followed, avoiding errors: [LogError],
        isCancelled: () -> Bool
    ) throws(StoreError) {
        let causes = errors + (followed.rebuilt?.causes ?? [])
        if !causes.isEmpty { followed.state = nil }
        if try !apply(to: followed.state, isCancelled: isCancelled) {
            followed.state = try opening.following(avoiding: causes)
            followed.comparedSlots = [:]
        }
        try followed.state?.makeIndexes(
            state.storedIndexes(ofTablesAt: positions.keys),
            keyBytesMax: opening.memory.indexKeyBytesMax, isCancelled: isCancelled)
    }

    /// Applies what the log has behind the followed state. False where another one is to be made of the files.
    func apply(
        to followed: FollowedState?, isCancelled: () -> Bool
    ) throws(StoreError) -> Bool {
        try followed?.advance(through: state.lastTransaction, isCancelled: isCancelled) ?? false
    }

    /// Stored tables for the positions; nil where the log has led to another transaction.
    func replacements(
        _ followed: inout TableRenewal.Followed
    ) throws(StoreError) -> (tables: [Int: AnyTable], rebuilt: RebuiltState?)? {
        guard let next = followed.state?.state, next.lastTransaction == state.lastTransaction else {
            return nil
        }
        let renewed = try opening.renewedTables(of: next, state)
        let tables = state.context.tables.replacements(
            for: Set(positions.keys), in: renewed.state.context.tables,
            idsComparedBelow: &followed.comparedSlots)
        return (tables, renewed.rebuilt)
    }
}
