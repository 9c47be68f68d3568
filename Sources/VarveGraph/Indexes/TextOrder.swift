internal import Foundation

/// The order of strings, and their order-preserving keys.
///
/// Swift orders strings by the scalars of their NFC forms, which is the order of the bytes of
/// those forms in UTF-8. Its own `<` fails at that where one string ends in a decomposed character
/// and the other goes on ("и" with a breve against "й0", Swift 6.3), so the order is made here.
///
/// A key is the first seven of these bytes, and the length: a string with no more than them has an
/// exact key, and a key ends in 255 where there are more.
@usableFromInline
enum TextOrder {
    static var prefixLength: Int { 7 }

    @usableFromInline
    static func key(_ text: String) -> (key: UInt64, isExact: Bool) {
        let quick = text.utf8.withContiguousStorageIfAvailable { normalizedKey($0) }
        if let quick, let key = quick { return exactness(of: key) }
        return exactness(of: composedKey(text))
    }

    /// Less than, equal to or greater than zero, as `first` comes before, with or behind `second`.
    @usableFromInline
    static func compare(_ first: String, _ second: String) -> Int {
        let quick = first.utf8.withContiguousStorageIfAvailable { first in
            second.utf8.withContiguousStorageIfAvailable { compareBytes(first, $0) }
        }
        if let quick, let quick, let order = quick { return order }
        var first = first.precomposedStringWithCanonicalMapping
        var second = second.precomposedStringWithCanonicalMapping
        return first.withUTF8 { first in
            second.withUTF8 { second in
                let end = commonPrefix(first, second)
                return order(first, second, at: end)
            }
        }
    }

    /// The first eight bytes as a number.
    @usableFromInline
    static func bigEndian(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    // MARK: - Comparing

    /// Compares the bytes as they stand; nil where what is around the first difference may be
    /// composed.
    private static func compareBytes(
        _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        let end = commonPrefix(first, second)
        if end == first.count && end == second.count { return 0 }
        var start = end
        while start > 0 && (isContinued(first, at: start) || isContinued(second, at: start)) {
            start -= 1
        }
        // Two scalars that NFC keeps: the second may not change the first, which decides.
        guard isComposed(first, from: start, through: start + 1),
            isComposed(second, from: start, through: start + 1)
        else { return nil }
        return order(first, second, at: end)
    }

    private static func commonPrefix(
        _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let count = min(first.count, second.count)
        var end = 0
        while end < count && first[end] == second[end] { end += 1 }
        return end
    }

    private static func order(
        _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>, at end: Int
    ) -> Int {
        if end < first.count && end < second.count { return first[end] < second[end] ? -1 : 1 }
        return (first.count - second.count).signum()
    }

    /// Whether a scalar goes on at the position.
    private static func isContinued(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Bool {
        position < bytes.count && bytes[position] & 0xC0 == 0x80
    }

    // MARK: - Composition

    private static func exactness(of key: UInt64) -> (key: UInt64, isExact: Bool) {
        (key, key & 0xFF != 0xFF)
    }

    /// The key of a string whose first bytes are in NFC as they stand; nil where that is not
    /// plain to see.
    private static func normalizedKey(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
        // One byte more than is taken: a combining mark there would change the last one taken.
        var allBits: UInt8 = 0
        for byte in bytes.prefix(prefixLength + 1) { allBits |= byte }
        if allBits < 0x80 { return pack(bytes) }
        return isComposed(bytes, from: 0, through: prefixLength) ? pack(bytes) : nil
    }

    /// Whether all scalars from `start` to the first that begins at `last` or behind it are such
    /// that NFC keeps them, whatever stands around them.
    private static func isComposed(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, through last: Int
    ) -> Bool {
        var position = start
        while position < bytes.count {
            let first = bytes[position]
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard position + length <= bytes.count else { return false }
            var scalar = length == 1 ? UInt32(first) : UInt32(first) & (0x7F >> UInt32(length))
            for next in position + 1..<position + length {
                scalar = scalar << 6 | UInt32(bytes[next] & 0x3F)
            }
            guard isInert(scalar) else { return false }
            if position >= last { return true }
            position += length
        }
        return true
    }

    /// Scalars of combining class 0 that are in NFC and never combine with what precedes them:
    /// Latin, Cyrillic, kana, ideographs, Hangul syllables and pictographs, for the most part.
    private static func isInert(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0...0x2FF, 0x400...0x482, 0x48A...0x52F, 0x2010...0x2027, 0x3041...0x3096,
            0x30A1...0x30FA, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0x1F300...0x1F64F:
            true
        default: false
        }
    }

    /// The key of any string. Composition never crosses the border of a character, so that whole
    /// characters are composed until there are bytes enough.
    private static func composedKey(_ text: String) -> UInt64 {
        var end = text.startIndex
        var wanted = prefixLength + 1
        while true {
            end = text.index(end, offsetBy: wanted, limitedBy: text.endIndex) ?? text.endIndex
            var head = String(text[..<end]).precomposedStringWithCanonicalMapping
            let key = head.withUTF8 {
                $0.count > prefixLength || end == text.endIndex ? pack($0) : nil
            }
            if let key { return key }
            wanted *= 2
        }
    }

    private static func pack(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var key: UInt64 = 0
        let taken = min(bytes.count, prefixLength)
        for position in 0..<taken {
            key |= UInt64(bytes[position]) << UInt64(56 - 8 * position)
        }
        return key | (bytes.count > prefixLength ? 0xFF : UInt64(taken))
    }
}

// The rare types: their keys are found by a cast.

extension Character: KeyedOrder {
    @usableFromInline var orderKey: (key: UInt64, isExact: Bool) { TextOrder.key(String(self)) }

    @usableFromInline
    func compareKeyed(to other: Any) -> Int {
        guard let other = other as? Character else { return 0 }
        return TextOrder.compare(String(self), String(other))
    }
}

extension Substring: KeyedOrder {
    @usableFromInline var orderKey: (key: UInt64, isExact: Bool) { TextOrder.key(String(self)) }

    @usableFromInline
    func compareKeyed(to other: Any) -> Int {
        guard let other = other as? Substring else { return 0 }
        return TextOrder.compare(String(self), String(other))
    }
}

extension Duration: KeyedOrder {
    /// Whole seconds, towards zero, which keeps the order.
    @usableFromInline var orderKey: (key: UInt64, isExact: Bool) {
        (ValueOrder.signed(components.seconds), false)
    }

    @usableFromInline
    func compareKeyed(to other: Any) -> Int {
        guard let other = other as? Duration else { return 0 }
        return ValueOrder.compareComparable(self, other)
    }
}
