/// A position in one segment file, in bytes from its start.
public struct FrameOffset: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of bytes before the position.
    public let rawValue: UInt64

    /// The position behind so many bytes.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Whether the left one comes first in the file.
    public static func < (left: FrameOffset, right: FrameOffset) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }
}
