/// Why a log cannot be opened, read or written. Every case says what to do next.
public enum LogError: Error, Hashable, Sendable {
    /// The directory holds files, but no store.
    case notAStore(directory: String, reason: String)
    /// There is no store at that place.
    case missing(directory: String)
    /// Another opener holds the store for writing.
    case locked(directory: String, holder: LockHolder)
    /// The system does not let this process write to the store.
    case notWritable(directory: String, FileSystemError)
    /// Written by a newer version of the format.
    case unsupportedVersion(file: String, found: UInt16, supported: UInt16)
    /// Uses features that this version does not know; the bits are those of the named file.
    case unsupportedFeatures(file: String, bits: UInt32)
    /// A frame of a type, codec or flag that this version does not know.
    case unsupportedFrame(segment: SegmentID, offset: FrameOffset, found: UInt32)
    /// Bytes that were promised to be safe are not what was written.
    case damaged(LogDamage)
    /// The manifest is unreadable, or there is none beside segments that hold data.
    case manifestDamaged(file: String, reason: String)
    /// A segment in the middle of the log is not there.
    case segmentMissing(SegmentID)
    /// The last segment was sealed, so a later one existed and is gone.
    case successorMissing(of: SegmentID)
    /// Segment files that follow one another do not belong together.
    case chainBroken(LogDamage)
    /// A checkpoint is missing or not what was written; the offset is where in its file, as far as that is known.
    case checkpointDamaged(file: String, offset: FrameOffset? = nil, reason: String)
    /// No checkpoint can be used, and the log does not reach back to the beginning without one.
    case noUsableCheckpoint([CheckpointProblem])
    /// The log ends before the transaction that a checkpoint holds: later segments are gone.
    case logEndsBeforeCheckpoint(checkpoint: LogSequence, last: LogSequence)
    /// The transaction is older than the history that the store keeps.
    case belowFloor(LogSequence, floor: LogSequence)
    /// A new store is to be written where something is already.
    case targetExists(directory: String)
    /// The backup was given up because the store is being closed.
    case backupCancelled
    /// The compaction was given up because the log is being closed.
    case compactionCancelled
    /// A page of a checkpoint larger than the format allows.
    case pageTooLarge(bytes: ByteCount, limit: ByteCount)
    /// No transaction of that number is in the log.
    case noSuchTransaction(LogSequence)
    /// The system refused an operation on a file.
    case fileSystem(FileSystemError)
    /// The disk refused to make written bytes safe: what reached it is unknown. Every transaction
    /// after `lastDurable` may or may not be there after reopening.
    case synchronizationFailed(FileSystemError, lastDurable: LogSequence)
    /// A file that the writer had open was removed from the store's directory, or another one was put in its place.
    /// Nothing is written any more: another process may have the store.
    case displaced(file: String, isReplaced: Bool)
    /// An earlier failure ended the writing.
    indirect case poisoned(cause: LogError)
    /// The log was closed.
    case closed
    /// The log was opened by another process, which this one was forked from.
    case openedInAnotherProcess(LockHolder)
}

/// One place where a log is not what was written: where, and what was expected and found there.
public struct LogDamage: Hashable, Sendable {
    /// Which part of a file is not what was written.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The first 128 bytes of a segment.
        case segmentHeader = "segment header"
        /// The header of a frame.
        case frameHeader = "frame header"
        /// The file ends inside of a frame.
        case frameTruncated = "frame cut short"
        /// The stored bytes of a frame differ from their checksum.
        case payload = "checksum of the stored bytes"
        /// Bytes behind a frame's payload that must be zero are not.
        case padding = "padding"
        /// The bytes of a frame differ, behind decompression, from their checksum.
        case content = "checksum of the content"
        /// The stored bytes of a frame cannot be decompressed.
        case compression = "compressed data"
        /// A frame header that contradicts the format.
        case frameFields = "frame fields"
        /// A transaction has another number than the one that is due.
        case sequence = "transaction number"
        /// A frame promises a length that the segment cannot have.
        case promise = "promised length"
        /// Frames of one transaction do not follow one another.
        case transactionRun = "frames of one transaction"
        /// The footer of a sealed segment.
        case footer = "segment footer"
        /// A segment without a footer is followed by one with data.
        case frameBehindUnsealedSegment = "data behind an unsealed segment"
        /// A segment header gives another length of the segment before.
        case previousLength = "length of the previous segment"
        /// A segment header gives another digest of the segment before.
        case previousDigest = "digest of the previous segment"
        /// A footer gives another digest of its own segment.
        case digest = "digest of the segment"
        /// A segment of another store.
        case storeIdentity = "store identity"
        /// A segment with another number than its name.
        case segmentNumber = "segment number"
        /// A writer's epoch that does not follow from the one before.
        case writerEpoch = "writer epoch"
    }

    /// The segment.
    public let segment: SegmentID
    /// The place in the segment.
    public let offset: FrameOffset
    /// Which part is not what was written.
    public let kind: Kind
    /// The number that must be there: a checksum, a length, a transaction.
    public let expected: UInt64
    /// The number that is there.
    public let found: UInt64

    /// Damage at a place of a segment.
    public init(
        segment: SegmentID, offset: FrameOffset, kind: Kind, expected: UInt64, found: UInt64
    ) {
        self.segment = segment
        self.offset = offset
        self.kind = kind
        self.expected = expected
        self.found = found
    }
}

extension LogDamage: CustomStringConvertible {
    /// One sentence: place, part, expected and found.
    public var description: String {
        "segment \(segment), offset \(offset): \(kind.rawValue): "
            + "expected \(hexadecimal(expected)), found \(hexadecimal(found))"
    }
}

private func hexadecimal(_ value: UInt64) -> String {
    "0x" + String(value, radix: 16)
}
