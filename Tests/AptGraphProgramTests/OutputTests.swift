import Testing

@testable import AptGraph

@Suite("Output")
struct OutputTests {
    @Test("Text is broken between words and never lost")
    func wrapping() {
        #expect(
            TextLayout.wrapped("one two  three fourteen", width: 9)
                == ["one two", "three", "fourteen"])
        #expect(
            TextLayout.wrapped("incomprehensible yes", width: 4) == ["incomprehensible", "yes"])
        #expect(TextLayout.wrapped("", width: 4).isEmpty)
        #expect(TextLayout.wrapped("libc6 (>= 2.3), a", width: 9) == ["libc6", "(>= 2.3),", "a"])
    }

    @Test("Names are never cut, texts where the screen ends")
    func rows() {
        var layout = TextLayout(Screen(width: 40) { _ in })
        layout.rows([
            ("a", "short"), ("bcd", String(repeating: "x", count: 50)),
            (String(repeating: "n", count: 50), "gone"),
        ])
        let lines = layout.text.split(separator: "\n")
        #expect(lines[0] == "  a\(String(repeating: " ", count: 12))  short")
        #expect(lines[1].count == 40 && lines[1].hasSuffix("x…"))
        #expect(lines[2].drop { $0 == " " } == String(repeating: "n", count: 50))
    }

    @Test("A terminal is given no control character of the data's")
    func controlCharacters() {
        var layout = TextLayout(Screen(width: 60) { _ in })
        layout.field("Homepage", "x\u{1B}[2Jy\u{7}\u{9B}z")
        #expect(layout.text == "  Homepage      x\\u{1B}[2Jy\\u{7}\\u{9B}z\n")
    }

    @Test("Colours are only where they are permitted")
    func colours() {
        #expect(TextStyle.plain.bold("a") == "a")
        #expect(TextStyle.coloured.bold("a") == "\u{1B}[1ma\u{1B}[0m")
    }

    @Test("Numbers are written as people read them")
    func quantities() {
        #expect(
            [0, 12, 123, 1234, 1_234_567, -1234].map(Quantity.grouped)
                == ["0", "12", "123", "1,234", "1,234,567", "-1,234"])
        #expect(Quantity.count(1, "package") == "1 package")
        #expect(Quantity.count(2000, "package") == "2,000 packages")
        #expect(
            [999, 1000, 1_540_000, 999_999_999, 12_345_000_000_000].map(Quantity.bytes)
                == ["999 bytes", "1.0 kB", "1.5 MB", "1.0 GB", "12,345.0 GB"])
    }

    @Test("The progress bar is one line that fits, from none to all")
    func progress() {
        let bars = [-1, 0, 0.5, 1, 7].map { ProgressBar.line("Importing", $0) }
        #expect(bars[0] == bars[1] && bars[1].hasSuffix(" 0 %"))
        #expect(bars[2].contains(String(repeating: "█", count: 20) + "░"))
        #expect(bars[4] == bars[3] && bars[3].hasSuffix("█ 100 %"))
        #expect(bars.allSatisfy { $0.count < 60 })
    }

    @Test("A requirement is found by any of its alternatives, and by whole names only")
    func requirements() {
        let text = "libc6 (>= 2.34), awk:any | mawk [amd64], lib"
        #expect(RelationText.requirement(naming: "lib", in: text) == "lib")
        #expect(RelationText.requirement(naming: "mawk", in: text) == "awk:any | mawk [amd64]")
        #expect(RelationText.requirement(naming: "awk", in: text) == "awk:any | mawk [amd64]")
        #expect(RelationText.requirement(naming: "aw", in: text) == nil)
    }
}
