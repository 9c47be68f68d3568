import VarveTerminal

/// One picture of the screen.
struct Frame: Hashable, Sendable {
    var size: ScreenSize
    /// From the top; rows that are missing are empty.
    var lines: [ScreenLine]
    /// The cell of the cursor, from 0; nil where none is shown.
    var cursor: Cursor?

    struct Cursor: Hashable, Sendable {
        var column: Int
        var row: Int
    }

    /// The text alone, without spaces at the ends of rows: what a test compares.
    var text: String {
        lines.map { line in
            var text = line.text.shortened(to: size.columns).plain
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n")
    }
}

/// Draws frames, each as its difference from the one before.
///
/// The unit is the row: a character that a terminal makes wider or narrower than expected spoils its own row
/// and no other, and the next change of that row mends it.
struct ScreenPainter {
    let withColors: Bool
    private var shown: Frame?
    private var rows: [String] = []

    init(withColors: Bool) { self.withColors = withColors }

    /// The next frame is drawn whole: nothing is known of what the screen shows.
    mutating func forget() { shown = nil }

    /// The bytes that turn what is shown into `frame`; empty where nothing differs.
    mutating func paint(_ frame: Frame) -> String {
        if frame == shown { return "" }
        let isWhole = shown?.size != frame.size
        let columns = frame.size.columns
        let painted = (0..<frame.size.rows).map { row in
            row < frame.lines.count
                ? frame.lines[row].rendered(columns: columns, withColors: withColors) : ""
        }
        // The cursor is hidden while it moves from row to row.
        var output = "\u{1B}[?25l" + (isWhole ? "\u{1B}[0m\u{1B}[2J" : "")
        for (row, text) in painted.enumerated() where isWhole ? !text.isEmpty : text != rows[row] {
            // Erased first: behind a row that ends in the last column, erasing would take that column.
            output += "\u{1B}[\(row + 1);1H\u{1B}[2K" + text
        }
        if let cursor = frame.cursor {
            output += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
        }
        shown = frame
        rows = painted
        return output
    }
}
