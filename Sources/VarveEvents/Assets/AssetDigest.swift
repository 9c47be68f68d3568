/// The SHA-256 of an asset's bytes. It identifies the content, and its file is named after it.
public struct AssetDigest: Hashable, Sendable {
    /// How many bytes a digest has.
    public static let byteCount = 32

    // Big-endian words, so that a digest needs no memory of its own.
    private let first, second, third, fourth: UInt64

    /// A digest of these bytes; nil unless there are 32.
    public init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
    }

    /// A digest written as 64 hexadecimal digits in lower case; nil for any other text.
    public init?(hexadecimal text: String) {
        let digits = text.utf8
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let upper = high { bytes.append(upper << 4 | value) }
            high = high == nil ? value : nil
        }
        guard let digest = bytes.withUnsafeBytes({ AssetDigest(bytes: $0) }) else { return nil }
        self = digest
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        [first, second, third, fourth].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
    }
}

extension AssetDigest: CustomStringConvertible {
    /// 64 hexadecimal digits in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: 2 * Self.byteCount) { buffer in
            for (index, byte) in bytes.enumerated() {
                buffer[2 * index] = Self.digit(byte >> 4)
                buffer[2 * index + 1] = Self.digit(byte & 15)
            }
            return 2 * Self.byteCount
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
