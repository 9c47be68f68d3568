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
    /// What can be undone and redone.
    var timeline: Timeline

    /// What stands where a state was taken away.
    static let empty = StoreState(
        context: Context(), catalog: Catalog(), schema: Schema(), lastTransaction: 0,
        lastTime: Timestamp(microseconds: 0), unread: UnreadState(), timeline: Timeline())

    /// A transaction was encoded that leads to this state.
    mutating func note(_ header: TransactionHeader) {
        lastTransaction = header.id
        lastTime = header.time
        timeline.note(header)
    }
}
