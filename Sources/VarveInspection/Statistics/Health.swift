/// How a store ended, and what of it can be read.
public struct Health: Sendable {
    /// A place in a file that is not what was written.
    public struct Damage: Hashable, Sendable {
        /// The file's name inside the store.
        public let file: String
        /// Where it begins.
        public let offset: FrameOffset
        /// 0 for a file that is missing or wrong as a whole.
        public let bytes: ByteCount
        /// The transaction that lay there, where a header still says so.
        public let transaction: TransactionID?
        /// What does not fit.
        public let reason: String
    }

    /// Nil where the store does not open.
    public let state: StoreSummary.State?
    /// What opening it finds; nil where it does not open.
    public let report: RecoveryReport?
    /// Why the store does not open.
    public let refusal: InspectionError?
    /// Major and minor version; nil where no manifest can be read.
    public let formatVersion: String?
    /// When the manifest was written.
    public let createdAt: Moment?
    /// The oldest transaction that belongs to the history.
    public let floor: TransactionID?
    /// What the last compaction kept; nil when there was none.
    public let retention: Retention?
    /// In the order in which they were found.
    public let damages: [Damage]
    /// Transactions that are missing between those that could be read.
    public let missing: [ClosedRange<TransactionID>]
    /// Events of later versions, which this one passes over.
    public let unknownEvents: UInt64
    /// Behind which transaction the state lies that live entities were counted in; nil where none could be read.
    public let stateTransaction: TransactionID?
    /// Why that is not the newest one.
    public let stateProblem: String?

    /// Whether all of the store could be read.
    public var isSound: Bool {
        refusal == nil && damages.isEmpty && missing.isEmpty && stateProblem == nil
    }
}
