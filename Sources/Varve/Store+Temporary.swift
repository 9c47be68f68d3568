internal import Foundation
public import VarveGraph
internal import VarveLog

/// Stores that go with the last reference to them. They take what a store in a directory takes, so that an app opens
/// all of its stores alike.
extension Store {
    /// A store without a disk, gone with its last reference. The options are those of a store in a directory.
    public static func inMemory(
        durability: Durability = .none, retention: Retention = .standard,
        compactsAutomatically: Bool = true, loading: Loading = .ahead,
        memory: MemoryBudget = .standard, migrations: [Migration] = [],
        migrating: MigrationOptions = MigrationOptions(), log: StoreLog? = nil,
        progress: (@Sendable (OpeningProgress) -> Void)? = nil,
        _ types: any EntityModelProtocol.Type...
    ) throws -> Store {
        try inMemory(
            durability: durability, retention: retention,
            compactsAutomatically: compactsAutomatically, loading: loading, memory: memory,
            migrations: migrations, migrating: migrating, log: log, progress: progress, types: types
        )
    }

    /// A store without a disk, with the types in an array.
    public static func inMemory(
        durability: Durability = .none, retention: Retention = .standard,
        compactsAutomatically: Bool = true, loading: Loading = .ahead,
        memory: MemoryBudget = .standard, migrations: [Migration] = [],
        migrating: MigrationOptions = MigrationOptions(), log: StoreLog? = nil,
        progress: (@Sendable (OpeningProgress) -> Void)? = nil,
        types: [any EntityModelProtocol.Type]
    ) throws -> Store {
        try Store(
            in: MemoryFileSystem(), mode: .readWrite,
            durability: durability, retention: retention,
            compactsAutomatically: compactsAutomatically, loading: loading, memory: memory,
            migrations: migrations, migrating: migrating, log: log, progress: progress, types: types
        )
    }

    /// A store in a new directory of its own, which is removed with the last reference to it. The options are those of
    /// a store in another directory.
    public static func temporary(
        durability: Durability = .commit, retention: Retention = .standard,
        compactsAutomatically: Bool = true, loading: Loading = .ahead,
        memory: MemoryBudget = .standard, migrations: [Migration] = [],
        migrating: MigrationOptions = MigrationOptions(), log: StoreLog? = nil,
        progress: (@Sendable (OpeningProgress) -> Void)? = nil,
        _ types: any EntityModelProtocol.Type...
    ) throws -> Store {
        try temporary(
            durability: durability, retention: retention,
            compactsAutomatically: compactsAutomatically, loading: loading, memory: memory,
            migrations: migrations, migrating: migrating, log: log, progress: progress, types: types
        )
    }

    /// A store in a new directory of its own, with the types in an array.
    public static func temporary(
        durability: Durability = .commit, retention: Retention = .standard,
        compactsAutomatically: Bool = true, loading: Loading = .ahead,
        memory: MemoryBudget = .standard, migrations: [Migration] = [],
        migrating: MigrationOptions = MigrationOptions(), log: StoreLog? = nil,
        progress: (@Sendable (OpeningProgress) -> Void)? = nil,
        types: [any EntityModelProtocol.Type]
    ) throws -> Store {
        let directory = try TemporaryDirectory()
        return try Store(
            in: POSIXFileSystem(directory.url.path), mode: .readWrite,
            durability: durability, retention: retention,
            compactsAutomatically: compactsAutomatically, loading: loading, memory: memory,
            migrations: migrations, migrating: migrating, log: log, progress: progress,
            types: types,
            temporaryDirectory: directory)
    }
}
