import VarveEvents

/// Key bytes of numbers.
enum KeyNumber {
    /// Of an integer.
    static let byteCountMax = 9

    /// An integer: a byte that says the sign and how many bytes follow, then these, highest first.
    ///
    ///     -257   7d fe ff        0   80
    ///     -256   7e 00           1   81 01
    ///       -2   7e fe         255   81 ff
    ///       -1   7f            256   82 01 00
    static func write(_ value: Int64, into key: inout ByteWriter) {
        guard value < 0 else { return write(unsigned: UInt64(value), into: &key) }
        let count = byteCount(~UInt64(bitPattern: value))
        key.append(0x7F - UInt8(count))
        writeBytes(UInt64(bitPattern: value), count, into: &key)
    }

    static func write(unsigned value: UInt64, into key: inout ByteWriter) {
        let count = byteCount(value)
        key.append(0x80 + UInt8(count))
        writeBytes(value, count, into: &key)
    }

    private static func byteCount(_ value: UInt64) -> Int {
        (71 - value.leadingZeroBitCount) / 8
    }

    private static func writeBytes(_ value: UInt64, _ count: Int, into key: inout ByteWriter) {
        for index in (0..<count).reversed() {
            key.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
        }
    }

    /// The bits order as the numbers do, negative ones backwards. -0 is 0, and NaN comes last.
    static func write(_ value: Double, into key: inout ByteWriter) {
        key.write(littleEndian: orderedBits(value).byteSwapped)
    }

    private static func orderedBits(_ value: Double) -> UInt64 {
        if value.isNaN { return .max }
        // Adding zero turns -0 into 0.
        let bits = (value + 0).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    static func write(_ value: Float, into key: inout ByteWriter) {
        key.write(littleEndian: orderedBits(value).byteSwapped)
    }

    private static func orderedBits(_ value: Float) -> UInt32 {
        if value.isNaN { return .max }
        let bits = (value + 0).bitPattern
        return bits >> 31 == 0 ? bits | 1 << 31 : ~bits
    }
}
