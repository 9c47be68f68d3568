/// One row of the screen.
struct ScreenLine: Hashable, Sendable {
    /// How the row looks as a whole.
    enum Emphasis: Hashable, Sendable {
        case none
        /// The row that keys act on.
        case selected
        /// The title and the status: from edge to edge.
        case bar
        /// A bar that warns.
        case warning
        /// Titles of columns.
        case titles

        /// The escape sequence behind which the row is written.
        fileprivate func code(withColors: Bool) -> String {
            switch self {
            case .none: ""
            case .selected: "\u{1B}[7m"
            case .bar: withColors ? "\u{1B}[1;37;44m" : "\u{1B}[1;7m"
            case .warning: withColors ? "\u{1B}[1;37;41m" : "\u{1B}[1;7m"
            case .titles: "\u{1B}[4m"
            }
        }
    }

    private static let reset = "\u{1B}[0m"

    var text: StyledText
    var emphasis = Emphasis.none

    init(_ text: StyledText = StyledText(), _ emphasis: Emphasis = .none) {
        self.text = text
        self.emphasis = emphasis
    }

    /// The row in exactly `columns` cells or, without emphasis, at most that many.
    func rendered(columns: Int, withColors: Bool) -> String {
        let text = text.shortened(to: columns)
        guard emphasis != .none else {
            return text.rendered(withColors: withColors, attributes: true)
        }
        let padding = String(repeating: " ", count: max(0, columns - text.width))
        return emphasis.code(withColors: withColors) + text.plain + padding + Self.reset
    }
}
