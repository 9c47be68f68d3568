internal import VarveLog

/// How much the log has grown and how much of assets was replaced since the last compaction, and how much makes one due.
///
/// A compaction is due when the log behind the newest checkpoint
///
/// - takes as much room as that checkpoint, which is about what a compaction writes. Where this decides, compactions write
///   no more than the log does;
/// - or takes an opening one to three seconds to replay. Replay costs as much for a transaction as for an event, and both
///   differ in bytes by a factor of ten, so it is their number that counts. A checkpoint of more than 256 MB is written
///   again for no fewer than one of them for each 128 of its bytes: the replay of a large store takes longer instead.
///   Updates may take as little as 31 bytes of log. Behind such updates, and a checkpoint of more than 62 MB, this decides,
///   and compactions write up to four times what the log does.
///
/// Two checkpoints with the log from the older one take the room of four checkpoints at most. That is within twice the
/// live data where a checkpoint takes half of it.
///
/// A log of a few mebibytes is never compacted for these reasons.
struct CompactionFigures: Sendable {
    /// What lies behind a checkpoint, in the log.
    struct Growth: Sendable {
        var bytes: UInt64
        /// Events and transactions.
        var replaySteps: UInt64
    }

    let growth: Growth
    let replacedAssetBytes: UInt64
    private let bytesMin: UInt64
    private let checkpointBytes: UInt64

    private static let replayStepsMax: UInt64 = 2_000_000
    private static let checkpointBytesPerReplayStep: UInt64 = 128
    /// A compaction costs as much as the state is large, however many assets it removes: it waits for more of them than
    /// of the log.
    private static let assetFactor: UInt64 = 64

    /// - Parameters:
    ///   - checkpointBytes: of the newest checkpoint, as it is stored; 0 where there is none.
    ///   - replacedAssetBytes: of assets that transactions have replaced or deleted since the last compaction.
    ///   - bytesMin: a log that grew by less is not compacted.
    init(
        _ growth: Growth, behind checkpointBytes: ByteCount, replacedAssetBytes: UInt64,
        bytesMin: ByteCount
    ) {
        self.growth = growth
        self.checkpointBytes = checkpointBytes.rawValue
        self.replacedAssetBytes = replacedAssetBytes
        self.bytesMin = bytesMin.rawValue
    }

    var isDue: Bool {
        growth.bytes >= bytesMin && isLogDue || replacedAssetBytes >= assetBytesWhenDue
    }

    private var isLogDue: Bool {
        growth.bytes >= checkpointBytes
            || growth.replaySteps
                >= max(
                    Self.replayStepsMax, checkpointBytes / Self.checkpointBytesPerReplayStep)
    }

    private var assetBytesWhenDue: UInt64 {
        let due = bytesMin.multipliedReportingOverflow(by: Self.assetFactor)
        return due.overflow ? .max : due.partialValue
    }

    /// How far the log must have grown for another attempt, after one that failed: twice as far, but not by more than what
    /// makes its bytes due. The reason of the attempt may have been another one, behind few bytes.
    var bytesForAnotherAttempt: UInt64 {
        let next = growth.bytes.addingReportingOverflow(
            max(bytesMin, min(growth.bytes, checkpointBytes)))
        return next.overflow ? .max : next.partialValue
    }
}

/// Events and transactions, which an opening replays.
struct ReplaySteps: Sendable {
    /// Those that the opening replayed, and those that were logged since.
    var logged: UInt64
    /// How many of them are in the newest checkpoint.
    var inCheckpoint: UInt64 = 0

    /// None where a log that was read again has fewer than the checkpoint was noted with.
    var behindCheckpoint: UInt64 { logged - min(logged, inCheckpoint) }
}

extension CompactionFigures {
    init(_ open: Writer.OpenLog, _ core: Writer.Core) {
        self.init(
            Growth(
                bytes: open.log.bytesSinceCheckpoint.rawValue,
                replaySteps: core.replaySteps.behindCheckpoint),
            behind: core.newestCheckpoint?.stored ?? .zero,
            replacedAssetBytes: core.admission.replacedBytes,
            bytesMin: open.log.configuration.automaticCompactionBytesMin)
    }
}
