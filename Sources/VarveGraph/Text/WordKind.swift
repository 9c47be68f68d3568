/// How a scalar takes part in the words that are indexed.
///
/// Where words are not separated by spaces, a run of letters is a sentence, and a word of one or two
/// letters in it has no edges to be found by. Runs of such scripts are therefore indexed by
/// shorter windows, too. Which scripts those are follows the line breaking classes of Unicode (UAX #14): ID and
/// CJ break anywhere, SA between words that only a dictionary knows.
enum WordKind: UInt8, Sendable {
    /// Not part of a word: it ends one.
    case none
    /// Of a script with spaces, or a digit: windows of three; a shorter word is a token by itself.
    case spaced
    /// Han, kana, bopomofo and their like, of which one or two are a word: windows of one and two.
    case ideographic
    /// Thai, Lao, Khmer, Myanmar and their like, alphabets without spaces: windows of one, two and three.
    case unspaced

    /// How many scalars the longest tokens of a run have.
    var longestWindow: Int {
        switch self {
        case .none: 0
        case .ideographic: 2
        case .spaced, .unspaced: 3
        }
    }

    /// Whether each window of one and of two is a token too, wherever it is in a run.
    var hasShortWindows: Bool { self == .ideographic || self == .unspaced }

    /// The kind of a scalar that is a letter, a number or a mark.
    init(ofWordScalar scalar: UInt32) {
        guard scalar >= Self.unspacedRanges[0].lowerBound else {
            self = .spaced
            return
        }
        if Self.unspacedRanges.contains(where: { $0.contains(scalar) }) {
            self = .unspaced
        } else if Self.ideographicRanges.contains(where: { $0.contains(scalar) }) {
            self = .ideographic
        } else {
            self = .spaced
        }
    }

    private static let unspacedRanges: [ClosedRange<UInt32>] = [
        0x0E00...0x0E7F,  // Thai
        0x0E80...0x0EFF,  // Lao
        0x1000...0x109F,  // Myanmar
        0x1780...0x17FF,  // Khmer
        0x1950...0x197F,  // Tai Le
        0x1980...0x19DF,  // New Tai Lue
        0x1A20...0x1AAF,  // Tai Tham
        0x1B00...0x1B7F,  // Balinese
        0xA980...0xA9DF,  // Javanese
        0xA9E0...0xA9FF,  // Myanmar Extended-B
        0xAA60...0xAA7F,  // Myanmar Extended-A
        0xAA80...0xAADF,  // Tai Viet
        0x116D0...0x116FF,  // Myanmar Extended-C
        0x11700...0x1174F,  // Ahom
    ]

    private static let ideographicRanges: [ClosedRange<UInt32>] = [
        0x3005...0x3007,  // iteration and closing marks, zero
        0x3021...0x3029,  // Hangzhou numerals
        0x3031...0x303C,  // kana repeat marks, further numerals
        0x3041...0x30FF,  // Hiragana, Katakana
        0x3100...0x312F,  // Bopomofo
        0x31A0...0x31BF,  // Bopomofo Extended
        0x31F0...0x31FF,  // Katakana Phonetic Extensions
        0x3400...0x4DBF,  // CJK Unified Ideographs Extension A
        0x4E00...0x9FFF,  // CJK Unified Ideographs
        0xA000...0xA48C,  // Yi Syllables
        0xF900...0xFAFF,  // CJK Compatibility Ideographs
        0xFF66...0xFF9F,  // halfwidth Katakana
        0x16FE0...0x16FFF,  // iteration marks of Tangut and Nushu
        0x17000...0x18D8F,  // Tangut, Khitan
        0x1AFF0...0x1B16F,  // kana supplements
        0x1B170...0x1B2FF,  // Nushu
        0x20000...0x3FFFD,  // the ideographic planes
    ]
}
