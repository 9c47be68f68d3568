internal import VarveEvents

/// Hashes of the values that indexes for equality stand by. Equal values have the same hash as long as the process
/// lives, and no longer.
@usableFromInline
enum ValueHash {
    @inlinable
    static func hash<Value: Hashable>(_ value: Value) -> UInt64 {
        // Comparisons of types fold away wherever the compiler knows the value's type; each bit cast
        // is from a type to itself.
        if Value.self == String.self { return hashText(unsafeBitCast(value, to: String.self)) }
        if Value.self == String?.self, let text = unsafeBitCast(value, to: String?.self) {
            return hashText(text)
        }
        var hasher = Hasher()
        value.hash(into: &hasher)
        return finish(hasher)
    }

    /// One hash of those that several values have.
    @inlinable
    static func finish(_ hasher: consuming Hasher) -> UInt64 {
        UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Texts of ASCII, which are equal to each other only where their bytes are, by their bytes: that takes fewer steps
    /// than `Hasher` does.
    @usableFromInline
    static func hashText(_ text: String) -> UInt64 {
        let hash = text.utf8.withContiguousStorageIfAvailable { hashASCII($0) }
        if let hash { return hash ?? hashUnicode(text) }
        var native = text
        return native.withUTF8 { hashASCII($0) } ?? hashUnicode(native)
    }

    /// Nil where there is anything else than ASCII.
    private static func hashASCII(_ text: UnsafeBufferPointer<UInt8>) -> UInt64? {
        let bytes = UnsafeRawBufferPointer(text)
        var bits: UInt64 = 0
        var position = 0
        while position &+ 8 <= bytes.count {
            bits |= bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            position &+= 8
        }
        while position < bytes.count {
            bits |= UInt64(bytes[position])
            position &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0 ? KeyedHash.hash(bytes) : nil
    }

    private static func hashUnicode(_ text: String) -> UInt64 {
        guard text.unicodeScalars.allSatisfy({ equalASCII($0) != nil }) else {
            var hasher = Hasher()
            text.hash(into: &hasher)
            return finish(hasher)
        }
        var plain = String.UnicodeScalarView()
        plain.append(contentsOf: text.unicodeScalars.compactMap(equalASCII))
        return hashText(String(plain))
    }

    /// The ASCII character that a text of one scalar is equal to. Besides those themselves there are three, by
    /// their canonical decompositions in Unicode's UnicodeData.txt, which no new version may add to.
    private static func equalASCII(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "\u{212A}": "K"
        case "\u{037E}": ";"
        case "\u{1FEF}": "`"
        default: scalar.isASCII ? scalar : nil
        }
    }
}
