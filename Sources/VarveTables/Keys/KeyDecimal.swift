import VarveEvents

/// Key bytes of decimals, from their stored digits: the sign, the power of ten, the digits.
///
/// A positive number is 0.d1d2d3... times ten to some power, with d1 not 0. Its key is 30, the power
/// as an integer's key, each digit plus 1, and 0. A negative one has 10 and the complement of the
/// rest. Zero is 20, and NaN, which comes last, 40 (hexadecimal).
enum KeyDecimal {
    /// `Decimal` has 38 digits. A key of as many digits as this is not exact.
    private static let digitCountMax = 64

    static let byteCountMax = 1 + KeyNumber.byteCountMax + digitCountMax + 1

    /// Returns whether the key is exact.
    static func write(
        _ text: UnsafeRawBufferPointer, at offset: Int, into key: inout ByteWriter
    ) throws(CodecError) -> Bool {
        if text.elementsEqual("NaN".utf8) {
            key.append(0x40)
            return true
        }
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard let number = Digits(digits) else {
            throw .invalidValue(offset: offset, typeName: "Decimal")
        }
        guard !number.digits.isEmpty else {
            key.append(0x20)
            return true
        }
        var rest = ByteWriter()
        KeyNumber.write(Int64(number.power), into: &rest)
        for digit in number.digits.prefix(digitCountMax) { rest.append(digit + 1) }
        rest.append(0)
        key.append(isNegative ? 0x10 : 0x30)
        rest.withBytes { bytes in for byte in bytes { key.append(isNegative ? ~byte : byte) } }
        return number.digits.count < digitCountMax
    }

    /// The significant digits of a text such as `120.50`, and the power of ten in front of them.
    private struct Digits {
        /// Without zeros at either end: none for zero.
        var digits: [UInt8] = []
        /// How many digits there are before the point; negative where zeros follow it.
        var power = 0

        init?(_ text: Slice<UnsafeRawBufferPointer>) {
            guard !text.isEmpty else { return nil }
            var pointPosition: Int?
            for byte in text {
                if byte == UInt8(ascii: "."), pointPosition == nil {
                    pointPosition = digits.count
                } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                    digits.append(byte - UInt8(ascii: "0"))
                } else {
                    return nil
                }
            }
            let zeros = digits.prefix { $0 == 0 }.count
            power = (pointPosition ?? digits.count) - zeros
            digits.removeFirst(zeros)
            while digits.last == 0 { digits.removeLast() }
        }
    }
}
