import Foundation
import VarveInspection

/// A condition on the result of a query: `count > 5`, `sum(price) >= 100`, `title == "Plans"`.
struct ResultCondition: Sendable {
    static let expected =
        "a comparison (== != < <= > >=) of count, or of a column of a result with one row, with a number or a text in quotes: 'count > 5'"

    private enum Comparison: String, CaseIterable {
        case equal = "=="
        case unequal = "!="
        case atMost = "<="
        case atLeast = ">="
        case less = "<"
        case greater = ">"

        func holds<Value: Comparable>(_ first: Value, _ second: Value) -> Bool {
            switch self {
            case .equal: first == second
            case .unequal: first != second
            case .atMost: first <= second
            case .atLeast: first >= second
            case .less: first < second
            case .greater: first > second
            }
        }
    }

    private enum Operand {
        case number(Double)
        case text(String)
    }

    let text: String
    private let column: String
    private let comparison: Comparison
    private let operand: Operand

    /// Nil where the text is no condition.
    init?(_ text: String) {
        // The signs of two characters come first.
        for comparison in Comparison.allCases {
            guard let range = text.range(of: comparison.rawValue) else { continue }
            let column = text[..<range.lowerBound].trimmed
            guard !column.isEmpty, let operand = Self.operand(text[range.upperBound...].trimmed)
            else { return nil }
            self.text = text
            (self.column, self.comparison, self.operand) = (column, comparison, operand)
            return
        }
        return nil
    }

    private static func operand(_ text: String) -> Operand? {
        if let number = Double(text) { return .number(number) }
        guard text.count >= 2, let quote = text.first, quote == "\"" || quote == "'",
            text.last == quote
        else { return nil }
        return .text(String(text.dropFirst().dropLast()))
    }

    /// What is wrong where a result has these columns; nil where nothing is.
    func problem(with columns: [String]) -> String? {
        guard column != "count", !columns.contains(column) else { return nil }
        return "count, or a column of the result: " + columns.joined(separator: ", ")
    }

    /// False where the result has not one row, or its value is of another kind.
    func holds(for result: QueryAnswer) -> Bool {
        if let position = result.columns.firstIndex(of: column) {
            return result.rows.count == 1 && holds(for: result.rows[0][position])
        }
        guard column == "count", case .number(let number) = operand else { return false }
        return comparison.holds(Double(result.rows.count), number)
    }

    private func holds(for cell: QueryCell) -> Bool {
        switch operand {
        case .number(let number):
            Double(cell.json).map { comparison.holds($0, number) } ?? false
        case .text(let text): !cell.isNull && comparison.holds(ValueText.cell(of: cell), text)
        }
    }
}

extension Substring {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
