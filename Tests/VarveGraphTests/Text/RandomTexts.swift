import VarveTestSupport

/// Random texts of what makes texts hard: marks, letters that fold to several, jamo, ideographs,
/// emoji, separators, and few distinct parts so that texts share pieces.
struct RandomTexts {
    private static let parts: [String] = [
        "a", "b", "A", "ab", "fox", "FOX", "Fuß", "SS", "ß", "é", "e\u{301}", "E", "İ", "i", "ı",
        "東京", "都", "の", "ー", "用", "ปลา", "ู", "ปู", "ﬁ", "ς", "Σ", "σ", "\u{301}", "\u{323}",
        "\u{307}", "\u{34F}", "\u{345}", "ᾳ", "한", "하",
        "\u{11AB}", "日", "本", "日本", "が", "か", "\u{3099}", "क", "़", "्", "😀", "👍🏽", "👍", "🇩🇪",
        "\u{1F1E9}", "\u{200D}", "\u{FE0F}", "\u{AD}", "1", "42", "²", " ", " ", "  ", ", ", "-",
        "+", "\r\n", "\n", "ñ", "น้ำ", "ŉ", "ẛ\u{323}",
    ]

    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func text(parts: Int) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...parts, using: &generator) {
            text += Self.parts.randomElement(using: &generator)!
        }
        return text
    }

    /// A text to look for: a piece of another, by scalars, or something else.
    mutating func needle(from text: String) -> String {
        guard Int.random(in: 0..<4, using: &generator) > 0, !text.isEmpty else {
            return self.text(parts: 3)
        }
        let scalars = Array(text.unicodeScalars)
        let start = Int.random(in: 0..<scalars.count, using: &generator)
        let end = Int.random(in: start...scalars.count, using: &generator)
        var piece = String.UnicodeScalarView()
        piece.append(contentsOf: scalars[start..<min(end, start + 8)])
        let needle = String(piece)
        return switch Int.random(in: 0..<4, using: &generator) {
        case 0: needle.uppercased()
        case 1: needle.lowercased()
        default: needle
        }
    }
}
