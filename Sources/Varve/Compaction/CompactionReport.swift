internal import VarveAssets
public import VarveEvents
public import VarveLog

/// What a compaction did.
public struct CompactionReport: Sendable, Hashable {
    /// The transaction whose state the newest checkpoint now holds.
    public let checkpoint: TransactionID
    /// What that checkpoint occupies, and its content before compression; nil when the newest state
    /// had a checkpoint already and the goal was not size.
    public let checkpointBytes: ByteCount?
    /// The content of that checkpoint before compression; nil where ``checkpointBytes`` is nil.
    public let checkpointRawBytes: ByteCount?
    /// What log and checkpoints occupied before and after.
    public let bytesBefore: ByteCount
    /// What log and checkpoints occupy behind the compaction.
    public let bytesAfter: ByteCount
    /// How many segments of the log were removed.
    public let segmentsDropped: Int
    /// How much history went with them.
    public let transactionsDropped: UInt64
    /// How many files of assets were removed, which neither the newest state nor the kept history names.
    public let assetsDropped: Int
    /// What they occupied.
    public let assetBytesDropped: ByteCount
    /// The oldest transaction that can still be asked for.
    public let floor: TransactionID
    /// How long the compaction took, waits included.
    public let duration: Duration
    /// What was damaged in the files that were dropped, which were read before for that: a sign of a disk that changes
    /// what it holds. The newest state does not depend on it. Empty where all was well.
    public let damage: [LogError]
    /// Why files that are not needed any more are still there; they go when the store is opened
    /// next. Nil where all are gone.
    public let leftover: LogError?
    /// Why files of assets that nothing names any more may still be there, for people; the next compaction looks again.
    /// Nil where all are gone but those that something still holds.
    public let assetsLeftover: String?
}

extension CompactionReport {
    /// Of a store that nothing was ever written to, which may hold assets all the same.
    static func ofNothing(but assets: (CollectedAssets, leftover: String?)) -> CompactionReport {
        CompactionReport(
            checkpoint: 0, checkpointBytes: nil, checkpointRawBytes: nil, bytesBefore: .zero,
            bytesAfter: .zero, segmentsDropped: 0, transactionsDropped: 0,
            assetsDropped: assets.0.files,
            assetBytesDropped: ByteCount(assets.0.bytes), floor: 1,
            duration: .zero, damage: [], leftover: nil, assetsLeftover: assets.leftover)
    }
}

/// How far a compaction is.
public struct CompactionProgress: Sendable, Hashable {
    /// What a compaction does at a moment.
    public enum Phase: String, Sendable, Hashable {
        /// Reads the state from the checkpoint before and the log behind it, where no state in memory follows the log.
        case reading
        /// Writes the checkpoint, reads it back, or installs it.
        case writing, verifying, finishing
        /// Reads what will be dropped, for the last time.
        case checking
    }

    /// The phase that the compaction is in.
    public let phase: Phase
    /// Between 0 and 1, of the phase.
    public let fraction: Double
}

extension Compaction.Dropped {
    /// What the files occupy when they cannot be measured.
    func bytesLeft(of before: ByteCount, adding size: CheckpointSize?) -> ByteCount {
        let sum = before.rawValue + (size?.stored.rawValue ?? 0)
        return ByteCount(sum - min(sum, bytes.rawValue))
    }
}
