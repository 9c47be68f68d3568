import Foundation

extension Span<UInt8> {
    /// The text of a range, or `nil` where it is not UTF-8.
    func text(_ range: Range<Int>) -> String? {
        extracting(range).withUnsafeBufferPointer { buffer in
            // Decoding repairs what is not UTF-8, so a text is valid when its bytes came through
            // unchanged. `String(validating:as:)` says the same, but runs unspecialised and slow.
            var text = String(decoding: buffer, as: UTF8.self)
            let isUnchanged = text.withUTF8 { decoded in
                decoded.count == buffer.count
                    && (buffer.isEmpty
                        || memcmp(decoded.baseAddress!, buffer.baseAddress!, buffer.count) == 0)
            }
            return isUnchanged ? text : nil
        }
    }

    /// The text of a range for a message: what is not UTF-8 is replaced, what is long is cut.
    func excerpt(_ range: Range<Int>) -> String {
        let shown = range.prefix(60)
        return extracting(Range(uncheckedBounds: (shown.startIndex, shown.endIndex)))
            .withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            + (shown.count < range.count ? "…" : "")
    }

    /// The range without the spaces, tabs and line ends around it.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, Self.isSpace(self[start]) { start += 1 }
        while end > start, Self.isSpace(self[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Index of the first such byte in the range.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        // memchr looks at many bytes at once; most of an index is lines that nobody keeps.
        extracting(range).withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress,
                let found = memchr(start, Int32(byte), buffer.count)
            else { return nil }
            return range.lowerBound + (UnsafeRawPointer(found) - UnsafeRawPointer(start))
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }
}
