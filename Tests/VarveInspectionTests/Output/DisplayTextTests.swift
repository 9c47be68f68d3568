import Testing

@testable import VarveTool

@Suite("Text on a terminal")
struct DisplayTextTests {
    @Test(
        "A square character takes two columns, a mark none",
        arguments: [
            ("", 0), ("abc", 3), ("和平", 4), ("é", 1), ("e\u{301}", 1), ("😀", 2), ("❤️", 2),
            ("👩‍👩‍👧", 2), ("…", 1), ("ﾊ", 1), ("한", 2), ("\u{200B}", 0),
        ])
    func width(_ text: String, _ expected: Int) {
        #expect(DisplayText.width(of: text) == expected)
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
        for columns in 1...25 { #expect(text.shortened(to: columns).width <= columns) }
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
