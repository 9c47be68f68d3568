import VarveText

/// Rows of cells in aligned columns. Wide columns give way where the terminal ends.
struct TextTable {
    struct Column {
        let title: String
        var alignsRight = false
        /// Whether the column may be cut, and no shorter than this.
        var widthMin: Int?
    }

    private static let gap = 2

    let columns: [Column]
    /// The columns of the terminal; nil for as many as needed.
    let limit: Int?
    /// As wide as the widest cell so far, so that what comes in several batches stays aligned.
    private var widths: [Int]

    init(_ columns: [Column], limit: Int?) {
        self.columns = columns
        self.limit = limit
        widths = columns.map { DisplayWidth.columns(of: $0.title) }
    }

    /// Lays rows out, behind their titles if these are wanted.
    mutating func lines(_ rows: [[StyledText]], withTitles: Bool = true) -> [StyledText] {
        for row in rows {
            for (position, cell) in row.enumerated() {
                widths[position] = max(widths[position], cell.width)
            }
        }
        let fitted = fittedWidths()
        let titles = withTitles ? [columns.map { StyledText($0.title, .faint) }] : []
        return (titles + rows).map { line($0, fitted) }
    }

    private func fittedWidths() -> [Int] {
        guard let limit else { return widths }
        var fitted = widths
        var excess = fitted.reduce(0, +) + Self.gap * (fitted.count - 1) - limit
        while excess > 0 {
            let flexible = columns.indices.filter { fitted[$0] > columns[$0].widthMin ?? .max }
            guard let widest = flexible.max(by: { fitted[$0] < fitted[$1] }) else { break }
            fitted[widest] -= 1
            excess -= 1
        }
        return fitted
    }

    private func line(_ row: [StyledText], _ widths: [Int]) -> StyledText {
        var line = StyledText()
        // Nothing follows the last cell that holds anything, so no line ends in spaces.
        let row = row.prefix(1 + (row.lastIndex { !$0.isEmpty } ?? -1))
        for (position, cell) in row.enumerated() {
            let isFlexible = columns[position].widthMin != nil
            let cell = isFlexible ? cell.shortened(to: widths[position]) : cell
            let padding = StyledText(
                String(repeating: " ", count: max(0, widths[position] - cell.width)))
            let isLast = position == row.count - 1
            let gap = StyledText(String(repeating: " ", count: Self.gap))
            if columns[position].alignsRight {
                line += padding + cell + (isLast ? StyledText() : gap)
            } else {
                line += cell + (isLast ? StyledText() : padding + gap)
            }
        }
        return line
    }
}
