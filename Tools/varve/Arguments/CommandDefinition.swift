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
}

extension CommandDefinition {
    static let help = OptionDefinition(name: "help", letter: "h", help: "show this help and exit")
    static let version = OptionDefinition(
        name: "version", letter: "V", help: "show the version and exit")
    static let json = OptionDefinition(
        name: "json", letter: "j", help: "write JSON, one object on each line")
    static let color = OptionDefinition(
        name: "color", valueName: "WHEN", help: "use colours: auto (the default), always or never")
    static let full = OptionDefinition(
        name: "full", letter: "f", help: "do not shorten texts to the width of the terminal")

    /// The options of every command, which may also come before its name.
    static let common = [json, color, help, version]

    /// Its own options, then the common ones.
    var allOptions: [OptionDefinition] { options + Self.common }

    /// `Usage: varve show [OPTION]... STORE TXN`, without the first two words.
    var usage: String {
        let operands = operands.map { $0.isRequired ? $0.name : "[\($0.name)]" }
        return ([name, "[OPTION]..."] + operands).joined(separator: " ")
    }
}
