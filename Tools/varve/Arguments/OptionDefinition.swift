/// An option that a command takes.
struct OptionDefinition: Hashable, Sendable {
    /// Without the dashes: `limit` for `--limit`.
    let name: String
    /// The short form: `n` for `-n`.
    var letter: Character?
    /// What the value is called in the help; nil for an option without a value.
    var valueName: String?
    let help: String
    /// The values that there are, where there are few.
    var choices: [String] = []

    var takesValue: Bool { valueName != nil }
}

/// An argument that is no option.
struct OperandDefinition: Hashable, Sendable {
    /// In capitals, as the help shows it.
    let name: String
    var isRequired = true
    let help: String
    /// Whether any number of arguments may stand there: of one operand alone.
    var isRepeated = false
    /// Whether its name is the one word that may stand there.
    var isWord = false
}
