public import Foundation
internal import VarveEvents
internal import VarveLog

/// What goes along with migrations when a store is opened.
public struct MigrationOptions: Sendable {
    /// Where a copy of the store is made before it is migrated. The library never removes one.
    public enum Backup: Sendable, Hashable {
        /// Beside the store, under its name with `.before-` and the number of the migration's transaction. Where
        /// there is something under that name, `-2` and so on follows. A store without a directory gets none.
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
            (fileSystem as? POSIXFileSystem).map {
                Self.vacant($0.displayPath + ".before-\(transaction)")
            }
        }
    }

    /// The first of a path and its numbered successors under which there is nothing.
    ///
    /// A process that ends between the copy and the migration leaves the copy: the next attempt needs another name.
    private static func vacant(_ path: String) -> String {
        let paths = (1...9_999).lazy.map { $0 == 1 ? path : "\(path)-\($0)" }
        return paths.first { path in
            // What cannot be listed is left to the copying, which reports it.
            guard let names = try? POSIXFileSystem(path).list() else { return true }
            return names.isEmpty
        } ?? path
    }
}
