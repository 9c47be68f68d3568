/// A position in one segment file, in bytes from its start.
public struct FrameOffset: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static func < (left: FrameOffset, right: FrameOffset) -> Bool {
        left.rawValue < right.rawValue
    }

    public var description: String { String(rawValue) }
}
