/// How many columns of a terminal texts take, and how they are cut to fit.
///
/// Wide and fullwidth characters and emoji take two columns; marks and what shows nothing take none. A text is
/// measured and cut by grapheme clusters, so a base never loses its marks. Terminals differ in the width of an
/// emoji that is joined of several, of a flag and of a keycap: the newer ones draw one picture in two columns, and
/// so it is here.
///
/// The texts are expected to have passed ``Swift/String/escapedForDisplay``.
package enum DisplayWidth {
    /// The columns that a text takes. O(n).
    package static func columns(of text: some StringProtocol) -> Int {
        // Of the bytes themselves: iterating over a view of any kind of string takes calls for each byte.
        let plain = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? bytes.count : nil
        }
        if let plain = plain ?? nil { return plain }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The columns that a grapheme cluster takes.
    package static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count == 1 { return columns(of: first) }
        // What a terminal draws as one picture. Every other cluster is as wide as its parts: that is
        // how terminals place spacing marks and the consonants of Indic conjuncts.
        return isPicture(scalars, first) ? 2 : scalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// As many whole grapheme clusters from the start of a text as fit.
    package static func prefix(of text: String, columns: Int) -> String {
        guard columns > 0 else { return "" }
        var room = columns
        return String(
            text.prefix { character in
                room -= self.columns(of: character)
                return room >= 0
            })
    }

    /// A text cut to fit, with an ellipsis for what is left out. It may end a column short, where a
    /// wide character has no room.
    package static func shortened(_ text: String, to columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        return columns > 0 ? prefix(of: text, columns: columns - 1) + "…" : ""
    }

    /// A text with spaces behind it up to a width; as it is where it is wider.
    package static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - self.columns(of: text)))
    }

    // MARK: Clusters

    /// Whether several scalars are drawn as one emoji.
    private static func isPicture(
        _ scalars: Character.UnicodeScalarView, _ first: Unicode.Scalar
    ) -> Bool {
        if regionalIndicators.contains(first.value) { return true }
        guard first.properties.isEmoji else { return false }
        return scalars.dropFirst().contains { scalar in
            scalar.value == emojiPresentation || scalar.value == joiner
                || scalar.properties.isEmojiModifier
        }
    }

    private static let regionalIndicators: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF
    private static let emojiPresentation: UInt32 = 0xFE0F
    private static let joiner: UInt32 = 0x200D

    // MARK: Scalars

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        if scalar.value >= 0x20 && scalar.value < 0x7F { return 1 }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator,
            .paragraphSeparator:
            return 0
        default: break
        }
        if properties.isDefaultIgnorableCodePoint || isJamoOfSyllable(scalar.value) { return 0 }
        // Half of a flag is a letter in a box.
        let isEmoji =
            properties.isEmojiPresentation && !regionalIndicators.contains(scalar.value)
        return isEmoji || isWide(scalar.value) ? 2 : 1
    }

    /// Vowels and final consonants of Hangul, which join the consonant before them.
    private static func isJamoOfSyllable(_ scalar: UInt32) -> Bool {
        (0x1160...0x11FF).contains(scalar) || (0xD7B0...0xD7FB).contains(scalar)
    }

    private static func isWide(_ scalar: UInt32) -> Bool {
        guard scalar >= wide[0].lowerBound else { return false }
        var (low, high) = (0, wide.count)
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(scalar)
    }

    /// The scalars with East_Asian_Width W or F that are no emoji by themselves, in ascending order.
    ///
    /// Source: EastAsianWidth.txt of Unicode 15.0.0, with the blocks that it declares wide by default. Gaps between
    /// ranges are closed where they hold nothing but unassigned scalars and wide emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
        0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
        0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB,
        0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]
}
