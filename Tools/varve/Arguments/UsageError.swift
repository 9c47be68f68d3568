/// A command line that cannot be understood.
enum UsageError: Error, Hashable, Sendable {
    case noCommand
    case unknownCommand(String, suggestion: String?)
    case unknownOption(String, suggestion: String?)
    case ambiguousOption(String, candidates: [String])
    case missingValue(option: String)
    case unexpectedValue(option: String)
    case invalidValue(option: String, value: String, expected: String)
    case invalidOperand(name: String, value: String, expected: String)
    case missingOperand(String)
    case missingOption(String)
    case extraOperand(String)
}

extension UsageError: CustomStringConvertible {
    var description: String {
        switch self {
        case .noCommand: "no command given"
        case .unknownCommand(let name, let suggestion):
            "unknown command '\(name)'" + Self.question(suggestion)
        case .unknownOption(let option, let suggestion):
            "unknown option '\(option)'" + Self.question(suggestion)
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
        }
    }

    private static func question(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean '\($0)'?" } ?? ""
    }
}
