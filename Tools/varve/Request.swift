import VarveInspection

/// What a command line asks for: a command with its arguments, or the help or version of the program.
struct Request {
    /// Nil for the program itself.
    private let command: (any Command.Type)?
    private let arguments: ParsedArguments

    init(_ arguments: ArraySlice<String>) throws(ToolFailure) {
        let leading = try Self.usage(of: nil) { () throws(UsageError) in
            try ArgumentParser.parseLeading(arguments, options: CommandDefinition.common)
        }
        guard let name = leading.rest.first else {
            (command, self.arguments) = (nil, leading.parsed)
            return
        }
        guard let command = Tool.command(named: name) else {
            let known = Tool.commands.map { $0.definition.name }
            let suggestion = Spelling.nearest(to: name, among: known)
            throw .usage(.unknownCommand(name, suggestion: suggestion), command: nil)
        }
        var parsed = try Self.usage(of: name) { () throws(UsageError) in
            try ArgumentParser.parse(
                leading.rest.dropFirst(), options: command.definition.allOptions)
        }
        parsed.prepend(leading.parsed)
        self.command = command
        self.arguments = parsed
    }

    // MARK: What surrounds the output

    private var isLive: Bool { command?.definition.isLive ?? false }

    /// The environment with a pager between the program and the terminal, where the reader wants one.
    ///
    /// - Parameter meter: ends with the start of the pager, which has the screen from then on.
    func paged(_ environment: ToolEnvironment, _ meter: ProgressMeter) -> ToolEnvironment {
        guard let columns = environment.terminalWidth, let rows = environment.terminalHeight,
            !isLive, !arguments.has(CommandDefinition.noPager),
            let pager = PagerProcess.command(environment.variables)
        else { return environment }
        var paged = environment
        let start = environment.startPager
        paged.output = PagingSink(
            terminal: environment.output, columns: columns, rows: rows,
            startPager: {
                meter.finish()
                return start(pager)
            })
        return paged
    }

    func meter(in environment: ToolEnvironment) -> ProgressMeter {
        guard !isLive else { return .silent }
        let meter = ProgressMeter(
            output: environment.errors, width: environment.errorsWidth,
            elapsed: environment.elapsed)
        if environment.hasTimer { meter.startTicking() }
        return meter
    }

    // MARK: Running

    func perform(
        in environment: ToolEnvironment, _ meter: ProgressMeter
    ) throws(ToolFailure) -> ExitStatus {
        if arguments.has(CommandDefinition.help) {
            try write(help, to: environment.output)
        } else if arguments.has(CommandDefinition.version) {
            try write("\(Tool.name) \(Tool.version)\n", to: environment.output)
        } else if let command {
            return try run(command, in: environment, meter)
        } else {
            throw .usage(.noCommand, command: nil)
        }
        return .success
    }

    private var help: String {
        command.map { HelpText.command($0.definition) }
            ?? HelpText.program(Tool.commands.map { $0.definition })
    }

    private func run(
        _ command: any Command.Type, in environment: ToolEnvironment, _ meter: ProgressMeter
    ) throws(ToolFailure) -> ExitStatus {
        let definition = command.definition
        let session = try Self.usage(of: definition.name) { () throws(UsageError) in
            try Session(arguments, environment, progress: meter)
        }
        let prepared = try Self.usage(of: definition.name) { () throws(UsageError) in
            try arguments.checkOperands(definition.operands)
            var arguments = arguments
            arguments.zone = session.zone
            return try command.init(arguments, now: environment.now)
        }
        return try prepared.run(in: session)
    }

    private static func usage<Result>(
        of command: String?, _ body: () throws(UsageError) -> Result
    ) throws(ToolFailure) -> Result {
        do throws(UsageError) {
            return try body()
        } catch {
            throw .usage(error, command: command)
        }
    }

    private func write(_ text: String, to sink: any OutputSink) throws(ToolFailure) {
        do throws(OutputFailure) {
            try sink.write(text)
        } catch {
            throw .output(error)
        }
    }
}
