/// What a command takes and what it is for: the source of its parsing and of its help.
struct CommandDefinition: Sendable {
    let name: String
    /// A few words, for the list of commands.
    let summary: String
    /// Sentences, for the command's own help. Lines are broken as they are to be shown.
    let description: String
    let operands: [OperandDefinition]
    var options: [OptionDefinition] = []
    /// Command lines, without the program's name.
    var examples: [String] = []
    /// Whether the command goes on until its reader ends it, who then sees no pager and no progress.
    var isLive = false
    /// Whether it can write JSON.
    var takesJSON = true
}

extension CommandDefinition {
    static let help = OptionDefinition(name: "help", letter: "h", help: "show this help and exit")
    static let version = OptionDefinition(
        name: "version", letter: "V", help: "show the version and exit")
    static let json = OptionDefinition(
        name: "json", letter: "j", help: "write JSON, one object on each line")
    static let color = OptionDefinition(
        name: "color", valueName: "WHEN", help: "use colours: auto (the default), always or never",
        choices: ["auto", "always", "never"])
    static let full = OptionDefinition(
        name: "full", letter: "f", help: "do not shorten texts to the width of the terminal")

    static let utc = OptionDefinition(
        name: "utc", help: "show times in UTC, not in the zone of the reader")
    static let noPager = OptionDefinition(
        name: "no-pager", help: "show all at once where it is longer than the screen")

    /// The options of every command, which may also come before its name.
    static let common = [json, color, utc, noPager, help, version]

    /// The operand that takes all further arguments.
    var repeatedOperand: OperandDefinition? {
        operands.last.flatMap { $0.isRepeated ? $0 : nil }
    }

    /// Its own options, then the common ones.
    var allOptions: [OptionDefinition] {
        options + Self.common.filter { takesJSON || $0 != Self.json }
    }

    /// `Usage: varve show [OPTION]... STORE TXN`, without the first two words.
    var usage: String {
        let operands = operands.map { operand in
            let name = operand.name + (operand.isRepeated ? "..." : "")
            return operand.isRequired ? name : "[\(name)]"
        }
        return ([name, "[OPTION]..."] + operands).joined(separator: " ")
    }
}
