import VarveInspection
import VarveText

/// `varve completion`: what a shell reads to complete command lines.
struct CompletionCommand: Command {
    static let definition = CommandDefinition(
        name: "completion",
        summary: "what bash, zsh or fish reads to complete command lines",
        description: """
            Writes a script for a shell, which then completes commands, options, and the types,
            ids and transactions of the store that the line names. Tools/install puts the scripts
            where shells find them. For one session:

              bash, zsh:  source <(varve completion bash)
              fish:       varve completion fish | source
            """,
        operands: [OperandDefinition(name: "SHELL", help: "bash, zsh or fish")],
        examples: [
            "completion bash > ~/.local/share/bash-completion/completions/varve",
            "completion fish > ~/.config/fish/completions/varve.fish",
        ])

    private let script: CompletionScript

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        let name = arguments.operands[0]
        guard let script = CompletionScript.all.first(where: { $0.shell == name }) else {
            throw .invalidOperand(name: "SHELL", value: name, expected: "bash, zsh or fish")
        }
        self.script = script
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try session.writeText(script.text)
        return .success
    }
}

/// Prints the words that may end a command line, for the scripts. Not in the help.
struct CompleteCommand: Command {
    static let name = "__complete"

    static let definition = CommandDefinition(
        name: name, summary: "the words that may end a command line",
        description: "For the scripts of 'varve completion'.",
        operands: [
            OperandDefinition(name: "SHELL", help: "bash, zsh or fish"),
            OperandDefinition(
                name: "WORD", isRequired: false, help: "the line for bash, else its words",
                isRepeated: true),
        ], isLive: true)

    private let isBash: Bool
    private let line: ShellLine
    private let words: [String]
    private let now: Moment

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        isBash = arguments.operands[0] == "bash"
        let words = Array(arguments.operands.dropFirst())
        line = ShellLine(isBash ? words.first ?? "" : "")
        self.words = isBash ? Array(line.words.dropFirst()) + [line.last] : words
        self.now = now
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let completer = Completer(variables: session.variables, now: now)
        switch completer.completion(of: words) {
        case .directories: try session.writeText("directories\n")
        case .files: try session.writeText("files\n")
        case .values(let candidates):
            try session.writeText("values\n" + (isBash ? line.written + "\n" : ""))
            for candidate in candidates { try write(candidate, in: session) }
        }
        return .success
    }

    private func write(
        _ candidate: Completer.Candidate, in session: Session
    ) throws(ToolFailure) {
        // A line holds one word, and a terminal shows it.
        guard candidate.value.escapedForDisplay == candidate.value else { return }
        if isBash {
            guard let value = line.completion(candidate.value) else { return }
            try session.writeText(value + "\n")
        } else {
            let help = candidate.help.escapedForDisplay
            try session.writeText(candidate.value + (help.isEmpty ? "" : "\t" + help) + "\n")
        }
    }
}
