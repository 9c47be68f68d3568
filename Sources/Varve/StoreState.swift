internal import VarveEvents
internal import VarveGraph

/// Everything that is frozen, rolled back and published together.
struct StoreState: Sendable {
    var context: Context
    var definitions: StoreDefinitions
    var lastTransaction: TransactionID
    /// The time of that transaction.
    var lastTime: Timestamp
    /// What can be undone and redone.
    var timeline: Timeline

    /// What the log has defined.
    var catalog: Catalog {
        _read { yield definitions.catalog }
    }

    var schema: Schema {
        _read { yield definitions.schema }
    }

    /// What the log holds and the app's types do not name.
    var unread: UnreadState { definitions.unread }

    /// Matches types that the context has taken up meanwhile with the log's.
    mutating func extendSchema() throws(StoreError) {
        guard definitions.schema.lacksTypes(of: context) else { return }
        var schema = definitions.schema
        try schema.extend(to: context, catalog: definitions.catalog, isLateAddition: true)
        definitions.schema = schema
    }

    /// A transaction was encoded that leads to this state.
    mutating func note(_ header: TransactionHeader) {
        lastTransaction = header.id
        lastTime = header.time
        timeline.note(header)
    }
}
