import VarveText

/// How many columns of a terminal texts take.
enum DisplayWidth {
    /// Ranges of scalars that take two columns, in ascending order.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x25FD...0x25FE,
        0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
        0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26D4...0x26D4, 0x26EA...0x26EA,
        0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705,
        0x270A...0x270B, 0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755,
        0x2757...0x2757, 0x2795...0x2797, 0x27B0...0x27B0, 0x2B1B...0x2B1C, 0x2B50...0x2B50,
        0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F004...0x1F004, 0x1F18E...0x1F19A, 0x1F1E6...0x1F320,
        0x1F32D...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F900...0x1FAFF,
        0x20000...0x3FFFD,
    ]

    static func columns(of character: Character) -> Int {
        // What follows the first scalar joins or modifies it.
        guard let first = character.unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let isEmoji = character.unicodeScalars.dropFirst().contains { $0.value == 0xFE0F }
        return isEmoji || isWide(first.value) ? 2 : 1
    }

    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    private static func isWide(_ scalar: UInt32) -> Bool {
        guard scalar >= 0x1100 else { return false }
        var low = 0
        var high = wide.count
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(scalar)
    }

    /// A text with escapes for what would command the terminal, cut where it would take more columns, with an ellipsis, and filled up with spaces.
    static func fitted(_ text: String, columns: Int, fills: Bool = false) -> String {
        let text = text.escapedForDisplay
        var result = text
        var width = self.columns(of: text)
        if width > columns {
            result = ""
            width = 0
            for character in text {
                let next = self.columns(of: character)
                guard width + next <= columns - 1 else { break }
                result.append(character)
                width += next
            }
            if columns > 0 {
                result.append("…")
                width += 1
            }
        }
        return fills ? result + String(repeating: " ", count: max(0, columns - width)) : result
    }
}
