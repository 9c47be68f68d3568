import Testing

@testable import VarveGraph

@Suite("Text patterns")
struct TextPatternTests {
    private func isFound(
        _ needle: String, in text: String, _ place: TextPattern.Place = .anywhere,
        caseSensitive: Bool = false, diacriticSensitive: Bool = true
    ) -> Bool {
        let folding = TextFolding(
            caseSensitive: caseSensitive, diacriticSensitive: diacriticSensitive)
        return TextPattern(needle, place: place, folding: folding).isFound(in: text)
    }

    @Test("ASCII texts, at each place, with and without case")
    func ascii() {
        #expect(isFound("WORLD", in: "hello world"))
        #expect(!isFound("WORLD", in: "hello world", caseSensitive: true))
        #expect(isFound("hello", in: "Hello world", .atStart))
        #expect(!isFound("world", in: "Hello world", .atStart))
        #expect(isFound("WORLD", in: "Hello world", .atEnd))
        #expect(!isFound("hello", in: "Hello world", .atEnd))
        #expect(isFound("aab", in: "aaab"))
        #expect(!isFound("hello!", in: "hello"))
        // Bytes that differ by the case bit alone, but are no letters.
        #expect(!isFound("[", in: "{") && !isFound("@", in: "`"))
    }

    @Test("An empty text is found everywhere, and nothing else in an empty text")
    func empty() {
        for place in [TextPattern.Place.anywhere, .atStart, .atEnd] {
            #expect(isFound("", in: "", place) && isFound("", in: "é", place))
            #expect(!isFound("a", in: "", place))
        }
        // A lone mark is nothing without diacritics.
        #expect(isFound("\u{301}", in: "abc", diacriticSensitive: false))
    }

    @Test("A match begins and ends with a character")
    func edges() {
        #expect(!isFound("e", in: "é") && !isFound("e", in: "e\u{301}"))
        #expect(!isFound("cafe", in: "café", .atStart) && !isFound("cafe", in: "café", .atEnd))
        #expect(isFound("cafe", in: "café", diacriticSensitive: false))
        #expect(isFound("café", in: "Cafe\u{301} au lait"))
        #expect(!isFound("\u{301}", in: "é"))
        #expect(!isFound("하", in: "한국") && isFound("한", in: "한국"))
        #expect(!isFound("\u{1F1E9}\u{1F1EA}", in: "\u{1F1E6}\u{1F1E9}\u{1F1EA}\u{1F1E7}"))
        #expect(!isFound("👍", in: "👍🏽") && isFound("👍🏽", in: "ok 👍🏽!"))
        #expect(!isFound("👨", in: "👨‍👩‍👧"))
        #expect(isFound("\n", in: "a\r\nb") && isFound("\n", in: "é\r\nb"))
    }

    @Test("Full case folding also where lengths differ")
    func lengths() {
        #expect(isFound("STRASSE", in: "Hauptstraße") && isFound("straße", in: "HAUPTSTRASSE"))
        #expect(isFound("οδοσ", in: "ΟΔΟΣ", .atEnd))
        #expect(isFound("fi", in: "ﬁn", .atStart))
        #expect(!isFound("ı", in: "I") && !isFound("i", in: "ı"))
        #expect(isFound("i", in: "İ", diacriticSensitive: false) && !isFound("i", in: "İ"))
    }
}
