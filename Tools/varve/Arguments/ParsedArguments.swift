/// A command line taken apart: options with their values, and operands.
struct ParsedArguments: Sendable {
    /// The values of each option in their order; an empty text for each use of one without.
    private var values: [String: [String]] = [:]
    private(set) var operands: [String] = []
    /// The zone of times without an offset.
    var zone = ReaderZone.utc

    mutating func add(_ option: OptionDefinition, value: String = "") {
        values[option.name, default: []].append(value)
    }

    mutating func add(operand: String) { operands.append(operand) }

    /// Puts options that were given earlier in front of these.
    mutating func prepend(_ earlier: ParsedArguments) {
        values.merge(earlier.values) { own, other in other + own }
    }

    func has(_ option: OptionDefinition) -> Bool { values[option.name] != nil }

    /// The value of an option; of several, the last counts.
    func value(of option: OptionDefinition) -> String? { values[option.name]?.last }

    /// All values of an option that may be given several times.
    func values(of option: OptionDefinition) -> [String] { values[option.name] ?? [] }

    /// Throws unless there are as many operands as the command takes.
    func checkOperands(_ definitions: [OperandDefinition]) throws(UsageError) {
        if operands.count > definitions.count, !definitions.contains(where: \.isRepeated) {
            throw .extraOperand(operands[definitions.count])
        }
        for (definition, operand) in zip(definitions, operands)
        where definition.isWord && operand != definition.name {
            let word = "the word '\(definition.name)'"
            // Where it is left out, the next operand has its place.
            if operands.count < definitions.count(where: \.isRequired) {
                throw .missingOperand("\(word) before '\(operand)'")
            }
            throw .invalidOperand(name: definition.name, value: operand, expected: word)
        }
        for definition in definitions.dropFirst(operands.count) where definition.isRequired {
            throw .missingOperand(definition.name)
        }
    }
}

/// What comes before the first operand, and the rest from that operand on.
struct LeadingArguments: Sendable {
    let parsed: ParsedArguments
    let rest: ArraySlice<String>
}
