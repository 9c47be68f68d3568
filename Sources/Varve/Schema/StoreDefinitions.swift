internal import VarveEvents
internal import VarveGraph

/// What a log has defined, and how the app's types are matched with that.
///
/// It changes seldom and is copied with each state, so all of it is one reference. Whoever changes it changes a
/// copy, unless nobody else has it.
struct StoreDefinitions: Sendable {
    /// Unchecked: changed only where there is one reference, by the thread that has it. For exclusive access as
    /// well: a commit reads it half a dozen times, and no code that reaches it runs while it is being changed.
    private final class Contents: @unchecked Sendable {
        @exclusivity(unchecked) var catalog: Catalog
        @exclusivity(unchecked) var schema: Schema
        @exclusivity(unchecked) var loggedContext: Context?
        let migrations: [Migration]

        init(_ catalog: Catalog, _ schema: Schema, _ migrations: [Migration]) {
            self.catalog = catalog
            self.schema = schema
            self.migrations = migrations
        }
    }

    private var contents: Contents

    /// - Parameter migrations: those that the store was opened with.
    init(_ catalog: Catalog, _ schema: Schema, _ migrations: [Migration]) {
        contents = Contents(catalog, schema, migrations)
    }

    // Lent, because copying one counts several references.
    var catalog: Catalog {
        _read { yield contents.catalog }
        _modify {
            makeOwn()
            yield &contents.catalog
        }
    }

    var schema: Schema {
        _read { yield contents.schema }
        _modify {
            makeOwn()
            yield &contents.schema
        }
    }

    /// The context as the log says it, where the state has completed links in memory: earlier states are reached from
    /// it. Nil where there is no difference.
    var loggedContext: Context? {
        get { contents.loggedContext }
        set {
            if newValue == nil, contents.loggedContext == nil { return }
            makeOwn()
            contents.loggedContext = newValue
        }
    }

    /// Those that the store was opened with.
    var migrations: [Migration] { contents.migrations }

    func isSame(as other: StoreDefinitions) -> Bool { contents === other.contents }

    private mutating func makeOwn() {
        guard !isKnownUniquelyReferenced(&contents) else { return }
        let former = contents
        contents = Contents(former.catalog, former.schema, former.migrations)
        contents.loggedContext = former.loggedContext
    }
}
