import VarveInspection
import VarveText

/// A command line that cannot be understood.
enum UsageError: Error, Hashable, Sendable {
    case noCommand
    case unknownCommand(String, suggestion: String?)
    case unknownTopic(String, suggestion: String?)
    case unknownOption(String, suggestion: String?)
    case ambiguousOption(String, candidates: [String])
    case missingValue(option: String)
    case unexpectedValue(option: String)
    case invalidValue(option: String, value: String, expected: String)
    case invalidOperand(name: String, value: String, expected: String)
    case missingOperand(String)
    case missingOption(String)
    case extraOperand(String)
    /// Options of which one command line takes one.
    case conflictingOptions([String])
    /// A query that cannot be understood, with its text.
    case query(QueryError, text: String)
}

extension UsageError: CustomStringConvertible {
    var description: String {
        switch self {
        case .noCommand: "no command given"
        case .unknownCommand(let name, let suggestion):
            "unknown command '\(name)'" + Spelling.question(suggestion)
        case .unknownTopic(let name, let suggestion):
            "there is no help on '\(name)'" + Spelling.question(suggestion)
        case .unknownOption(let option, let suggestion):
            "unknown option '\(option)'" + Spelling.question(suggestion)
        case .ambiguousOption(let option, let candidates):
            "option '\(option)' is ambiguous: " + candidates.joined(separator: ", ")
        case .missingValue(let option): "option '\(option)' needs a value"
        case .unexpectedValue(let option): "option '\(option)' takes no value"
        case .invalidValue(let option, let value, let expected):
            "'\(value)' is no value of '\(option)': it takes \(expected)"
        case .invalidOperand(let name, let value, let expected):
            "'\(value)' is no \(name): it is \(expected)"
        case .missingOperand(let name): "\(name) is missing"
        case .missingOption(let option): "the option '\(option)' is missing"
        case .extraOperand(let operand): "extra operand '\(operand)'"
        case .conflictingOptions(let options):
            options.joined(separator: " and ") + " are alternatives: give one of them"
        case .query(let error, _):
            "the query, column \(error.place.lowerBound + 1): \(error)" + meant(error)
        }
    }

    /// The text of the query, with marks below what the error is about.
    var excerpt: String? {
        guard case .query(let error, let text) = self else { return nil }
        let characters = text.map { String($0).escapedForDisplay }
        func width(_ parts: ArraySlice<String>) -> Int {
            parts.reduce(0) { $0 + DisplayWidth.columns(of: $1) }
        }
        let place = error.place.clamped(to: 0..<characters.count)
        return "  " + characters.joined() + "\n  "
            + String(repeating: " ", count: width(characters[..<error.place.lowerBound]))
            + String(repeating: "^", count: max(1, width(characters[place])))
    }

    private func meant(_ error: QueryError) -> String {
        switch error.problem {
        case .noSuchType(let name, let known), .noSuchProperty(let name, _, let known),
            .noSuchPropertyBesideText(let name, _, let known):
            Spelling.question(Spelling.nearest(to: name, among: known))
        default: ""
        }
    }
}
