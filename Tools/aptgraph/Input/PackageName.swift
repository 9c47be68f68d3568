/// What may stand in a package's name: the rule that dpkg itself enforces.
enum PackageName {
    static func isValid(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        guard !range.isEmpty, isAlphanumeric(bytes[range.lowerBound]) else { return false }
        for index in range where !isNameByte(bytes[index]) { return false }
        return true
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: isAlphanumeric(byte)
        }
    }
}
