/// What opening a log found and, for a writer, did. Returned by every opening.
public struct RecoveryReport: Hashable, Sendable {
    /// Why bytes at the end of the log were not part of it.
    public enum TailReason: String, Hashable, Sendable {
        case incompleteHeader = "a frame header cut short"
        case zeros = "zeros"
        case damagedHeader = "an unreadable frame header"
        case incompletePayload = "a frame cut short"
        case damagedPayload = "a frame with damaged content"
        case unfinishedTransaction = "a transaction without its last frame"
        case unfinishedFooter = "an interrupted sealing of the segment"
    }

    /// The unpromised end that was cut, or that a reader ignores.
    public struct DroppedTail: Hashable, Sendable {
        public var segment: SegmentID
        public var offset: FrameOffset
        public var bytes: ByteCount
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
        public var segment: SegmentID
        public var offset: FrameOffset
        public var bytes: ByteCount
    }

    /// There was no store: this opening has created it.
    public var isNewStore = false
    /// The last writer closed the log: its end was sealed. True of a new store.
    public var endedCleanly = false
    public var dropped: DroppedTail?
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
