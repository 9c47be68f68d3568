/// A text that is looked for in others, folded once.
struct TextPattern: Sendable {
    enum Place: Sendable {
        case anywhere
        case atStart
        case atEnd
    }

    let text: String
    let place: Place
    let folding: TextFolding
    /// The folded form in UTF-8.
    private let needle: ContiguousArray<UInt8>
    private let isASCII: Bool

    init(_ text: String, place: Place, folding: TextFolding) {
        self.text = text
        self.place = place
        self.folding = folding
        needle = folding.bytes(of: text)
        isASCII = needle.allSatisfy { $0 < 0x80 }
    }

    /// Whether the folded text holds the folded needle, from the edge of a character to the edge of
    /// a character: `e` is not found in `é`, however that is typed, nor a flag in the halves
    /// of two others. An empty needle is found everywhere. O(n), without allocation for ASCII texts.
    func isFound(in text: String) -> Bool {
        withUTF8Bytes(of: text) { isFound(inBytes: $0) }
    }

    /// Whether the text that has these bytes holds the needle.
    func isFound(inBytes text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard ASCII.holdsAll(of: text) else { return isFound(inFolded: folding.folded(text)) }
        // An ASCII text folds to an ASCII text.
        return isASCII && isFound(inASCII: text)
    }

    // MARK: - ASCII

    private func isFound(inASCII text: UnsafeBufferPointer<UInt8>) -> Bool {
        needle.withUnsafeBufferPointer { needle in
            let last = text.count - needle.count
            guard last >= 0 else { return false }
            guard let first = needle.first else { return true }
            switch place {
            case .atStart: return isEqual(text, at: 0, needle)
            case .atEnd: return isEqual(text, at: last, needle)
            case .anywhere:
                let other = folding.foldsCase && first &- 0x61 < 26 ? first & ~0x20 : first
                for start in 0...last {
                    let byte = text[start]
                    if (byte == first || byte == other) && isEqual(text, at: start, needle) {
                        return true
                    }
                }
                return false
            }
        }
    }

    @inline(__always)
    private func isEqual(
        _ text: UnsafeBufferPointer<UInt8>, at start: Int, _ needle: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if folding.foldsCase {
            for offset in 0..<needle.count
            where ASCII.lowercased(text[start + offset]) != needle[offset] {
                return false
            }
        } else {
            for offset in 0..<needle.count where text[start + offset] != needle[offset] {
                return false
            }
        }
        return true
    }

    // MARK: - Unicode

    private func isFound(inFolded text: ContiguousArray<UInt8>) -> Bool {
        let last = text.count - needle.count
        guard last >= 0 else { return false }
        guard let first = needle.first else { return true }
        var edges = CharacterEdges(text)
        switch place {
        case .atStart: return isEqual(text, at: 0) && edges.isEdge(needle.count)
        case .atEnd: return isEqual(text, at: last) && edges.isEdge(last)
        case .anywhere:
            for start in 0...last where text[start] == first && isEqual(text, at: start) {
                if edges.isEdge(start) && edges.isEdge(start + needle.count) { return true }
            }
            return false
        }
    }

    private func isEqual(_ text: ContiguousArray<UInt8>, at start: Int) -> Bool {
        for offset in 0..<needle.count where text[start + offset] != needle[offset] {
            return false
        }
        return true
    }
}

/// Tells where characters (extended grapheme clusters) begin in a text.
private struct CharacterEdges {
    private let bytes: ContiguousArray<UInt8>
    /// The text as a string, made when first needed.
    private var text: String?

    init(_ bytes: ContiguousArray<UInt8>) { self.bytes = bytes }

    /// Whether a character begins at the offset, where a scalar begins, or the text ends there.
    ///
    /// An ASCII scalar always counts as an edge, so that a line feed is found behind a carriage
    /// return, and most texts need no string.
    mutating func isEdge(_ offset: Int) -> Bool {
        if offset == 0 || offset == bytes.count || bytes[offset] < 0x80 { return true }
        let text = text ?? String(decoding: bytes, as: UTF8.self)
        self.text = text
        let index = text.utf8.index(text.startIndex, offsetBy: offset)
        return index.samePosition(in: text) != nil
    }
}
