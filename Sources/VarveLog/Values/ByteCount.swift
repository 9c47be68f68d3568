internal import VarveText

/// A quantity of bytes.
public struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of bytes.
    public let rawValue: UInt64

    /// So many bytes.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// No bytes.
    public static let zero = ByteCount(0)

    /// Whether the left one is less.
    public static func < (left: ByteCount, right: ByteCount) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number with its noun: `1 byte`, `2 bytes`.
    public var description: String { rawValue.counted("byte") }
}

extension ByteCount {
    package static let max = ByteCount(.max)

    package static func mebibytes(_ count: UInt64) -> ByteCount { ByteCount(count << 20) }
}
