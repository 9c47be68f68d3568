public import Foundation
internal import VarveAssets
internal import VarveEvents
public import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables
internal import VarveText

/// What opening a store with some types and migrations would do.
public struct StorePlan: Sendable {
    /// Migrations that would be performed, in their order.
    public internal(set) var migrations: [String] = []
    /// How the definitions in the log would change.
    public internal(set) var changes: [SchemaChange] = []
    /// How many entities, and deleted ones, migrations would change or remove, by the name of their type.
    public internal(set) var changedRows: [String: Int] = [:]
    /// What the log would hold and the types not show.
    public internal(set) var unread = UnreadContent()
    /// Why the store could not be opened so; nil where it could.
    public internal(set) var refusal: StoreError?
}

extension StorePlan: CustomStringConvertible {
    /// A line for each thing that would happen.
    public var description: String {
        var lines = migrations.map { "perform migration '\($0)'".escapedForDisplay }
        lines += changes.map(\.description)
        lines += changedRows.sorted { $0.key < $1.key }.filter { $0.value > 0 }.map {
            "change or remove \($0.value.counted("entity", "entities")) of type \($0.key)"
                .escapedForDisplay
        }
        if !unread.isEmpty { lines.append(unread.description) }
        if let refusal { lines.append("refused: \(refusal)") }
        return lines.isEmpty ? "nothing to do" : lines.joined(separator: "\n")
    }
}

extension Store {
    /// Says what opening a store with these types and migrations would do, and does nothing of it.
    ///
    /// Migrations are performed on a state in memory, so what their steps throw is in the plan too. The store may be
    /// open in another process, or damaged at its end. It is not changed.
    ///
    /// - Parameters:
    ///   - url: the store's directory.
    ///   - migrations: what a store would be opened with.
    ///   - types: the entity types of the app.
    /// - Returns: the plan. What would be refused is in ``StorePlan/refusal``.
    /// - Throws: ``StoreError/log(_:)`` and ``StoreError/inconsistent(transaction:reason:)``, where the log cannot be read.
    /// - Complexity: that of opening the store.
    public static func plan(
        at url: URL, migrations: [Migration] = [], _ types: any EntityModelProtocol.Type...
    ) throws -> StorePlan {
        try plan(at: url, migrations: migrations, types: types)
    }

    /// Says what opening a store would do, with the types in an array.
    public static func plan(
        at url: URL, migrations: [Migration] = [], types: [any EntityModelProtocol.Type]
    ) throws -> StorePlan {
        try plan(in: POSIXFileSystem(url.path), migrations: migrations, types: types)
    }

    package static func plan(
        in fileSystem: any FileSystem, migrations: [Migration],
        types: [any EntityModelProtocol.Type]
    ) throws -> StorePlan {
        let environment = SystemEnvironment()
        return try StoreOpening(
            fileSystem: fileSystem, environment: environment, configuration: LogConfiguration(),
            types: types, assets: AssetFolder(of: fileSystem, environment: environment),
            migrations: migrations
        ).plan()
    }
}

extension StoreOpening {
    fileprivate func plan() throws -> StorePlan {
        try typed {
            try lookingAgain {
                try readingNewest(try scan(.readOnly), comparingUpTo: .max) {
                    try plan(for: $0.state)
                }
            }
        }
    }

    private func plan(for state: State) throws -> StorePlan {
        var plan = StorePlan()
        do {
            try fill(&plan, state)
        } catch let error as StoreError {
            plan.refusal = error
        }
        return plan
    }

    private func fill(_ plan: inout StorePlan, _ state: State) throws {
        let former = state.catalog
        let pending = try MigrationRun.pending(migrations, behind: state.timeline)
        let declared = try declaredTypes()
        var planned = state
        // A new store performs none.
        if pending.isEmpty || state.lastTransaction == 0 {
            let merge = former.merging(declared: declared)
            guard merge.errors.isEmpty else {
                throw StoreError.schema(merge.errors.map(SchemaProblem.init))
                    .naming(migrations, state.timeline)
            }
            plan.changes = SchemaChange.all(from: former, merge)
        } else {
            plan.migrations = pending.map { "\($0.id)" }
            let outcome = try MigrationRun(
                state, pending, declared: declared, time: state.lastTime
            ).perform()
            plan.changes = SchemaChange.all(from: former, outcome.merge)
            plan.changedRows = outcome.changedRows
            planned = outcome.state
            try admitAssets(of: outcome)
        }
        plan.unread = try unread(of: planned)
    }
}
