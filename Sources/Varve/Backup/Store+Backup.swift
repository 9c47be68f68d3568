public import Foundation
internal import VarveAssets
public import VarveLog
internal import VarveReplay

extension Store {
    /// Copies the store, while reads and writes go on, as it is when this is called or later: with
    /// its history, and everything that was acknowledged before.
    ///
    /// The backup is a store: opening it is restoring it. It has an identity of its own, because from
    /// here on the two take different courses. No compaction runs meanwhile; closing or suspending
    /// the store gives the backup up.
    ///
    /// - Parameter url: a directory that does not exist, or is empty. The backup appears there as a
    ///   whole, synced, read back and verified, or not at all.
    /// - Throws: ``StoreError``. It must not be called inside a write.
    /// - Complexity: linear in the size of the files, which are read twice and written once. The log of a store with
    ///   assets is read once more.
    @discardableResult
    public func backup(to url: URL) throws -> BackupReport {
        guard let compactor else { return try copyFiles(to: url) { false } }
        try flush()
        return try compactor.holding { try copyFiles(to: url) { compactor.isCancelled } }
    }

    /// Copies the store on a thread of its own.
    @discardableResult
    public func backup(to url: URL) async throws -> BackupReport {
        guard let compactor else {
            return try await withCheckedThrowingContinuation { continuation in
                DispatchQueue(label: "varve.backup").async { [self] in
                    continuation.resume(with: Result { try copyFiles(to: url) { false } })
                }
            }
        }
        return try await compactor.holding { [self] in
            try flush()
            return try copyFiles(to: url) { compactor.isCancelled }
        }
    }

    private func copyFiles(
        to url: URL, _ isCancelled: () -> Bool
    ) throws(StoreError) -> BackupReport {
        try StoreError.wrapping { () throws(LogError) in
            try NewDirectory(url.path).make { directory throws(LogError) in
                var report = try LogBackup.run(
                    from: opener.fileSystem, to: directory, environment: opener.environment,
                    configuration: opener.configuration, isCancelled: isCancelled)
                // Behind the log: what it names by then is there.
                try report.addAssets(
                    from: opener.fileSystem, to: directory, environment: opener.environment,
                    isCancelled: isCancelled)
                try complete(&report, in: directory)
                return report
            }
        }
    }

    /// Looks for the assets that the copy names and has not: what was lost before, and what a compaction of another
    /// process has removed meanwhile.
    private func complete(
        _ report: inout BackupReport, in directory: any FileSystem
    ) throws(LogError) {
        // Where no type ever had an asset, the copy is not read once more.
        if let writer, AssetNames(writer.inTurn { $0.head.catalog }).isEmpty { return }
        let copied = try ScannedLog.scan(
            directory, configuration: opener.configuration, mode: .readOnly)
        guard let catalog = try copied.catalog() else { return }
        try report.completeAssets(
            of: copied, catalog, from: opener.fileSystem, to: directory,
            environment: opener.environment)
    }
}
