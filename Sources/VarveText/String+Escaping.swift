/// What people are shown of a text that came from a file, a name or an argument.
///
/// The one place that decides which characters may reach a terminal or a log. A text must not command what
/// displays it, nor look like another text: whatever moves the cursor, changes colours, turns the direction
/// of writing, breaks lines, or shows nothing at all is written as an escape.
extension String {
    /// The text with every such character as `\u{202E}`; `\n`, `\r` and `\t` by their names. O(n).
    package var escapedForDisplay: String {
        escaped { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
    }

    /// A JSON text that means what it did and is safe to display: such characters become `\u202e`. Line breaks
    /// stay, because in JSON they are never part of a string. O(n).
    package var escapedForDisplayAsJSON: String {
        escaped { scalar in
            if scalar == "\n" { return "\n" }
            return String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    private func escaped(_ escape: (Unicode.Scalar) -> String) -> String {
        if areBytes(all: { $0 >= 0x20 && $0 < 0x7F }) { return self }
        var result = ""
        var previous: Unicode.Scalar?
        for scalar in unicodeScalars {
            if scalar.mayBeDisplayed(after: previous) {
                result.unicodeScalars.append(scalar)
            } else {
                result += escape(scalar)
            }
            previous = scalar
        }
        return result
    }
}

extension String {
    /// With a sign doubled wherever it occurs, also where it makes one character with its neighbour. O(n).
    package func doubling(_ sign: Unicode.Scalar) -> String { escaping([sign], with: sign) }

    /// With a sign in front of each of some others, also where these make one character with their neighbours. O(n).
    package func escaping(_ signs: [Unicode.Scalar], with sign: Unicode.Scalar) -> String {
        // Most texts hold none of them.
        if signs.allSatisfy(\.isASCII),
            areBytes(all: { byte in !signs.contains { $0.value == UInt32(byte) } })
        {
            return self
        }
        var result = ""
        for scalar in unicodeScalars {
            if signs.contains(scalar) { result.unicodeScalars.append(sign) }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// Whether all bytes meet a test, as far as they can be looked at in one piece: that takes no call for each.
    private func areBytes(all test: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(test) } ?? utf8.allSatisfy(test)
    }

    /// The text between two quotation marks, also where these make one character with it; the text itself where there
    /// are none.
    package var withoutQuotationMarks: String {
        let scalars = unicodeScalars
        guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return self }
        return String(scalars.dropFirst().dropLast())
    }
}

extension Unicode.Scalar {
    /// Whether the scalar shows what it is and does nothing else.
    fileprivate func mayBeDisplayed(after previous: Unicode.Scalar?) -> Bool {
        if value >= 0x20 && value < 0x7F { return true }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .lineSeparator, .paragraphSeparator:
            return false
        // What this version of Unicode does not know may be any of these in a later one.
        case .unassigned:
            return false
        default: break
        }
        guard properties.isDefaultIgnorableCodePoint else { return true }
        // An emoji may be followed by what says whether it has colours.
        let choosesPresentation = value == 0xFE0E || value == 0xFE0F
        return choosesPresentation && previous?.properties.isEmoji == true
    }
}
