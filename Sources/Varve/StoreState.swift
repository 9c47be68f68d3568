internal import VarveEvents
internal import VarveGraph

/// Everything that is frozen, rolled back and published together.
struct StoreState: Sendable {
    var context: Context
    /// What the log has defined.
    var catalog: Catalog
    var schema: Schema
    var lastTransaction: TransactionID
    /// The time of that transaction.
    var lastTime: Timestamp
    /// What the log holds and the app's types do not name.
    var unread: UnreadState
}
