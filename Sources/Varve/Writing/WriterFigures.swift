internal import VarveEvents
internal import VarveLog

/// What is asked of a writer from outside.
struct WriterFigures: Sendable {
    private(set) var log: LogStatistics
    /// How far the log is safe, while it is open.
    private var progress: SyncProgress
    private var isPoisoned: Bool
    private var isOpen = true
    let pins: LogPins
    private(set) var compaction: CompactionFigures
    let newestCheckpoint: CheckpointSize?

    init(_ open: Writer.OpenLog, _ core: Writer.Core) {
        pins = open.log.pins
        compaction = CompactionFigures(open, core)
        newestCheckpoint = core.newestCheckpoint
        log = open.log.statistics
        progress = open.log.progress
        isPoisoned = open.log.isPoisoned
    }

    var durableTransaction: TransactionID {
        TransactionID(progress.durableSequence.rawValue)
    }

    /// False once closed or suspended, or after an I/O error that ended the writing.
    var isWritable: Bool { isOpen && !isFailed }

    /// Whether an I/O error ended the writing.
    var isFailed: Bool { isPoisoned || progress.failure != nil }

    /// What an append changes: the rest stays until the log is another, or fails.
    mutating func noteAppend(_ log: LogStatistics, _ compaction: CompactionFigures) {
        self.log = log
        self.compaction = compaction
    }

    mutating func end() { isOpen = false }
}
