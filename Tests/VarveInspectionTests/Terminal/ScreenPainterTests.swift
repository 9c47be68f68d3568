import Testing
import VarveTerminal

@testable import VarveTool

@Suite("Painting the screen")
struct ScreenPainterTests {
    private let size = ScreenSize(columns: 10, rows: 3)

    private func frame(_ lines: [ScreenLine], cursor: Frame.Cursor? = nil) -> Frame {
        Frame(size: size, lines: lines, cursor: cursor)
    }

    private func frame(_ texts: String...) -> Frame {
        frame(texts.map { ScreenLine(StyledText($0)) })
    }

    @Test("The first frame is drawn whole, a later one only where it differs")
    func differences() {
        var painter = ScreenPainter(withColors: false)
        #expect(
            painter.paint(frame("one", "", "three"))
                == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[2Kone\u{1B}[3;1H\u{1B}[2Kthree")
        #expect(painter.paint(frame("one", "", "three")).isEmpty)
        #expect(painter.paint(frame("one", "two", "three")) == "\u{1B}[?25l\u{1B}[2;1H\u{1B}[2Ktwo")
        #expect(
            painter.paint(frame("one")) == "\u{1B}[?25l\u{1B}[2;1H\u{1B}[2K\u{1B}[3;1H\u{1B}[2K")
    }

    @Test("After a change of the size, and when nothing is known, all of it is drawn")
    func wholeFrames() {
        var painter = ScreenPainter(withColors: false)
        let first = painter.paint(frame("one"))
        painter.forget()
        #expect(painter.paint(frame("one")) == first)
        var larger = frame("one")
        larger.size.rows = 4
        #expect(painter.paint(larger).contains("\u{1B}[2J"))
    }

    @Test("A row with emphasis fills the width, with one style from edge to edge")
    func emphasis() {
        let text = StyledText("ab", .added) + StyledText("漢")
        #expect(
            ScreenLine(text, .selected).rendered(columns: 8, withColors: true)
                == "\u{1B}[7mab漢    \u{1B}[0m")
        #expect(
            ScreenLine(text).rendered(columns: 8, withColors: true) == "\u{1B}[32mab\u{1B}[0m漢")
        #expect(
            ScreenLine(text, .bar).rendered(columns: 3, withColors: false)
                == "\u{1B}[1;7mab…\u{1B}[0m")
    }

    @Test("Without colours bold and faint stay, and no colour does")
    func withoutColors() {
        let text = StyledText("a", .heading) + StyledText("b", .faint) + StyledText("c", .removed)
        #expect(
            ScreenLine(text).rendered(columns: 8, withColors: false)
                == "\u{1B}[1ma\u{1B}[0m\u{1B}[2mb\u{1B}[0mc")
    }

    @Test("The cursor is shown where the frame says, behind everything else")
    func cursor() {
        var painter = ScreenPainter(withColors: false)
        let output = painter.paint(
            frame([ScreenLine(StyledText("/x"))], cursor: .init(column: 2, row: 0)))
        #expect(output.hasSuffix("/x\u{1B}[1;3H\u{1B}[?25h"))
    }
}

@Suite("Cells of styled text")
struct StyledTextCellsTests {
    private let text = StyledText("ab", .heading) + StyledText("漢字c")

    @Test("A text without its first columns: of a wide character that is cut, a space stays")
    func dropping() {
        #expect(
            (0...8).map { text.dropping(columns: $0).plain } == [
                "ab漢字c", "b漢字c", "漢字c", " 字c", "字c", " c", "c", "", "",
            ])
    }

    @Test("A text wraps at the width, and no character is cut")
    func wrapping() {
        #expect(text.wrapped(to: 3).map(\.plain) == ["ab", "漢", "字c"])
        #expect(text.wrapped(to: 4).map(\.plain) == ["ab漢", "字c"])
        #expect(text.wrapped(to: 1).map(\.plain) == ["a", "b", "漢", "字", "c"])
        #expect(StyledText().wrapped(to: 5).map(\.plain) == [""])
    }
}
