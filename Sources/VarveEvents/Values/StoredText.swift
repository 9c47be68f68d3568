/// What can be asked of a stored text without making a `String` of it.
public enum StoredText {
    /// Whether stored bytes are those of a text.
    @inlinable
    public static func isText(_ text: String, in bytes: UnsafeRawBufferPointer) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { isUTF8($0, in: bytes) }
            ?? isForeignText(text, in: bytes)
    }

    @usableFromInline
    static func isUTF8(
        _ units: UnsafeBufferPointer<UInt8>, in bytes: UnsafeRawBufferPointer
    ) -> Bool {
        // One byte of length: nearly all that is compared.
        if units.count < 0x80 {
            return bytes.count == units.count + 1 && bytes[0] == UInt8(units.count)
                && UnsafeRawBufferPointer(rebasing: bytes[1...])
                    .hasSameBytes(as: UnsafeRawBufferPointer(units))
        }
        var written = ByteWriter(capacity: units.count + 10)
        written.writeLengthPrefixed(UnsafeRawBufferPointer(units))
        return written.withBytes { $0.hasSameBytes(as: bytes) }
    }

    // Strings bridged from elsewhere are not contiguous UTF-8.
    @usableFromInline
    static func isForeignText(_ text: String, in bytes: UnsafeRawBufferPointer) -> Bool {
        var native = text
        return native.withUTF8 { isUTF8($0, in: bytes) }
    }
}
