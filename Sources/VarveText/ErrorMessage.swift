/// What an error says to people, in two parts, so that a line of a log and a window of an app show the one text.
///
/// Both parts are escaped for display: they may hold names and values that came from a file.
package struct ErrorMessage: Hashable, Sendable {
    /// What happened.
    package let reason: String
    /// What to do next; nil where that depends on what the caller was about to do.
    package let suggestion: String?

    /// A message with a suggestion or without one.
    package init(_ reason: String, _ suggestion: String? = nil) {
        self.reason = reason.escapedForDisplay
        self.suggestion = suggestion?.escapedForDisplay
    }

    /// A message about several things, each with a line that is escaped by itself.
    package init(lines: [String], _ suggestion: String) {
        reason = lines.joined(separator: "\n")
        self.suggestion = suggestion
    }

    /// Both parts; the suggestion is behind the last semicolon.
    package var text: String { suggestion.map { "\(reason); \($0)" } ?? reason }
}
