/// A quantity of bytes.
public struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static let zero = ByteCount(0)

    public static func < (left: ByteCount, right: ByteCount) -> Bool {
        left.rawValue < right.rawValue
    }

    public var description: String { "\(rawValue) bytes" }
}

extension ByteCount {
    package static func mebibytes(_ count: UInt64) -> ByteCount { ByteCount(count << 20) }
}
