/// The number of a transaction: dense, counted from 1. Only transactions take one.
///
/// `LogSequence.none` (0) is before the first transaction.
public struct LogSequence: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself.
    public let rawValue: UInt64

    /// The position with this number.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Before the first transaction.
    public static let none = LogSequence(0)

    /// Whether the left one comes first in the log.
    public static func < (left: LogSequence, right: LogSequence) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }
}

extension LogSequence {
    /// The number after this one, or nil at the end of the 64-bit range, which only a forged file
    /// can reach.
    package var next: LogSequence? {
        rawValue < .max ? LogSequence(rawValue + 1) : nil
    }
}
