/// The number of a segment file. Segments of a store are numbered without gaps, in the order in
/// which they were written.
public struct SegmentID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static func < (left: SegmentID, right: SegmentID) -> Bool {
        left.rawValue < right.rawValue
    }

    public var description: String { String(rawValue) }
}

extension SegmentID {
    /// The segment before this one; the first segment of all has none.
    package var previous: SegmentID? {
        rawValue > 1 ? SegmentID(rawValue - 1) : nil
    }
}
