/// Text as a terminal shows it.
enum DisplayText {
    /// The columns that a text takes: two for a character that fills a square, none for a mark.
    static func width(of text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 }
            ? text.utf8.count : text.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        let properties = first.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let showsPicture =
            properties.isEmojiPresentation
            || character.unicodeScalars.contains { $0.value == 0xFE0F }
        return showsPicture || isWide(first.value) ? 2 : 1
    }

    /// The blocks of East Asian scripts whose characters fill a square.
    private static func isWide(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// As much of a text as fits.
    static func prefix(of text: String, columns: Int) -> String {
        var room = columns
        return String(
            text.prefix { character in
                room -= width(of: character)
                return room >= 0
            })
    }
}
