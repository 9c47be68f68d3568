/// The identity of a store: 16 random bytes, the same in its manifest and in every segment.
public struct StoreID: Hashable, Sendable {
    /// The first eight bytes, as a big-endian number.
    public let high: UInt64
    /// The last eight bytes, as a big-endian number.
    public let low: UInt64

    /// The identity with these bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

extension StoreID: CustomStringConvertible {
    /// Written like a UUID, high bits first.
    public var description: String {
        let digits = hexadecimal(high) + hexadecimal(low)
        var parts: [Substring] = []
        var rest = Substring(digits)
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    private func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
