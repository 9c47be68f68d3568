/// The manual page, as `man` reads it: made of what commands say about themselves.
struct ManualPage {
    private static let date = "2026-11-26"

    let commands: [CommandDefinition]

    var text: String {
        let name = Tool.name
        var page = """
            .TH \(name.uppercased()) 1 \(Self.date) "\(name) \(Tool.version)" "User Commands"
            .SH NAME
            \(name) \\- shows what is in a Varve store, and changes it with care
            .SH SYNOPSIS
            .B \(name)
            \\fICOMMAND\\fR [\\fIOPTION\\fR]... \\fISTORE\\fR [\\fIARGUMENT\\fR]...
            .SH DESCRIPTION

            """
        page += Self.paragraphs(HelpText.purpose)
        page += ".SH COMMON OPTIONS\n" + Self.options(CommandDefinition.common)
        page += ".SH COMMANDS\n" + commands.map { Self.section($0) }.joined()
        for topic in HelpTopic.all {
            page += ".SH \(Self.escaped(topic.name.uppercased().replacing("-", with: " ")))\n"
            page += Self.paragraphs(topic.text)
        }
        page += ".SH SEE ALSO\n.BR git (1),\n.BR less (1),\n.BR sqlite3 (1)\n"
        return page
    }

    private static func section(_ command: CommandDefinition) -> String {
        var text = ".SS \(escaped(command.name))\n"
        text += ".B \(Tool.name)\n\(escaped(command.usage))\n.PP\n"
        text += paragraphs(command.description)
        for operand in command.operands {
            text += ".TP\n.I \(escaped(operand.name))\n\(lines(operand.help))"
        }
        text += options(command.options)
        if !command.examples.isEmpty {
            text += ".PP\nExamples:\n.PP\n"
            text += preformatted(command.examples.map { "  \(Tool.name) \($0)" })
        }
        return text
    }

    private static func options(_ options: [OptionDefinition]) -> String {
        options.map { option in
            let letter = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
            let value = option.valueName.map { "=\\fI\($0)\\fR" } ?? ""
            let name = "\\fB" + escaped("--" + option.name) + "\\fR"
            return ".TP\n" + letter + name + value + "\n" + lines(option.help)
        }.joined()
    }

    // MARK: Text

    /// Paragraphs, divided by empty lines; indented lines keep their form.
    private static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .split(separator: "", omittingEmptySubsequences: true)
            .map { paragraph in
                paragraph.allSatisfy { $0.hasPrefix("  ") }
                    ? preformatted(paragraph.map(String.init))
                    : mixed(paragraph.map(String.init))
            }
            .joined(separator: ".PP\n")
    }

    private static func mixed(_ paragraph: [String]) -> String {
        guard let start = paragraph.firstIndex(where: { $0.hasPrefix("  ") }) else {
            return lines(paragraph.joined(separator: "\n"))
        }
        return lines(paragraph[..<start].joined(separator: "\n"))
            + preformatted(Array(paragraph[start...]))
    }

    private static func preformatted(_ lines: [String]) -> String {
        ".nf\n" + lines.map { escaped($0) + "\n" }.joined() + ".fi\n"
    }

    private static func lines(_ text: String) -> String {
        text.split(separator: "\n").map { escaped(String($0)) + "\n" }.joined()
    }

    /// Without anything that roff would take for a command.
    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
}
