/// What a salvage must know of the transactions' content, which is opaque to the log: the layer
/// above puts it together from its own replay.
///
/// `load` comes first if there is a checkpoint, then every transaction once, in order: `pass` before
/// the checkpoint's, `take` behind it, `lose` where some are missing.
package struct SalvageContent {
    /// Reads all of a checkpoint; its state is what is known from here on.
    ///
    /// Errors: `.checkpointDamaged` for content that cannot be.
    package var load: (CheckpointFile) throws(LogError) -> Void
    /// Takes note of history that is copied as it is.
    package var pass: (LogRecord) -> Void
    /// What comes behind a loss, up to the next one, before it is taken; false where nothing more
    /// need be known.
    package var lookAhead: (LogRecord) -> Bool
    /// Transactions up to this one are lost. Returns what stands for the last of them: a transaction
    /// that leads to what is known of the state behind the loss. The others get empty ones.
    package var lose: (LogSequence) -> [[UInt8]]
    /// As `lose`, where nothing needs to stand for them: the log begins behind.
    package var skip: (LogSequence) -> Void
    package var take: (LoggedTransaction) -> Taken
    /// The definitions known so far, for the head of a segment.
    package var definitions: () -> [UInt8]
    /// Writes the state as a checkpoint; returns the digest of its content.
    package var writeState: (CheckpointWriter) throws(LogError) -> UInt64
    /// The time of the last transaction.
    package var lastTime: () -> Int64

    package init(
        load: @escaping (CheckpointFile) throws(LogError) -> Void,
        pass: @escaping (LogRecord) -> Void,
        lookAhead: @escaping (LogRecord) -> Bool,
        lose: @escaping (LogSequence) -> [[UInt8]],
        skip: @escaping (LogSequence) -> Void,
        take: @escaping (LoggedTransaction) -> Taken,
        definitions: @escaping () -> [UInt8],
        writeState: @escaping (CheckpointWriter) throws(LogError) -> UInt64,
        lastTime: @escaping () -> Int64
    ) {
        self.load = load
        self.pass = pass
        self.lookAhead = lookAhead
        self.lose = lose
        self.skip = skip
        self.take = take
        self.definitions = definitions
        self.writeState = writeState
        self.lastTime = lastTime
    }

    /// What became of a transaction.
    package enum Taken {
        /// It follows from the state before it.
        case whole
        /// It did not, because others are lost; these bytes do, and say what they can of it.
        case adjusted([UInt8], changes: [String], count: Int)
        /// Its frames are intact, but what they hold cannot be understood.
        case unreadable(String)
    }
}
