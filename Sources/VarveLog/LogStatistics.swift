/// How much a log holds.
public struct LogStatistics: Hashable, Sendable {
    /// The number of segments.
    public var segments = 0
    /// The number of transactions in them.
    public var transactions: UInt64 = 0
    /// What the segment files occupy, headers and footers included.
    public var storedBytes = ByteCount.zero
    /// The payload bytes before compression.
    public var rawBytes = ByteCount.zero

    /// Of a log that holds nothing.
    public init() {}

    mutating func add(_ other: LogStatistics) {
        segments += other.segments
        transactions &+= other.transactions
        storedBytes = ByteCount(storedBytes.rawValue &+ other.storedBytes.rawValue)
        rawBytes = ByteCount(rawBytes.rawValue &+ other.rawBytes.rawValue)
    }
}
