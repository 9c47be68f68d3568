public import Foundation
internal import VarveEvents
internal import VarveLog

/// What goes along with migrations when a store is opened.
public struct MigrationOptions: Sendable {
    /// Where a copy of the store is made before it is migrated. The library never removes one.
    public enum Backup: Sendable, Hashable {
        /// Beside the store, under its name with `.before-` and the number of the migration's transaction. A store
        /// without a directory of its own gets none.
        case beside
        /// In a directory that does not exist, or is empty.
        case at(URL)
        /// Nowhere.
        case none
    }

    /// Where the store is copied to before it is migrated. The copy is verified before the first byte of the store
    /// changes; where it cannot be made, the store is not migrated.
    public var backup: Backup
    /// Receives how far a migration is, on the opening thread.
    public var progress: @Sendable (MigrationProgress) -> Void

    /// Says where the backup goes, and what is called meanwhile.
    public init(
        backup: Backup = .beside,
        progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) {
        self.backup = backup
        self.progress = progress
    }
}

/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
    /// What is being done.
    public enum Stage: Sendable, Hashable {
        /// Steps run on entities. The number is that of entities and deleted entities.
        case converting
        /// The store is copied as it was before. Nothing has been changed yet.
        case backingUp
    }

    /// The number of entities between two reports.
    static let interval = 1_000

    /// What is being done.
    public let stage: Stage
    /// How much of it is done.
    public internal(set) var done: Int
    /// How much there is.
    public let total: Int
}

extension MigrationOptions.Backup {
    /// The path of the directory; nil for none.
    func directory(before transaction: TransactionID, _ fileSystem: any FileSystem) -> String? {
        switch self {
        case .none: nil
        case .at(let url): url.path
        case .beside:
            (fileSystem as? POSIXFileSystem).map { $0.displayPath + ".before-\(transaction)" }
        }
    }
}
