/// How much a log holds.
public struct LogStatistics: Hashable, Sendable {
    public var segments = 0
    public var transactions: UInt64 = 0
    /// What the segment files occupy, headers and footers included.
    public var storedBytes = ByteCount.zero
    /// The payload bytes before compression.
    public var rawBytes = ByteCount.zero

    public init() {}
}
