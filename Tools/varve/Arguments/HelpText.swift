/// The help of the program and of its commands.
enum HelpText {
    /// What a terminal has at least.
    private static let columns = 80

    /// What the program is for.
    static let purpose = """
        Shows what is in a Varve store, without the program that wrote it. All but
        'compact', 'import', 'undo', 'redo' and 'restore' take no lock and leave the
        store alone, so they may run beside a writer; 'salvage' asks that there be none.
        """

    static func program(_ commands: [CommandDefinition]) -> String {
        """
        Usage: \(Tool.name) COMMAND [OPTION]... STORE [ARGUMENT]...

        \(purpose)

        Commands:
        \(list(commands.map { ($0.name, $0.summary) }))

        Options:
        \(list(CommandDefinition.common.map { (invocation(of: $0), $0.help) }))

        Exit status: 0 when all is well, 1 for damage and for what cannot be read or
        is not there, 2 for a command line that cannot be understood.

        '\(Tool.name) help COMMAND' explains a command, and '\(Tool.name) help TOPIC' one of these:
        \(list(HelpTopic.all.map { ($0.name, $0.summary) }))

        """
    }

    static func topic(_ topic: HelpTopic) -> String {
        "\(topic.name.replacing("-", with: " ")): \(topic.summary)\n\n\(filled(topic.text))\n"
    }

    static func command(_ command: CommandDefinition) -> String {
        var text = """
            Usage: \(Tool.name) \(command.usage)

            \(filled(command.description))

            Operands:
            \(list(command.operands.map { ($0.name, $0.help) }))

            Options:
            \(list(command.allOptions.map { (invocation(of: $0), $0.help) }))

            """
        if !command.examples.isEmpty {
            let lines = command.examples.map { "  \(Tool.name) \($0)\n" }
            text += "\nExamples:\n" + lines.joined()
        }
        return text
    }

    private static func invocation(of option: OptionDefinition) -> String {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        return letter + "--" + option.name + (option.valueName.map { "=" + $0 } ?? "")
    }

    static func filled(_ text: String) -> String {
        FilledText.lines(of: text, columns: columns).joined(separator: "\n")
    }

    /// Two columns; further lines of an explanation are aligned with its first.
    private static func list(_ entries: [(name: String, text: String)]) -> String {
        let width = entries.map(\.name.count).max() ?? 0
        let indentation = String(repeating: " ", count: width + 4)
        return entries.map { name, text in
            let padding = String(repeating: " ", count: width - name.count)
            let lines = FilledText.lines(of: text, columns: columns - width - 4)
            return "  " + name + padding + "  " + lines.joined(separator: "\n" + indentation)
        }.joined(separator: "\n")
    }
}
