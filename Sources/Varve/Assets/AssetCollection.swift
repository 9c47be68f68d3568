internal import VarveAssets
internal import VarveEvents
internal import VarveLog

/// The removal of files of assets that neither the newest state nor the kept history names, behind a compaction.
///
/// Writers go on meanwhile: files are looked up first, then who names them, and each is removed in a turn of the
/// writer, unless a transaction came to name it or a value holds it by then.
struct AssetCollection {
    let writer: Writer
    let assets: AssetFolder
    /// Called for each page and transaction that is read, and for each turn.
    let isCancelled: () -> Bool

    /// How many files are removed in one turn of the writer.
    private static let filesPerTurn = 32

    /// Counts what it removes also where it throws.
    func run(countingIn collected: inout CollectedAssets) throws {
        assets.beginCollection()
        defer { assets.endCollection() }
        try assets.removeStaged(countingIn: &collected)
        var rest = Array(try unnamed())[...]
        while !rest.isEmpty {
            if isCancelled() { throw LogError.compactionCancelled }
            let some = rest.prefix(Self.filesPerTurn)
            rest = rest.dropFirst(Self.filesPerTurn)
            let (sum, failure) = writer.inTurn { [collected] _ in
                var sum = collected
                do throws(LogError) {
                    try assets.remove(some, countingIn: &sum)
                    return (sum, LogError?.none)
                } catch {
                    return (sum, error)
                }
            }
            collected = sum
            // Behind the turn: to free the blocks of large files takes long.
            collected.release()
            if let failure { throw failure }
        }
    }

    /// A file that comes while this looks is none of these.
    private func unnamed() throws -> Set<AssetDigest> {
        let (log, checkpoint, catalog) = try writer.checkpointedLog()
        do throws(AssetNames.Failure) {
            return try assets.filesWithoutName(
                AssetNames(catalog), in: checkpoint, log, isCancelled: isCancelled)
        } catch {
            switch error {
            case .log(let error): throw error
            case .transaction(let sequence, _, let reason):
                throw StoreError.inconsistent(
                    transaction: TransactionID(sequence.rawValue), reason: reason)
            }
        }
    }
}

extension Writer {
    /// The log as it is, its newest checkpoint, and what both have defined.
    fileprivate func checkpointedLog() throws -> (LogSnapshot, CheckpointFile?, Catalog) {
        let (log, reference, store, catalog) = try inTurn { core in
            let log = try core.openLog().log
            return (
                log.snapshot, log.manifest.checkpoints.first, log.manifest.store, core.head.catalog
            )
        }
        let file = try reference.map {
            try CheckpointFile($0, store: store, in: log.fileSystem, mode: .readOnly)
        }
        return (log, file, catalog)
    }
}
