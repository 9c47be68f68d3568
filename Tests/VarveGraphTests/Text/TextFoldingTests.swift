import Foundation
import Testing

@testable import VarveGraph

@Suite("Text folding")
struct TextFoldingTests {
    private func fold(
        _ text: String, caseSensitive: Bool = false, diacriticSensitive: Bool = true
    ) -> String {
        let folding = TextFolding(
            caseSensitive: caseSensitive, diacriticSensitive: diacriticSensitive)
        return String(decoding: folding.bytes(of: text), as: UTF8.self)
    }

    private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    @Test("Case folds in full: sharp s, ligatures, the three sigmas, the Kelvin sign")
    func caseFolding() {
        #expect(fold("Straße") == "strasse")
        #expect(fold("STRASSE") == "strasse")
        #expect(fold("GROẞ") == "gross")
        #expect(fold("ΟΔΟΣ") == fold("οδος"))
        #expect(fold("ﬁﬃﬅ") == "fiffist")
        #expect(fold("\u{212A}elvin") == "kelvin")
        #expect(fold("ЁЛКА") == "ёлка".decomposedStringWithCanonicalMapping)
        #expect(fold("ŉ") == "ʼn")
        #expect(fold("Straße", caseSensitive: true) == "Straße")
    }

    @Test("The dotted capital keeps its dot, and the dotless small letter is no i")
    func turkish() {
        #expect(scalars(fold("İ")) == [0x69, 0x307])
        #expect(fold("ı") == "ı")
        #expect(fold("İI", diacriticSensitive: false) == "ii")
    }

    @Test("Composed and decomposed letters fold alike, with their marks in canonical order")
    func normalization() {
        #expect(scalars(fold("é")) == [0x65, 0x301])
        #expect(scalars(fold("q\u{307}\u{323}")) == scalars(fold("q\u{323}\u{307}")))
        #expect(scalars(fold("ṩ")) == scalars(fold("s\u{307}\u{323}")))
        #expect(scalars(fold("한")) == [0x1112, 0x1161, 0x11AB])
        #expect(scalars(fold("가")) == [0x1100, 0x1161])
        #expect(scalars(fold("日本😀")) == [0x65E5, 0x672C, 0x1F600])
        // A joiner holds marks on both sides in their places.
        #expect(scalars(fold("a\u{301}\u{34F}\u{323}")) == [0x61, 0x301, 0x34F, 0x323])
    }

    @Test("Marks keep their places around what tokens pass over, as they do in texts")
    func marksAroundJoiners() {
        // Voicing, a joiner, nukta: without the joiner the nukta would come first.
        let bytes = TextFolding.tokens.bytes(of: "本\u{3099}\u{34F}\u{93C}")
        #expect(scalars(String(decoding: bytes, as: UTF8.self)) == [0x672C, 0x3099, 0x93C])
        let plain = TextFolding.tokens.bytes(of: "本\u{3099}\u{93C}")
        #expect(scalars(String(decoding: plain, as: UTF8.self)) == [0x672C, 0x93C, 0x3099])
    }

    @Test("Diacritics are accents and points, not marks that make another letter")
    func diacritics() {
        func bare(_ text: String) -> String { fold(text, diacriticSensitive: false) }
        #expect(bare("Crème Brûlée") == "creme brulee")
        #expect(bare("Việt Nam") == "viet nam")
        #expect(bare("Çağ") == "cag")
        #expect(bare("שָׁלוֹם") == "שלום")
        #expect(bare("مُحَمَّد") == "محمد")
        #expect(bare("Άλφα") == "αλφα")
        // Voiced kana, nukta, virama, Thai tones; ligatures and letters of their own.
        for text in ["が", "क़", "क्ष", "น้ำ", "æ", "þ", "ð"] {
            #expect(scalars(bare(text)) == scalars(fold(text)), "\(text)")
        }
        #expect(bare("É") == "e")
        #expect(fold("É", caseSensitive: true, diacriticSensitive: false) == "E")
    }

