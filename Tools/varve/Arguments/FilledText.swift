import VarveText

/// Text in lines of a number of columns.
enum FilledText {
    /// Fills the lines of paragraphs. An indented line keeps its form; an empty one is between paragraphs.
    static func lines(of text: String, columns: Int) -> [String] {
        var lines: [String] = []
        var words: [Substring] = []
        func fill() {
            lines += filled(words, columns)
            words = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty || line.hasPrefix("  ") {
                fill()
                lines.append(String(line))
            } else {
                words += line.split(separator: " ")
            }
        }
        fill()
        return lines
    }

    private static func filled(_ words: [Substring], _ columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in words {
            let longer = line.isEmpty ? String(word) : line + " " + word
            if line.isEmpty || DisplayWidth.columns(of: longer) <= columns {
                line = longer
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
