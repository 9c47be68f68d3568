internal import VarveText

/// What a backup holds.
public struct BackupReport: Hashable, Sendable {
    /// The backup's identity: its own.
    public var store: StoreID
    /// That of the store that was backed up.
    public var source: StoreID
    /// The newest transaction in it.
    public var last: LogSequence
    /// The oldest transaction that can be asked for.
    public var floor: LogSequence
    /// How many transactions its history has.
    public var transactions: UInt64
    /// What log and checkpoints occupy.
    public var bytes: ByteCount
    /// Checkpoints that were left out because they cannot be used; opening would not use them either.
    public var checkpointProblems: [CheckpointProblem]
    /// How many assets were copied, whose content was compared with their digests.
    public var assets = 0
    /// What they occupy.
    public var assetBytes = ByteCount.zero
    /// Files of assets that were not copied, because they are not what was kept, or were removed by a compaction of
    /// another process meanwhile: their places in the store. Who names them, `varve verify` tells.
    public var damagedAssets: [String] = []
}

extension BackupReport: CustomStringConvertible {
    /// One sentence about the copy.
    public var description: String {
        "\(transactions.counted("transaction")) through \(last), \(bytes)"
            + (assets > 0 ? ", \(assets.counted("asset")) of \(assetBytes)" : "")
            + (damagedAssets.isEmpty ? "" : ", \(damagedAssets.count.counted("asset")) damaged")
    }
}
