import Testing
import VarveText

@testable import VarveTool

@Suite("Text on a terminal")
struct DisplayWidthTests {
    @Test(
        "Wide characters and pictures take two columns, marks and what is hidden none",
        arguments: [
            ("", 0), ("abc", 3), ("和平", 4), ("é", 1), ("e\u{301}", 1), ("😀", 2), ("❤️", 2), ("❤", 1),
            ("👩‍👩‍👧", 2), ("…", 1), ("한", 2), ("\u{200B}", 0), ("\u{301}", 0), ("a\u{301}\u{302}b", 2),
            // Fullwidth and halfwidth forms.
            ("Ａ", 2), ("ﾊ", 1), ("￥", 2), ("｡", 1), ("〿", 1), ("\u{3000}", 2),
            // A syllable of Hangul is as wide whether it is one scalar or three.
            ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{1161}", 0),
            // Flags, tones of skin, keycaps, and half a flag.
            ("🇩🇪", 2), ("🇩🇪🇫🇷", 4), ("🇩", 1), ("👍🏽", 2), ("🏽", 2), ("1\u{FE0F}\u{20E3}", 2), ("1", 1),
            ("🏴\u{E0067}\u{E0062}\u{E007F}", 2), ("👩🏽‍🚀", 2),
            // Spacing marks have a column of their own, also within a cluster.
            ("नि", 2), ("क्ष", 2), ("กำ", 2), ("กี", 1),
        ])
    func width(_ text: String, _ expected: Int) {
        #expect(DisplayWidth.columns(of: text) == expected)
    }

    @Test(
        "The table of wide scalars has the borders of Unicode 15",
        arguments: [
            (0x10FF, 1), (0x1100, 2), (0x115E, 2), (0x2328, 1), (0x2329, 2), (0x232A, 2),
            (0x232B, 1),
            (0x2E7F, 1), (0x2E80, 2), (0x303E, 2), (0x303F, 1), (0x3041, 2), (0x3247, 2),
            (0x3248, 1),
            (0x324F, 1), (0x3250, 2), (0x4DBF, 2), (0x4DC0, 1), (0x4DFF, 1), (0x4E00, 2),
            (0xA4C6, 2),
            (0xA4D0, 1), (0xA95F, 1), (0xA960, 2), (0xABF9, 1), (0xAC00, 2), (0xD7A3, 2),
            (0xF900, 2),
            (0xFAFF, 2), (0xFB00, 1), (0xFE10, 2), (0xFE19, 2), (0xFE30, 2), (0xFE6B, 2),
            (0xFE70, 1),
            (0xFF01, 2), (0xFF60, 2), (0xFF61, 1), (0xFFDC, 1), (0xFFE0, 2), (0xFFE6, 2),
            (0xFFE8, 1),
            (0x16FE0, 2), (0x18CD5, 2), (0x1B2FB, 2), (0x1BC00, 1), (0x1F200, 2), (0x1F265, 2),
            (0x1F300, 2), (0x1F321, 1), (0x1F6CC, 2), (0x1F9FF, 2), (0x20000, 2), (0x2FFFD, 2),
            (0x30000, 2), (0x3FFFD, 2), (0xE000, 1),
        ] as [(UInt32, Int)])
    func table(_ scalar: UInt32, _ expected: Int) throws {
        let text = String(try #require(Unicode.Scalar(scalar)))
        #expect(DisplayWidth.columns(of: text) == expected, "\(String(scalar, radix: 16))")
    }

    @Test("A cut falls between clusters, never takes more than there is, and takes what fits")
    func cutting() {
        let text = "e\u{301}和🇩🇪👩‍👩‍👧निx❤️"
        let clusters = text.map { String($0) }
        for columns in -1...14 {
            let prefix = DisplayWidth.prefix(of: text, columns: columns)
            let count = prefix.count
            #expect(prefix == clusters.prefix(count).joined())
            #expect(DisplayWidth.columns(of: prefix) <= max(0, columns))
            if count < clusters.count, columns >= 0 {
                let next = clusters.prefix(count + 1).joined()
                #expect(DisplayWidth.columns(of: next) > columns)
            }
            let shortened = DisplayWidth.shortened(text, to: columns)
            #expect(DisplayWidth.columns(of: shortened) <= max(0, columns))
            #expect((shortened == text) == (columns >= DisplayWidth.columns(of: text)))
        }
        #expect(DisplayWidth.padded("和", to: 5) == "和   ")
        #expect(DisplayWidth.padded("和平", to: 3) == "和平")
    }

    @Test("A text is cut at the columns that there are, whatever its colours")
    func shortening() {
        let text = StyledText("name: ", .faint) + StyledText("和平 and quiet", .added)
        #expect(text.width == 20)
        #expect(text.shortened(to: 20) == text)
        #expect(text.shortened(to: nil) == text)
        #expect(text.shortened(to: 10).rendered(withColors: false) == "name: 和…")
        #expect(text.shortened(to: 9).rendered(withColors: false) == "name: 和…")
        #expect(text.shortened(to: 6).rendered(withColors: false) == "name:…")
        #expect(
            text.shortened(to: 9).rendered(withColors: true)
                == "\u{1B}[2mname: \u{1B}[0m\u{1B}[32m和…\u{1B}[0m")
        for columns in 0...25 { #expect(text.shortened(to: columns).width <= columns) }
    }

    @Test("Columns are aligned, and the widest of those that may gives way")
    func table() {
        let columns: [TextTable.Column] = [
            .init(title: "N", alignsRight: true), .init(title: "NAME", widthMin: 4),
            .init(title: "TEXT", widthMin: 4),
        ]
        let rows = [
            [StyledText("1"), StyledText("first"), StyledText("a long text")],
            [StyledText("100"), StyledText("和平"), StyledText()],
        ]
        func text(_ limit: Int?) -> [String] {
            var table = TextTable(columns, limit: limit)
            return table.lines(rows).map { $0.rendered(withColors: false) }
        }
        #expect(
            text(nil) == [
                "  N  NAME   TEXT", "  1  first  a long text", "100  和平",
            ])
        #expect(
            text(18) == [
                "  N  NAME   TEXT", "  1  first  a lon…", "100  和平",
            ])
        #expect(text(1) == ["  N  NAME  TEXT", "  1  fir…  a l…", "100  和平"])
    }
}
