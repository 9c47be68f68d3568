/// What `--help` and `--version` print.
enum HelpText {
    static let version = "\(Program.name) (Varve) \(Program.version)\n"

    static var program: String {
        let column = CommandName.allCases.map { heading($0).count }.max() ?? 0
        let commands = CommandName.allCases.map { command in
            let heading = heading(command)
            let padding = String(repeating: " ", count: column - heading.count)
            return TextLayout.wrapped(command.summary, width: 72 - column)
                .enumerated().map { position, line in
                    position == 0
                        ? "  \(heading)\(padding)  \(line)"
                        : String(repeating: " ", count: column + 4) + line
                }.joined(separator: "\n")
        }
        return """
            Usage: \(Program.name) --store=PATH [--json] COMMAND [OPERAND…]
            Keep Debian's package index as a persistent graph and ask it questions.

            Commands:
            \(commands.joined(separator: "\n"))

            Options:
              --store=PATH   the directory of the store
              --json         print JSON
              --help         print this help, or a command's when one is given
              --version      print the version

            \(exitStatus)

            """
    }

    static func command(_ command: CommandName) -> String {
        """
        Usage: \(Program.name) --store=PATH [--json] \(heading(command))
        \(sentence(command.summary))

        \(command.details)

        """
    }

    static let exitStatus = """
        Exit status:
          0  success
          1  failure, or what was asked for is not there
          2  the command line is wrong
          3  the import is complete but for malformed stanzas, which were skipped
        """

    private static func heading(_ command: CommandName) -> String {
        command.operands.isEmpty ? command.rawValue : "\(command.rawValue) \(command.operands)"
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
