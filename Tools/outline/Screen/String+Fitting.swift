import VarveText

extension String {
    /// The text with escapes for what would command the terminal, cut with an ellipsis where it takes more columns,
    /// and filled up with spaces where that is wanted.
    func fitted(to columns: Int, fills: Bool = false) -> String {
        let text = DisplayWidth.shortened(escapedForDisplay, to: columns)
        return fills ? DisplayWidth.padded(text, to: columns) : text
    }
}
