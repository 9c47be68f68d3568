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

    /// The migrations that the log has behind it, as far as the app gave them.
    var pastMigrations: PastMigrations {
        PastMigrations(definitions.migrations, behind: timeline, catalog)
    }

    /// Matches types that the context has taken up meanwhile with the log's.
    mutating func extendSchema() throws(StoreError) {
        guard definitions.schema.lacksTypes(of: context) else { return }
        var schema = definitions.schema
        try schema.extend(to: context, catalog: definitions.catalog, isLateAddition: true)
        definitions.schema = schema
    }

    /// Makes both sides of each relation list the links, also where the log behind a transaction knew one side
    /// only. For a state that nothing is logged of; what leads from it to earlier states is kept.
    mutating func completeLinks(behind transaction: TransactionID) {
        let inverses = NewInverses(in: context, catalog: catalog, behind: transaction)
        guard inverses.isNeeded(in: context) else { return }
        definitions.loggedContext = context
        inverses.complete(&context)
    }

    /// The state as the log says it.
    var logged: StoreState {
        guard let context = definitions.loggedContext else { return self }
        var state = self
        state.context = context
        state.definitions.loggedContext = nil
        return state
    }

    /// A transaction was encoded that leads to this state.
    mutating func note(_ header: TransactionHeader) {
        lastTransaction = header.id
        lastTime = header.time
        timeline.note(header)
    }
}
