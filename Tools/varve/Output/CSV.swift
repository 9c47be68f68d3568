import VarveInspection
import VarveText

/// Comma-separated values as RFC 4180 writes them.
enum CSV {
    static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") }

    /// A text as it is, null as nothing, every other value as its JSON.
    static func text(_ cell: QueryCell) -> String {
        if case .string(let text) = cell.content { return text }
        return cell.isNull ? "" : cell.json.trimmingQuotes
    }

    private static func quoted(_ cell: String) -> String {
        let isPlain = !cell.unicodeScalars.contains(where: needsQuotes)
        return isPlain ? cell : "\"" + cell.doubling("\"") + "\""
    }

    /// A comma, a quotation mark, or what ends a line.
    private static func needsQuotes(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ",", "\"", "\n"..."\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}

extension String {
    /// Dates and their like are texts in JSON.
    fileprivate var trimmingQuotes: String {
        count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
    }
}
