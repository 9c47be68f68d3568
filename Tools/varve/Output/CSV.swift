import VarveInspection

/// Comma-separated values as RFC 4180 writes them.
enum CSV {
    static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") }

    /// A text as it is, null as nothing, every other value as its JSON.
    static func text(_ cell: QueryCell) -> String {
        if case .string(let text) = cell.content { return text }
        return cell.isNull ? "" : cell.json.trimmingQuotes
    }

    private static func quoted(_ cell: String) -> String {
        let isPlain = !cell.contains { $0 == "," || $0 == "\"" || $0.isNewline }
        return isPlain ? cell : "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }
}

extension String {
    /// Dates and their like are texts in JSON.
    fileprivate var trimmingQuotes: String {
        count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
    }
}
