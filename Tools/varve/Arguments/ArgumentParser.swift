/// Parses a command line by the conventions of GNU programs: options may come anywhere before
/// `--`, long ones may be shortened to what is unambiguous, values follow as `--limit=5`,
/// `--limit 5`, `-n5` or `-n 5`, and letters without values may be joined.
struct ArgumentParser {
    private let options: [OptionDefinition]
    private let stopsAtOperand: Bool
    private var rest: ArraySlice<String>
    private var parsed = ParsedArguments()

    /// Takes all arguments apart.
    static func parse(
        _ arguments: ArraySlice<String>, options: [OptionDefinition]
    ) throws(UsageError) -> ParsedArguments {
        var parser = ArgumentParser(options, arguments, stopsAtOperand: false)
        try parser.run()
        return parser.parsed
    }

    /// Takes the options in front of the first operand. The rest begins with that operand.
    static func parseLeading(
        _ arguments: ArraySlice<String>, options: [OptionDefinition]
    ) throws(UsageError) -> LeadingArguments {
        var parser = ArgumentParser(options, arguments, stopsAtOperand: true)
        try parser.run()
        return LeadingArguments(parsed: parser.parsed, rest: parser.rest)
    }

    private init(
        _ options: [OptionDefinition], _ arguments: ArraySlice<String>, stopsAtOperand: Bool
    ) {
        self.options = options
        self.stopsAtOperand = stopsAtOperand
        rest = arguments
    }

    private mutating func run() throws(UsageError) {
        while let argument = rest.first {
            if argument == "--" {
                rest.removeFirst()
                return takeOperands()
            }
            // A single dash is an operand by convention.
            let isOption = argument.hasPrefix("-") && argument != "-"
            if !isOption && stopsAtOperand { return }
            rest.removeFirst()
            if argument.hasPrefix("--") {
                try parseLong(argument.dropFirst(2))
            } else if isOption {
                try parseShort(argument.dropFirst())
            } else {
                parsed.add(operand: argument)
            }
        }
    }

    private mutating func takeOperands() {
        guard !stopsAtOperand else { return }
        for operand in rest { parsed.add(operand: operand) }
        rest = []
    }

    // MARK: Long options

    private mutating func parseLong(_ text: Substring) throws(UsageError) {
        // By scalars: a value may begin with a mark that combines with the sign.
        let end = text.unicodeScalars.firstIndex(of: "=")
        let option = try option(named: String(text.unicodeScalars[..<(end ?? text.endIndex)]))
        let value = end.map { String(text.unicodeScalars[$0...].dropFirst()) }
        guard option.takesValue else {
            guard value == nil else { throw .unexpectedValue(option: "--" + option.name) }
            return parsed.add(option)
        }
        if let value { return parsed.add(option, value: value) }
        parsed.add(option, value: try nextValue(of: "--" + option.name))
    }

    private func option(named name: String) throws(UsageError) -> OptionDefinition {
        if let exact = options.first(where: { $0.name == name }) { return exact }
        let candidates = name.isEmpty ? [] : options.filter { $0.name.hasPrefix(name) }
        if candidates.count == 1 { return candidates[0] }
        guard candidates.isEmpty else {
            throw .ambiguousOption("--" + name, candidates: candidates.map { "--" + $0.name })
        }
        let suggestion = Spelling.nearest(to: name, among: options.map(\.name))
        throw .unknownOption("--" + name, suggestion: suggestion.map { "--" + $0 })
    }

    private mutating func nextValue(of option: String) throws(UsageError) -> String {
        guard let value = rest.popFirst() else { throw .missingValue(option: option) }
        return value
    }

    // MARK: Short options

    private mutating func parseShort(_ letters: Substring) throws(UsageError) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.letter == letter }) else {
                throw .unknownOption("-\(letter)", suggestion: nil)
            }
            guard option.takesValue else {
                parsed.add(option)
                continue
            }
            // The rest of the argument is the value.
            let value = letters.isEmpty ? try nextValue(of: "-\(letter)") : String(letters)
            return parsed.add(option, value: value)
        }
    }
}
