/// What opening a log found and, for a writer, did. Returned by every opening.
public struct RecoveryReport: Hashable, Sendable {
    /// Why bytes at the end of the log were not part of it.
    public enum TailReason: String, Hashable, Sendable {
        /// The file ends inside of a frame header.
        case incompleteHeader = "a frame header cut short"
        /// Zeros where a frame header is due.
        case zeros = "zeros"
        /// A frame header whose checksum does not hold.
        case damagedHeader = "an unreadable frame header"
        /// The file ends inside of a frame's payload.
        case incompletePayload = "a frame cut short"
        /// A frame whose payload differs from its checksum.
        case damagedPayload = "a frame with damaged content"
        /// A transaction of several frames without its last one.
        case unfinishedTransaction = "a transaction without its last frame"
        /// A footer that was not written whole.
        case unfinishedFooter = "an interrupted sealing of the segment"
    }

    /// The unpromised end that was cut, or that a reader ignores.
    public struct DroppedTail: Hashable, Sendable {
        /// The segment that ends with it.
        public var segment: SegmentID
        /// Where it begins.
        public var offset: FrameOffset
        /// How long it is.
        public var bytes: ByteCount
        /// Why it is not part of the log.
        public var reason: TailReason
        /// The newest transaction of which a piece was recognised behind the cut.
        public var lastRecognised: LogSequence?
        /// The name, inside the store, of the copy that was kept; nil before recovery.
        public var keptAs: String?
        /// How much of the bytes is in the copy: all, unless they are very many, or the disk was full.
        public var keptBytes = ByteCount.zero
    }

    /// Zeros behind the last frame: space that a writer took beforehand and did not come to giving
    /// back, or the place of writes of which nothing reached the disk.
    public struct UnusedSpace: Hashable, Sendable {
        /// The segment that ends with it.
        public var segment: SegmentID
        /// Where it begins.
        public var offset: FrameOffset
        /// How long it is.
        public var bytes: ByteCount
    }

    /// There was no store: this opening has created it.
    public var isNewStore = false
    /// The last writer closed the log: its end was sealed. True of a new store.
    public var endedCleanly = false
    /// The end of the log that was cut, or that a reader ignores; nil where there was none.
    public var dropped: DroppedTail?
    /// Zeros behind the last frame; nil where there were none.
    public var unused: UnusedSpace?
    /// How much that is.
    public var unusedBytes: ByteCount { unused?.bytes ?? .zero }
    /// The newest whole transaction.
    public var lastSequence = LogSequence.none
    /// The newest transaction that a power cut could not have reached when the log was opened.
    public var promisedSequence = LogSequence.none
    /// A writer stopped between creating a segment and sealing the one before.
    public var interruptedRoll = false
    /// Frames of types that this version does not know and may ignore.
    public var ignoredFrames: UInt64 = 0
    /// Temporary files of interrupted work, removed by recovery.
    public var temporaryFiles: [String] = []
    /// Files that a compaction replaced and did not come to removing, removed by recovery.
    public var orphans: [String] = []
    /// The last transaction of the checkpoint that was started from; `.none` when the log was
    /// replayed from its beginning.
    public var checkpoint = LogSequence.none
    /// Checkpoints that cannot be used: newer ones, instead of which an older one or the log served, and the previous
    /// one, which would serve next. The next compaction replaces them.
    public var checkpointProblems: [CheckpointProblem] = []
}

extension RecoveryReport: CustomStringConvertible {
    /// One line: how the log ended, what was dropped, and which checkpoints cannot be used.
    public var description: String {
        if isNewStore { return "a new store" }
        let start =
            checkpoint > .none
            ? "; read from the checkpoint of transaction \(checkpoint) on, "
                + "and of older files only headers and ends" : ""
        let problems = start + checkpointProblems.map { "; \($0)" }.joined()
        guard let dropped else {
            return
                (endedCleanly
                ? "closed cleanly at transaction \(lastSequence)"
                : "not closed cleanly; complete through transaction \(lastSequence)") + problems
        }
        let place = "segment \(dropped.segment), offset \(dropped.offset)"
        let kept = dropped.keptAs.map { "; kept as \($0)" } ?? ""
        return "complete through transaction \(lastSequence); dropped \(dropped.bytes) at \(place)"
            + " (\(dropped.reason.rawValue))\(kept)\(problems)"
    }
}