    @Test(
        "Without diacritics, letters lose their strokes and get their dots; with them, they keep both"
    )
    func strokes() {
        func bare(_ text: String) -> String { fold(text, diacriticSensitive: false) }
        #expect(bare("Łódź, Øresund, Đà Nẵng, ǾǿĦħŦŧ") == "lodz, oresund, da nang, oohhtt")
        #expect(bare("Diyarbakır") == "diyarbakir" && bare("ISTANBUL") == bare("İstanbul"))
        #expect(fold("ØłI", caseSensitive: true, diacriticSensitive: false) == "OlI")
        #expect(scalars(fold("Ø")) == [0xF8] && scalars(fold("ı")) == [0x131])
        #expect(TextTokenizer(["Łódź"]).tokens == TextTokenizer(["lodz"]).tokens)
    }

    /// What the proof in ``TextFolding`` rests on, for every assigned scalar.
    @Test("Every scalar folds by itself: decomposed forms stay so, marks stay themselves")
    func everyScalar() {
        var violations: [String] = []
        // The planes with characters; the others are unassigned or private.
        for value in [UInt32(0x80)..<0x32400, 0xE0000..<0xE0200].joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let traits = ScalarTraits.of(value)
            let parts = (0..<4).map { traits.expansion[$0] }.prefix { $0 != 0 }
            let isSound =
                traits.decomposes ? isDecomposition(parts, of: scalar) : isFolding(parts, traits)
            if !isSound || !isPlainAlike(parts, traits) {
                violations.append(String(value, radix: 16))
            }
        }
        #expect(violations == [])
    }

    private func isDecomposition(_ parts: ArraySlice<UInt32>, of scalar: Unicode.Scalar) -> Bool {
        let text = String(Character(scalar)).decomposedStringWithCanonicalMapping
        return scalars(text) == Array(parts)
            && parts.allSatisfy { $0 < 0x80 || !ScalarTraits.of($0).decomposes }
    }

    /// A folded scalar decomposes no further, folds to itself, is of a word if the scalar was, and
    /// is a mark only if it is the scalar itself.
    private func isFolding(_ parts: ArraySlice<UInt32>, _ traits: ScalarTraits) -> Bool {
        parts.allSatisfy { part in
            if part < 0x80 {
                let byte = UInt8(part)
                return ASCII.lowercased(byte) == byte && ASCII.wordKind(byte) == traits.wordKind
            }
            let folded = ScalarTraits.of(part)
            return !folded.decomposes && folded.expansion[0] == part && folded.expansion[1] == 0
                && folded.wordKind == traits.wordKind
                && folded.combiningClass == traits.combiningClass
                && folded.isPassedOver == traits.isPassedOver
                && (folded.combiningClass == 0 || parts.count == 1)
        }
    }

    /// Case and strokes may be left out in either order: a letter with a stroke is a letter without
    /// decomposition, and so is its other case.
    private func isPlainAlike(_ parts: ArraySlice<UInt32>, _ traits: ScalarTraits) -> Bool {
        guard !traits.decomposes else { return traits.plainLetter == 0 }
        let folded = parts.count == 1 ? parts[0] : 0
        let other = folded < 0x80 ? 0 : ScalarTraits.of(folded).plainLetter
        return ASCII.lowercased(traits.plainLetter) == other
            && (traits.plainLetter == 0 || traits.wordKind == .spaced && traits.combiningClass == 0)
    }

    @Test("Ideographs, syllables and pages give what the standard library says")
    func ranges() {
        for value in [0x3400, 0x4DBF, 0x4E00, 0x9FFF, 0x20000, 0x2A6DF, 0xAC00, 0xD7A3, 0x1F600]
            as [UInt32]
        {
            let quick = ScalarTraits.of(value)
            let asked = ScalarTraits(computing: value)
            #expect(quick.expansion == asked.expansion)
            #expect(quick.wordKind == asked.wordKind && quick.decomposes == asked.decomposes)
        }
        // Assigned ideographs only; the hexagrams between the blocks are symbols.
        #expect(ScalarTraits.of(0x4DC0).wordKind == .none)
    }

    @Test("ASCII folds without a table as it does with one")
    func ascii() {
        for value in UInt8(0)..<0x80 {
            let scalar = Unicode.Scalar(value)
            let traits = ScalarTraits(computing: UInt32(value))
            #expect(UInt32(ASCII.lowercased(value)) == traits.expansion[0], "\(scalar)")
            #expect(ASCII.wordKind(value) == traits.wordKind, "\(scalar)")
        }
    }
}
