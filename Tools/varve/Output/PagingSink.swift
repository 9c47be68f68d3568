import VarveText

/// Holds text back until there is more than a screen of it, and starts the pager then. What fits the screen is
/// written to the terminal itself.
final class PagingSink: OutputSink {
    private let terminal: any OutputSink
    private let columns: Int
    /// The rows that are left; the prompt of the shell takes one.
    private var room: Int
    private var pending = ""
    private let startPager: () -> (any OutputSink)?
    /// Where text goes once that is decided.
    private var target: (any OutputSink)?

    init(
        terminal: any OutputSink, columns: Int, rows: Int,
        startPager: @escaping () -> (any OutputSink)?
    ) {
        self.terminal = terminal
        self.columns = max(1, columns)
        self.startPager = startPager
        room = max(0, rows - 1)
    }

    func write(_ text: String) throws(OutputFailure) {
        if let target { return try target.write(text) }
        pending += text
        room -= rows(of: text)
        if room < 0 { try decide(startPager() ?? terminal) }
    }

    /// Decides for the terminal where the screen is not full: the caller wants the text to be seen now.
    func flush() throws(OutputFailure) {
        if target == nil { try decide(terminal) }
        try target?.flush()
    }

    func finish() throws(OutputFailure) {
        if target == nil { try decide(terminal) }
        try target?.finish()
    }

    private func decide(_ target: any OutputSink) throws(OutputFailure) {
        self.target = target
        let text = pending
        pending = ""
        if !text.isEmpty { try target.write(text) }
    }

    /// The rows of the screen that lines take, as a terminal breaks them.
    private func rows(of text: String) -> Int {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .reduce(0) { rows, line in
                let width = DisplayWidth.columns(of: Self.withoutColors(line))
                return rows + max(1, (width + columns - 1) / columns)
            }
    }

    /// Without the sequences that `StyledText` writes, from the escape to the letter `m`.
    private static func withoutColors(_ line: Substring) -> String {
        var text = ""
        var rest = line.unicodeScalars
        while let escape = rest.firstIndex(of: "\u{1B}") {
            text.unicodeScalars += rest[..<escape]
            rest = rest[escape...].drop { $0 != "m" }.dropFirst()
        }
        text.unicodeScalars += rest
        return text
    }
}
