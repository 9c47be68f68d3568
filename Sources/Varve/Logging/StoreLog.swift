/// Receives what a store has to say about its work: lines for a log, and the intervals of signposts.
///
/// ```swift
/// let log = StoreLog { entry in
///     print(entry.level, entry.message, entry.metadata)
/// }
/// let store = try Store(at: url, log: log, Note.self)
/// ```
///
/// The levels have the names of swift-log's, so that a `Logger` takes an entry as it is. The closure runs on the thread
/// that does the work, at times while it holds the writer lock: it must return soon, and must not use the store.
///
/// A store without a log spends nothing on it.
public struct StoreLog: Sendable {
    /// A commit that took longer, from the end of its body until it was as safe as it should be, is reported.
    public let slowCommit: Duration
    private let receive: @Sendable (Entry) -> Void

    /// Receives entries.
    ///
    /// - Parameters:
    ///   - slowCommit: how long a commit may take without being reported.
    ///   - receive: takes an entry. Several threads may call it at once.
    public init(
        slowCommit: Duration = .milliseconds(100), _ receive: @escaping @Sendable (Entry) -> Void
    ) {
        self.slowCommit = slowCommit
        self.receive = receive
    }

    /// How much an entry matters.
    public enum Level: String, Sendable, CaseIterable {
        /// For those who look for a fault.
        case debug
        /// The ordinary course of things.
        case info
        /// Rare, and as it should be: a compaction, a recovery that lost nothing.
        case notice
        /// Something is slow, was refused or was cut off.
        case warning
        /// Data is damaged, or an operation failed.
        case error
    }

    /// What an entry is about.
    public enum Event: String, Sendable, CaseIterable {
        /// A store is opened or resumed.
        case opening
        /// The end of the log was not as a closed store leaves it.
        case recovery
        /// A commit took longer than ``StoreLog/slowCommit``.
        case slowCommit
        /// A checkpoint was written.
        case checkpoint
        /// The log is compacted.
        case compaction
        /// Bytes are not what was written.
        case damage
        /// The files were compared with their checksums.
        case check
        /// A write did not happen, because the store refused it.
        case refusedWrite
        /// A sync of the log failed. The store takes no more writes, and some may be lost that it has.
        case failedSync
        /// The log holds entities that the app's types do not show: it looks as if they were gone.
        case unread
    }

    /// Where an entry lies in work that takes time. Both ends have the same number.
    public enum Interval: Hashable, Sendable {
        /// The work begins.
        case begin(UInt64)
        /// The work has ended, well or not, after so long.
        case end(UInt64, Duration)
    }

    /// Something that a store says.
    public struct Entry: Sendable {
        /// How much it matters.
        public let level: Level
        /// What it is about.
        public let event: Event
        /// A sentence for people.
        public let message: String
        /// The figures of the message, by names that stay.
        public let metadata: [String: String]
        /// The end of an interval; nil for what is of a moment.
        public let interval: Interval?
    }

    func note(
        _ level: Level, _ event: Event, _ message: String, _ metadata: [String: String] = [:],
        _ interval: Interval? = nil
    ) {
        receive(
            Entry(
                level: level, event: event, message: message, metadata: metadata,
                interval: interval))
    }
}

extension Duration {
    /// As metadata says it: milliseconds with three digits behind the point.
    var milliseconds: String {
        let (seconds, attoseconds) = components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let digits = "\(microseconds % 1_000)"
        return "\(microseconds / 1_000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
    }
}
