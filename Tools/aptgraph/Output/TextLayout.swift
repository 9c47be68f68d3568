/// Lays text out in the width of the screen.
struct TextLayout {
    let screen: Screen
    private(set) var text = ""

    init(_ screen: Screen) {
        self.screen = screen
    }

    var style: TextStyle { screen.style }

    mutating func line(_ line: String = "") {
        text += line
        text += "\n"
    }

    /// A label, and a value that is broken between words and indented beside it.
    mutating func field(_ label: String, _ value: String?, labelWidth: Int = 14) {
        guard let value = value?.printable, !value.isEmpty else { return }
        let indent = labelWidth + 2
        var lines = Self.wrapped(value, width: screen.width - indent)[...]
        let padding = String(repeating: " ", count: max(labelWidth - label.count, 0))
        line("  " + style.faint(label) + padding + (lines.popFirst() ?? ""))
        for rest in lines { line(String(repeating: " ", count: indent) + rest) }
    }

    /// Rows of a name and a text, which is cut where the screen ends; a name never is.
    mutating func rows(_ rows: [(name: String, text: String)]) {
        let column = min(rows.map(\.name.count).max() ?? 0, screen.width / 3)
        for row in rows {
            let name = row.name.printable
            let padding = String(repeating: " ", count: max(column - name.count, 0))
            let room = screen.width - 2 - max(column, name.count) - 2
            let text = Self.cut(row.text.printable, width: room)
            line(
                text.isEmpty ? "  " + style.bold(name) : "  \(style.bold(name))\(padding)  \(text)")
        }
    }

    /// Rows of a label and a figure, the figures below one another.
    mutating func figures(_ rows: [(label: String, figure: String)], labelWidth: Int = 14) {
        let column = rows.map(\.figure.count).max() ?? 0
        for row in rows {
            let padding = labelWidth - row.label.count + column - row.figure.count
            let label = style.faint(row.label.printable)
            line("  \(label)\(String(repeating: " ", count: max(padding, 1)))\(row.figure)")
        }
    }

    /// Lines of at most `width`, broken at spaces; a longer word has a line for itself.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var current = ""
        for word in words(of: text) {
            if !current.isEmpty, current.count + 1 + word.count > width {
                lines.append(current)
                current = ""
            }
            if !current.isEmpty { current += " " }
            current += word
        }
        if !current.isEmpty { lines.append(current) }
        return lines
    }

    /// The words of a text; `(>= 1.2)` is one.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        for word in text.split(separator: " ") {
            if let last = words.last, ["(<<", "(<=", "(=", "(>=", "(>>"].contains(last) {
                words[words.count - 1] = "\(last) \(word)"
            } else {
                words.append(String(word))
            }
        }
        return words
    }

    static func cut(_ text: String, width: Int) -> String {
        guard text.count > width else { return text }
        return width > 1 ? text.prefix(width - 1) + "…" : ""
    }
}
