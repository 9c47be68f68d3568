public import Foundation
internal import VarveEvents
public import VarveLog

/// What an operator asks about a store.
public struct StoreStatistics: Sendable, Hashable {
    /// The newest transaction that readers see; 0 in a store that nothing was written to.
    public let lastTransaction: TransactionID
    /// The newest transaction that a power cut cannot reach.
    public let durableTransaction: TransactionID
    /// Counts and sizes of the log.
    public let log: LogStatistics
    /// False in read-only mode, after closing, and after an I/O error that ended the writing.
    public let isWritable: Bool
    /// Whether an I/O error ended the writing: every write throws until the store is opened again.
    public let isPoisoned: Bool
    /// The oldest transaction that can be asked for.
    public let floor: TransactionID
    /// The newest checkpoint, nil where there is none yet; of a store that is only read, the one
    /// that its opening started from.
    public let checkpoint: CheckpointStatistics?
    /// How much of its ``MemoryBudget`` the store uses, and for what.
    public let memory: MemoryStatistics
    /// The bytes of assets that transactions have replaced or deleted since the last compaction began. The next one
    /// removes the files, unless the kept history or a value names them. Where compactions start by themselves, those of
    /// former processes are counted, too, beside the first work of this one.
    public let replacedAssetBytes: ByteCount
    /// Why the last compaction that started by itself failed; nil when it did not, and when one has succeeded since, also
    /// one that was asked for.
    public let compactionFailure: String?
    /// What was damaged in files that a compaction has dropped since the store was opened, also one that started by
    /// itself; see ``CompactionReport/damage``.
    public let compactionDamage: [LogError]
}

/// What an operator asks about a checkpoint.
public struct CheckpointStatistics: Sendable, Hashable {
    /// The last transaction whose effects it holds; those behind it are replayed at the next opening.
    public let transaction: TransactionID
    /// When it was written.
    public let createdAt: Date
    /// What its file occupies.
    public let storedBytes: ByteCount
    /// Its content before compression.
    public let rawBytes: ByteCount

    /// How long ago it was written, in seconds; negative where the clock was set back since.
    public func age(at now: Date = Date()) -> TimeInterval { now.timeIntervalSince(createdAt) }
}

extension CheckpointStatistics {
    init(_ size: CheckpointSize) {
        transaction = TransactionID(size.sequence.rawValue)
        createdAt = Timestamp(microseconds: size.createdAt).date
        storedBytes = size.stored
        rawBytes = size.raw
    }
}

extension Store {
    /// What an operator asks about the store.
    public var statistics: StoreStatistics {
        let figures = writer?.figures.withLock { $0 }
        let checkpoint = figures.map(\.newestCheckpoint) ?? openingCheckpoint
        return StoreStatistics(
            lastTransaction: lastTransaction, durableTransaction: durableTransaction,
            log: figures?.log ?? LogStatistics(), isWritable: figures?.isWritable ?? false,
            isPoisoned: figures?.isFailed ?? false, floor: floor,
            checkpoint: checkpoint.map(CheckpointStatistics.init),
            memory: opener.memory.statistics,
            replacedAssetBytes: ByteCount(figures?.compaction.replacedAssetBytes ?? 0),
            compactionFailure: compactor?.failure,
            compactionDamage: compactor?.damage ?? [])
    }
}
