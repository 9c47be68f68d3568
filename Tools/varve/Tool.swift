import VarveText

/// The program `varve`: finds the command, runs it, and turns every failure into one line.
package enum Tool {
    static let name = "varve"
    static let version = "0.1.0"

    static let commands: [any Command.Type] = [
        InfoCommand.self, LogCommand.self, ShowCommand.self, CatCommand.self, VerifyCommand.self,
        SchemaCommand.self, DuCommand.self, ReportCommand.self,
        FollowCommand.self, QueryCommand.self, HistoryCommand.self, BlameCommand.self,
        DiffCommand.self,
        AtCommand.self, UndoCommand.self, RedoCommand.self, RestoreCommand.self,
        CompactCommand.self, BackupCommand.self, SalvageCommand.self, HexdumpCommand.self,
    ]

    /// Runs the program with its arguments, without its own name.
    package static func run(
        _ arguments: [String], in environment: ToolEnvironment
    ) -> ExitStatus {
        var status = ExitStatus.success
        do throws(ToolFailure) {
            status = try perform(arguments[...], in: environment)
            try flush(environment.output)
        } catch {
            return end(error, reached: status, in: environment)
        }
        return status
    }

    private static func perform(
        _ arguments: ArraySlice<String>, in environment: ToolEnvironment
    ) throws(ToolFailure) -> ExitStatus {
        let leading = try usage(of: nil) { () throws(UsageError) in
            try ArgumentParser.parseLeading(arguments, options: CommandDefinition.common)
        }
        guard let name = leading.rest.first else {
            return try runWithoutCommand(leading.parsed, in: environment)
        }
        guard let command = commands.first(where: { $0.definition.name == name }) else {
            let suggestion = Spelling.nearest(to: name, among: commands.map { $0.definition.name })
            throw .usage(.unknownCommand(name, suggestion: suggestion), command: nil)
        }
        let options = command.definition.allOptions
        var parsed = try usage(of: name) { () throws(UsageError) in
            try ArgumentParser.parse(leading.rest.dropFirst(), options: options)
        }
        parsed.prepend(leading.parsed)
        return try run(command, parsed, in: environment)
    }

    private static func runWithoutCommand(
        _ arguments: ParsedArguments, in environment: ToolEnvironment
    ) throws(ToolFailure) -> ExitStatus {
        if arguments.has(CommandDefinition.help) {
            try write(HelpText.program(commands.map { $0.definition }), to: environment.output)
        } else if arguments.has(CommandDefinition.version) {
            try write(versionLine, to: environment.output)
        } else {
            throw .usage(.noCommand, command: nil)
        }
        return .success
    }

    private static func run(
        _ command: any Command.Type, _ arguments: ParsedArguments,
        in environment: ToolEnvironment
    ) throws(ToolFailure) -> ExitStatus {
        let definition = command.definition
        if arguments.has(CommandDefinition.help) {
            try write(HelpText.command(definition), to: environment.output)
            return .success
        }
        if arguments.has(CommandDefinition.version) {
            try write(versionLine, to: environment.output)
            return .success
        }
        let session = try usage(of: definition.name) { () throws(UsageError) in
            try Session(arguments, environment)
        }
        let prepared = try usage(of: definition.name) { () throws(UsageError) in
            try arguments.checkOperands(definition.operands)
            return try command.init(arguments, now: environment.now)
        }
        return try prepared.run(in: session)
    }

    // MARK: Output and failures

    private static var versionLine: String { "\(name) \(version)\n" }

    private static func usage<Result>(
        of command: String?, _ body: () throws(UsageError) -> Result
    ) throws(ToolFailure) -> Result {
        do throws(UsageError) {
            return try body()
        } catch {
            throw .usage(error, command: command)
        }
    }

    private static func write(
        _ text: String, to sink: any OutputSink
    ) throws(ToolFailure) {
        do throws(OutputFailure) {
            try sink.write(text)
        } catch {
            throw .output(error)
        }
    }

    private static func flush(_ sink: any OutputSink) throws(ToolFailure) {
        do throws(OutputFailure) {
            try sink.flush()
        } catch {
            throw .output(error)
        }
    }

    /// Says what went wrong. `status` is what the command had come to.
    private static func end(
        _ failure: ToolFailure, reached status: ExitStatus, in environment: ToolEnvironment
    ) -> ExitStatus {
        switch failure {
        case .output(.closed): return status
        case .output(.failed(let reason)):
            complain("cannot write the output: \(reason)", in: environment)
            return .failure
        case .inspection(let error):
            // What was read before the error comes out before it.
            try? environment.output.flush()
            complain("\(error)", in: environment)
            return .failure
        case .usage(let error, let command):
            let help = ([name] + [command].compactMap { $0 }).joined(separator: " ") + " --help"
            complain(
                "\(error)", in: environment,
                hint: error.excerpt ?? "Try '\(help)' for more information.")
            return .usage
        }
    }

    private static func complain(
        _ message: String, in environment: ToolEnvironment, hint: String? = nil
    ) {
        let text =
            "\(name): \(message.escapedForDisplay)\n" + (hint.map { $0 + "\n" } ?? "")
        do {
            try environment.errors.write(text)
            try environment.errors.flush()
        } catch {
            // Standard error itself fails; the exit status reports the failure.
        }
    }
}
