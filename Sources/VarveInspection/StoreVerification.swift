internal import VarveAssets
public import VarveLog

/// What a check of everything that a store's files say has found.
public struct StoreVerification: Sendable {
    /// The store's directory, as it was given.
    public let path: String
    /// What is wrong; most problems name a segment and an offset. The first is what opening the
    /// store would say.
    public let problems: [InspectionError]
    /// How many segments were read.
    public let segments: Int
    /// How many checkpoints were read.
    public let checkpoints: Int
    /// How many indexes of checkpoints were compared with the checkpoints' entities.
    public let indexes: Int
    /// How many indexes of checkpoints were not compared. Another version of the program made them, or of Unicode's data,
    /// and this one does not use them. No damage.
    public let staleIndexes: Int
    /// Intact frames, whole transactions, and their bytes.
    public let frames: UInt64
    /// How many whole transactions were read.
    public let transactions: UInt64
    /// What the frames occupy in the files.
    public let storedBytes: ByteCount
    /// What the frames hold before compression.
    public let rawBytes: ByteCount
    /// How many assets the newest state and the kept history name; the file of each was read.
    public let assets: Int
    /// What they occupy.
    public let assetBytes: ByteCount
    /// An unpromised end that the next writer will cut: the trace of an interruption, no damage.
    public let unpromisedTail: RecoveryReport.DroppedTail?
    /// Zeros behind the last frame: space that was not used, or writes that were lost. No damage.
    public let unused: RecoveryReport.UnusedSpace?

    /// Whether no problem was found.
    public var isSound: Bool { problems.isEmpty }

    /// Reads every byte of every segment and checkpoint, checks every checksum and the chain of
    /// segments, and when all of that is sound, whether the checkpoints hold what their digests say,
    /// whether their indexes are those of their entities, whether each transaction behind the older
    /// one follows from the state before it, whether in the end both sides of every link say the
    /// same, and whether the file of each asset is what was kept.
    ///
    /// Throws only when there is nothing to verify: no store, or a newer format.
    public static func verify(at path: String) throws(InspectionError) -> StoreVerification {
        try verify(ReadObservation.fileSystem(at: path))
    }

    package static func verify(
        _ fileSystem: any FileSystem
    ) throws(InspectionError) -> StoreVerification {
        let log = try InspectionError.wrapping { () throws(LogError) in
            try LogVerification.verify(fileSystem)
        }
        var problems = log.problems.map { InspectionError.log($0) }
        let content = problems.isEmpty ? ContentVerification(fileSystem) : nil
        problems += content?.problems ?? []
        return StoreVerification(
            path: fileSystem.displayPath, problems: problems, segments: log.segments,
            checkpoints: log.checkpoints, indexes: content?.indexes ?? 0,
            staleIndexes: content?.staleIndexes ?? 0, frames: log.frames,
            transactions: log.transactions, storedBytes: log.storedBytes, rawBytes: log.rawBytes,
            assets: content?.assets?.assets ?? 0,
            assetBytes: ByteCount(content?.assets?.bytes ?? 0),
            unpromisedTail: log.unpromisedTail, unused: log.unused)
    }
}
