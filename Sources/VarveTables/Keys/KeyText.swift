import Foundation
import VarveEvents

/// Key bytes of texts: UTF-8 of the canonical composition (NFC), escaped, cut and ended.
///
/// Swift orders strings by the scalars of their compositions, which is the order of these bytes. A
/// zero byte ends the text; the bytes 0 and 1 within it are written as 01 01 and 01 02, so that
/// a text comes before those that it begins.
enum KeyText {
    /// A key holds no more bytes of a text, escapes counted. A key of as many is not exact.
    static let byteCountMax = 64

    /// Returns whether the key is exact.
    static func write(_ text: UnsafeRawBufferPointer, into key: inout ByteWriter) -> Bool {
        // Nothing before U+0300, whose first byte is CC, combines or is ever composed.
        if text.prefix(byteCountMax + 8).allSatisfy({ $0 < 0xCC }) {
            return writeComposed(text, into: &key)
        }
        // Bytes that are no UTF-8 are a value that cannot be read; any key will do for it.
        var composed = String(decoding: text, as: UTF8.self).precomposedStringWithCanonicalMapping
        return composed.withUTF8 { writeComposed(UnsafeRawBufferPointer($0), into: &key) }
    }

    private static func writeComposed(
        _ text: UnsafeRawBufferPointer, into key: inout ByteWriter
    ) -> Bool {
        var count = 0
        for byte in text {
            if count == byteCountMax { break }
            if byte > 1 {
                key.append(byte)
                count += 1
                continue
            }
            key.append(1)
            count += 1
            if count < byteCountMax {
                key.append(byte + 1)
                count += 1
            }
        }
        key.append(0)
        return count < byteCountMax
    }
}
