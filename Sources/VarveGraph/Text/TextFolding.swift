/// How texts are brought to a form in which they can be compared scalar by scalar.
///
/// There is one definition, used by predicates and by the text index:
///
/// 1. canonical decomposition (NFD), so that `é` is the same whether typed as one scalar or two;
/// 2. without case: full case folding of each scalar;
/// 3. without diacritics: marks that are diacritics are left out, and letters with a stroke, or
///    without their dot, are the plain ones.
///
/// Each step after the first maps scalars one by one and leaves the order of marks as it is.
/// Hence the steps commute with each other and with concatenation of decomposed texts, and this is
/// why an index may keep only the coarsest form: where a text's folded form holds a needle's, the
/// coarser form of the text holds the coarser form of the needle.
struct TextFolding: Hashable, Sendable {
    var foldsCase: Bool
    var passesOver: PassedOver

    enum PassedOver: Hashable, Sendable {
        case nothing
        case diacritics
        /// Whatever ``ScalarTraits/isPassedOver`` names.
        case allButTokens
    }

    init(caseSensitive: Bool, diacriticSensitive: Bool) {
        foldsCase = !caseSensitive
        passesOver = diacriticSensitive ? .nothing : .diacritics
    }

    private init(foldsCase: Bool, passesOver: PassedOver) {
        self.foldsCase = foldsCase
        self.passesOver = passesOver
    }

    /// The coarsest form, whose words the tokens are.
    static let tokens = TextFolding(foldsCase: true, passesOver: .allButTokens)

    /// The folded form in UTF-8. O(n).
    func bytes(of text: String) -> ContiguousArray<UInt8> {
        withUTF8Bytes(of: text) { folded($0) }
    }

    /// The folded form of a text's bytes. O(n).
    func folded(_ text: UnsafeBufferPointer<UInt8>) -> ContiguousArray<UInt8> {
        var sink = ByteSink()
        sink.bytes.reserveCapacity(text.count)
        fold(text, into: &sink)
        return sink.bytes
    }

    /// Passes the folded form to `sink`, scalar by scalar. O(n).
    @inline(__always)
    func fold(_ text: UnsafeBufferPointer<UInt8>, into sink: inout some ScalarSink) {
        var marks = PendingMarks()
        var position = 0
        while position < text.count {
            let byte = text[position]
            if byte < 0x80 {
                position += 1
                if !marks.isEmpty { marks.flush(into: &sink) }
                sink.append(
                    UInt32(foldsCase ? ASCII.lowercased(byte) : byte),
                    ASCII.wordKind(byte))
            } else {
                fold(Self.decode(text, &position), &marks, into: &sink)
            }
        }
        if !marks.isEmpty { marks.flush(into: &sink) }
    }

    private func fold(
        _ scalar: UInt32, _ marks: inout PendingMarks, into sink: inout some ScalarSink
    ) {
        let traits = ScalarTraits.of(scalar)
        guard traits.decomposes else { return add(scalar, traits, &marks, into: &sink) }
        for position in 0..<4 {
            let part = traits.expansion[position]
            if part == 0 { return }
            if part < 0x80 {
                if !marks.isEmpty { marks.flush(into: &sink) }
                let byte = UInt8(part)
                sink.append(
                    UInt32(foldsCase ? ASCII.lowercased(byte) : byte),
                    ASCII.wordKind(byte))
            } else {
                add(part, ScalarTraits.of(part), &marks, into: &sink)
            }
        }
    }

    /// Adds a scalar that does not decompose.
    private func add(
        _ scalar: UInt32, _ traits: ScalarTraits, _ marks: inout PendingMarks,
        into sink: inout some ScalarSink
    ) {
        // Also before a scalar that is passed over: marks never move past one that is no mark.
        if traits.combiningClass == 0, !marks.isEmpty { marks.flush(into: &sink) }
        switch passesOver {
        case .nothing: break
        case .diacritics: if traits.isDiacritic { return }
        case .allButTokens: if traits.isPassedOver { return }
        }
        if traits.plainLetter != 0, passesOver != .nothing {
            let letter = traits.plainLetter
            return sink.append(
                UInt32(foldsCase ? ASCII.lowercased(letter) : letter), .spaced)
        }
        if traits.combiningClass != 0 {
            return marks.append(scalar, traits.combiningClass, traits.wordKind)
        }
        guard foldsCase else { return sink.append(scalar, traits.wordKind) }
        for position in 0..<4 {
            let part = traits.expansion[position]
            if part == 0 { return }
            sink.append(part, traits.wordKind)
        }
    }

