import Foundation
import Testing
import VarveText

@testable import VarveTool

@Suite("Escaped texts")
struct EscapedTextTests {
    @Test("What could command a terminal or shows nothing is escaped, and nothing else")
    func examples() {
        let kept = [
            "", "plain", "和平 é e\u{301} 😀 👍🏽 🇩🇪 ❤️", "\\u{1B} \"quoted\"", "\u{A0}\u{3000}", "ﷺ", "한",
            "½ ♜ →",
        ]
        for text in kept {
            #expect(text.escapedForDisplay == text)
            #expect(text.escapedForDisplayAsJSON == text)
        }
        #expect("\u{1B}[31m".escapedForDisplay == "\\u{1B}[31m")
        #expect("a\nb\tc\r".escapedForDisplay == "a\\nb\\tc\\r")
        #expect("\u{7F}\0\u{9B}2J\u{85}".escapedForDisplay == "\\u{7F}\\u{0}\\u{9B}2J\\u{85}")
        #expect("\u{202E}x\u{2066}\u{61C}".escapedForDisplay == "\\u{202E}x\\u{2066}\\u{61C}")
        #expect(
            "a\u{200B}\u{200D}\u{FEFF}\u{AD}".escapedForDisplay
                == "a\\u{200B}\\u{200D}\\u{FEFF}\\u{AD}")
        #expect("\u{2028}\u{2029}".escapedForDisplay == "\\u{2028}\\u{2029}")
        #expect("\u{E0041}\u{E000}\u{10FFFD}".escapedForDisplay == "\\u{E0041}\\u{E000}\\u{10FFFD}")
        let noncharacter = String(Unicode.Scalar(0xFFFE as UInt32)!)
        #expect("\(noncharacter)\u{378}".escapedForDisplay == "\\u{FFFE}\\u{378}")
        // Letters and marks that show nothing; the choice of colours, where there is nothing to choose.
        #expect("\u{3164}\u{34F}x\u{FE0F}".escapedForDisplay == "\\u{3164}\\u{34F}x\\u{FE0F}")
        #expect("❤\u{FE0F}\u{FE0F}\u{E0100}".escapedForDisplay == "❤\u{FE0F}\\u{FE0F}\\u{E0100}")
    }

    @Test("Escaped JSON means what it did")
    func json() throws {
        let text = "a\u{9B}\u{202E}\u{E0041}\u{7F}\u{2028}\"\\😀\u{200D}"
        let line = JSON.text(text).line
        let escaped = line.escapedForDisplayAsJSON
        #expect(escaped == #""a\u009b\u202e\udb40\udc41\u007f\u2028\"\\😀\u200d""#)
        let decoded = try JSONSerialization.jsonObject(
            with: Data(escaped.utf8), options: .fragmentsAllowed)
        #expect(decoded as? String == text)
        #expect("{\n  \"a\" : 1\n}\n".escapedForDisplayAsJSON == "{\n  \"a\" : 1\n}\n")
    }

    @Test("For every scalar: escaped once, and an escaped text is not escaped again")
    func everyScalar() {
        var passed = 0
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let escaped = String(scalar).escapedForDisplay
            if escaped == String(scalar) {
                passed += 1
                #expect(!scalar.isHidden, "\(String(value, radix: 16))")
            } else {
                #expect(escaped.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            }
        }
        // Assigned characters of Unicode that show something.
        #expect(passed > 140_000 && passed < 300_000)
    }
}

extension Unicode.Scalar {
    /// What must never be displayed, by the categories of Unicode.
    var isHidden: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            true
        default: false
        }
    }
}
