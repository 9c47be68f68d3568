import Testing

@testable import VarveGraph

@Suite("Text tokens")
struct TextTokenizerTests {
    /// Tokens as texts.
    private func tokens(_ texts: String...) -> [String] {
        TextTokenizer(texts).tokens.map(text)
    }

    private func text(_ token: UInt64) -> String {
        var result = String.UnicodeScalarView()
        for shift in [42, 21, 0] as [UInt64] {
            let scalar = UInt32(token >> shift & 0x1F_FFFF)
            if scalar != 0 { result.append(Unicode.Scalar(scalar)!) }
        }
        return String(result)
    }

    private func required(
        _ needle: String, startsText: Bool = false, endsText: Bool = false
    ) -> Set<String> {
        Set(
            TextTokenizer.tokens(within: needle, startsText: startsText, endsText: endsText)
                .map(text))
    }

    @Test("Words fall into windows of three; shorter ones are tokens by themselves")
    func windows() {
        #expect(tokens("Hello") == ["hel", "ell", "llo"])
        #expect(tokens("fox") == ["fox"])
        #expect(tokens("c++ ab 42") == ["c", "ab", "42"])
        #expect(tokens("", "--", "aaaa") == ["aaa", "aaa"])
        #expect(tokens("ab", "cd") == ["ab", "cd"])
    }

    @Test(
        "Han and kana fall into characters and pairs, Thai and its like into windows of three too")
    func scriptsWithoutSpaces() {
        #expect(tokens("日") == ["日"])
        #expect(tokens("日本") == ["日", "本", "日本"])
        #expect(tokens("東京都") == ["東", "京", "東京", "都", "京都"])
        #expect(tokens("タワーの") == ["タ", "ワ", "タワ", "ー", "ワー", "の", "ーの"])
        #expect(tokens("ปลา") == ["ป", "ล", "ปล", "า", "ลา", "ปลา"])
        #expect(tokens("第3章iPhone用") == ["第", "3", "章", "iph", "pho", "hon", "one", "用"])
        // Halfwidth kana, an ideograph beyond the basic plane, and one of the ranges' ends each.
        #expect(tokens("ｶﾅ") == ["ｶ", "ﾅ", "ｶﾅ"])
        #expect(tokens("𠮷野") == ["𠮷", "野", "𠮷野"])
        for text in ["ກາ", "ကာ", "កខ", "ꀀꀁ", "ㄅㄆ", "𗀀𗀁", "ᦀᦁ"] {
            #expect(tokens(text).count == 3, "\(text)")
        }
        // Scripts with spaces stay as they are.
        for text in ["ab", "бы", "का", "가"] { #expect(tokens(text).count == 1, "\(text)") }
    }

    @Test("A search looks for the longest windows of each run")
    func searched() {
        func searched(_ query: String) -> [String] {
            TextTokenizer.searchedTokens(of: query).map(text)
        }
        #expect(searched("京") == ["京"])
        #expect(searched("東京") == ["東京"])
        #expect(searched("東京都 の塔") == ["東京", "京都", "の塔"])
        #expect(searched("ปลา ปู") == ["ปลา", "ปู"])
        #expect(searched("ปลาทู") == ["ปลา", "ลาท", "าทู"])
        #expect(searched("fox ab, c") == ["fox", "ab", "c"])
        #expect(searched("").isEmpty && searched("!?").isEmpty)
    }

    @Test("Case, diacritics and invisible scalars make no difference")
    func folding() {
        #expect(tokens("Éclair") == tokens("eclair"))
        #expect(tokens("STRASSE") == tokens("straße"))
        #expect(tokens("co\u{AD}op") == tokens("coop"))
        #expect(tokens("می\u{200C}خواهم") == tokens("میخواهم"))
        #expect(tokens("1\u{FE0F}\u{20E3}") == ["1"])
        #expect(tokens("é\u{301}") == ["e"])
    }

    @Test("Marks and numbers of any kind belong to words; symbols end them")
    func words() {
        #expect(tokens("का") == ["का"])
        #expect(tokens("x²y") == ["x²y"])
        #expect(tokens("a_b a-b a😀b") == ["a", "b", "a", "b", "a", "b"])
        #expect(tokens("e\u{301}😀") == ["e"])
        #expect(tokens("한") == [String(String.UnicodeScalarView("한".decomposed))])
    }

    @Test("A needle asks for its windows, and for short words where their edges are known")
    func needles() {
        #expect(required("hello") == ["hel", "ell", "llo"])
        #expect(required("ab").isEmpty && required("lo wo").isEmpty && required("c++").isEmpty)
        #expect(required(" ab ") == ["ab"])
        #expect(required("the ab cd") == ["the", "ab"])
        #expect(required("ab cd", startsText: true) == ["ab"])
        #expect(required("ab cd", endsText: true) == ["cd"])
        #expect(required("ab", startsText: true).isEmpty)
        #expect(required("ab", startsText: true, endsText: true) == ["ab"])
        #expect(required("京") == ["京"] && required("東京都") == ["東京", "京都"])
        #expect(required("ปู") == ["ปู"] && required("ปลา") == ["ปลา"])
        #expect(required("ab京cd") == ["京"] && required("京ab都") == ["京", "ab", "都"])
    }
}

extension String {
    fileprivate var decomposed: [Unicode.Scalar] {
        let bytes = TextFolding(caseSensitive: true, diacriticSensitive: true).bytes(of: self)
        return Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    }
}
