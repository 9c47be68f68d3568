import VarveInspection
import VarveText

/// `varve help`: explains the program, a command or a topic, and writes the manual.
struct HelpCommand: Command {
    static let man = OptionDefinition(
        name: "man", help: "write the manual page, for 'man'")

    static let definition = CommandDefinition(
        name: "help",
        summary: "explain a command or a topic",
        description: """
            Explains the program, one of its commands, or a topic:

            \(HelpTopic.all.map { "  " + DisplayWidth.padded($0.name, to: 14) + $0.summary }.joined(separator: "\n"))
            """,
        operands: [
            OperandDefinition(
                name: "TOPIC", isRequired: false, help: "a command, or one of the topics above",
                isRepeated: true)
        ],
        options: [man], examples: ["help moments", "help log", "help --man | man -l -"])

    private let text: String

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        let topic = arguments.operands.joined(separator: " ")
        if arguments.has(Self.man) {
            text = ManualPage(commands: Tool.commands.map { $0.definition }).text
        } else if topic.isEmpty {
            text = HelpText.program(Tool.commands.map { $0.definition })
        } else if let command = Tool.command(named: topic) {
            text = HelpText.command(command.definition)
        } else if let topic = HelpTopic.named(topic) {
            text = HelpText.topic(topic)
        } else {
            let known = Tool.commands.map { $0.definition.name } + HelpTopic.all.map(\.name)
            throw .unknownTopic(topic, suggestion: Spelling.nearest(to: topic, among: known))
        }
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try session.writeText(text)
        return .success
    }
}
