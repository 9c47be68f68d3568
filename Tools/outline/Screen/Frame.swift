import Foundation

/// One picture of the screen.
struct Frame {
    let lines: [String]
    /// Where the cursor stands, from zero; nil where none is shown.
    let cursor: (column: Int, row: Int)?

    /// What draws it over the picture before, without flicker.
    var sequence: String {
        var text = "\u{1B}[?25l\u{1B}[H"
        text += lines.joined(separator: "\u{1B}[K\r\n")
        text += "\u{1B}[K\u{1B}[J"
        if let cursor {
            text += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
        }
        return text
    }
}

/// How a piece of text looks.
enum Style {
    static func bold(_ text: String) -> String { "\u{1B}[1m\(text)\u{1B}[0m" }
    static func faint(_ text: String) -> String { "\u{1B}[2m\(text)\u{1B}[0m" }
    static func reverse(_ text: String) -> String { "\u{1B}[7m\(text)\u{1B}[0m" }
}
