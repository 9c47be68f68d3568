/// The number of a segment file. Segments of a store are numbered without gaps, in the order in
/// which they were written.
public struct SegmentID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself, as in the segment's name.
    public let rawValue: UInt64

    /// The segment with this number.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Whether the left one comes first in the log.
    public static func < (left: SegmentID, right: SegmentID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }
}

extension SegmentID {
    /// The segment before this one; the first segment of all has none.
    package var previous: SegmentID? {
        rawValue > 1 ? SegmentID(rawValue - 1) : nil
    }
}
