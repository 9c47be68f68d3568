internal import VarveText

/// Comma-separated values as RFC 4180 has them. Nothing between two commas is null, a pair of quotation marks an
/// empty text.
package enum CSVText {
    package static func line(_ cells: [String?]) -> String {
        cells.map { $0.map(cell) ?? "" }.joined(separator: ",")
    }

    private static func cell(_ text: String) -> String {
        let isPlain = !text.isEmpty && !text.unicodeScalars.contains(where: needsQuotes)
        return isPlain ? text : "\"" + text.doubling("\"") + "\""
    }

    /// A comma, a quotation mark, a control, or what ends a line.
    private static func needsQuotes(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ",", "\"", "\0"..<" ", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    /// A value of a result: a text as it is, null as nothing, every other one as JSON.
    package static func cell(of cell: QueryCell) -> String? {
        if case .string(let text) = QueryValue.plain(cell.content) { return text }
        return cell.isNull ? nil : cell.json.withoutQuotationMarks
    }

    /// A stored value: texts as they are, null as nothing, all others as JSON.
    static func cell(of value: StoredValue) -> String? {
        if let text = plainText(value.content, as: value.type) { return text }
        if case .optional(nil) = value.content, !isNestedOptional(value.type) { return nil }
        var text = ""
        ExchangedValue.write(value, into: &text)
        guard isText(value.type), text.utf8.first == 0x22 else { return text }
        // Dates and data have nothing to escape.
        if case .string(let plain) = QueryValue.plain(value.content) { return plain }
        return text.withoutQuotationMarks
    }

    /// Whether a cell of such a column is a text and not JSON.
    static func isText(_ type: StoredType) -> Bool {
        switch type {
        case .string, .text, .uuid, .url, .data, .date: true
        case .optional(let wrapped) where SQLValue.isNullable(wrapped): false
        case .optional(let wrapped), .raw(_, let wrapped): isText(wrapped)
        case .enumeration(_, let cases): cases.allSatisfy { $0.payload.isEmpty }
        default: false
        }
    }

    private static func plainText(_ content: StoredContent, as type: StoredType) -> String? {
        switch (type, content) {
        case (.raw(_, let raw), _): plainText(content, as: raw)
        case (.string, .string(let text)), (.text, .string(let text)): text
        case (.optional(let wrapped), _) where SQLValue.isNullable(wrapped): nil
        case (.optional(let wrapped), .optional(let value?)): plainText(value, as: wrapped)
        default: nil
        }
    }

    private static func isNestedOptional(_ type: StoredType) -> Bool {
        switch type {
        case .optional(let wrapped): SQLValue.isNullable(wrapped)
        case .raw(_, let raw): isNestedOptional(raw)
        default: false
        }
    }
}
