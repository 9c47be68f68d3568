/// Bytes as hexadecimal text and back.
package enum Hex {
    package static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    package static func bytes(_ text: String) -> [UInt8] {
        text.split { $0 == " " || $0 == "\n" }.map { UInt8($0, radix: 16)! }
    }
}

/// All damaged variants of some bytes: every truncation, every byte replaced by several others,
/// and one byte too many.
package func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
    var variants: [[UInt8]] = (0..<bytes.count).map { Array(bytes[..<$0]) }
    variants.append(bytes + [0])
    for index in bytes.indices {
        var replacements: Set<UInt8> = [0x00, 0x01, 0x7F, 0x80, 0xFF]
        for bit in 0..<8 { replacements.insert(bytes[index] ^ (1 << bit)) }
        replacements.remove(bytes[index])
        for replacement in replacements.sorted() {
            var variant = bytes
            variant[index] = replacement
            variants.append(variant)
        }
    }
    return variants
}