    /// Reads one scalar above ASCII and moves behind it. A string's bytes are valid UTF-8.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ position: inout Int
    ) -> UInt32 {
        let first = UInt32(text[position])
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var scalar = first & (0xFF >> UInt32(length + 1))
        for offset in 1..<length { scalar = scalar << 6 | UInt32(text[position + offset]) & 0x3F }
        position += length
        return scalar
    }
}

/// Takes folded scalars.
protocol ScalarSink {
    mutating func append(_ scalar: UInt32, _ wordKind: WordKind)
}

/// Marks that wait for the end of their run, where they are sorted by combining class, equal ones
/// in their order (Unicode, section 3.11, "Canonical Ordering Algorithm").
private struct PendingMarks {
    private var marks: [(scalar: UInt32, combiningClass: UInt8, wordKind: WordKind)] = []

    var isEmpty: Bool { marks.isEmpty }

    mutating func append(_ scalar: UInt32, _ combiningClass: UInt8, _ wordKind: WordKind) {
        marks.append((scalar, combiningClass, wordKind))
    }

    mutating func flush(into sink: inout some ScalarSink) {
        // Swift's sort is stable in fact, but not by promise; the rank makes it so.
        let sorted = marks.enumerated().sorted {
            ($0.element.combiningClass, $0.offset) < ($1.element.combiningClass, $1.offset)
        }
        for (_, mark) in sorted { sink.append(mark.scalar, mark.wordKind) }
        marks.removeAll(keepingCapacity: true)
    }
}

/// Writes folded scalars as UTF-8.
private struct ByteSink: ScalarSink {
    var bytes = ContiguousArray<UInt8>()

    @inline(__always)
    mutating func append(_ scalar: UInt32, _ wordKind: WordKind) {
        switch scalar {
        case ..<0x80: bytes.append(UInt8(scalar))
        case ..<0x800:
            bytes.append(0xC0 | UInt8(scalar >> 6))
            bytes.append(0x80 | UInt8(scalar & 0x3F))
        case ..<0x10000:
            bytes.append(0xE0 | UInt8(scalar >> 12))
            bytes.append(0x80 | UInt8(scalar >> 6 & 0x3F))
            bytes.append(0x80 | UInt8(scalar & 0x3F))
        default:
            bytes.append(0xF0 | UInt8(scalar >> 18))
            bytes.append(0x80 | UInt8(scalar >> 12 & 0x3F))
            bytes.append(0x80 | UInt8(scalar >> 6 & 0x3F))
            bytes.append(0x80 | UInt8(scalar & 0x3F))
        }
    }
}

/// The part of folding that needs no table.
enum ASCII {
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    @inline(__always)
    static func wordKind(_ byte: UInt8) -> WordKind {
        byte | 0x20 &- 0x61 < 26 || byte &- 0x30 < 10 ? .spaced : .none
    }

    /// Whether all bytes are ASCII, eight at a time.
    static func holdsAll(of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let raw = UnsafeRawPointer(base)
        var position = 0
        while position + 8 <= bytes.count {
            let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { return false }
            position += 8
        }
        while position < bytes.count {
            if bytes[position] >= 0x80 { return false }
            position += 1
        }
        return true
    }
}

/// Calls `body` with the text's own bytes, without copying them where possible. The address is valid during the call only.
@inline(__always)
func withUTF8Bytes<Result>(
    of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
    if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
    // A string that another language's runtime holds.
    var copy = text
    return copy.withUTF8(body)
}
