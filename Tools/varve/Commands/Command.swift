import VarveInspection
import VarveText

/// One of the program's commands: it shows what the inspection returns.
protocol Command: Sendable {
    static var definition: CommandDefinition { get }

    /// Takes its operands, whose number was checked, and its own options.
    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError)

    func run(in session: Session) throws(ToolFailure) -> ExitStatus
}

extension OperandDefinition {
    static let store = OperandDefinition(name: "STORE", help: "the directory of the store")
}

/// How a command shows what it has found.
struct Session {
    let isJSON: Bool
    let hasColors: Bool
    /// Whether a person sees the output as it is written.
    let isTerminal: Bool
    /// The terminal can do nothing but show text, line by line.
    let isDumb: Bool
    /// The columns to keep to; nil for as many as needed.
    let width: Int?
    let now: Moment
    /// How times are shown.
    let zone: ReaderZone
    let progress: ProgressMeter
    /// The environment's variables.
    let variables: [String: String]
    /// Lets a moment pass; false where the program is to end.
    let pause: () -> Bool
    private let output: any OutputSink
    private let isPiped: Bool

    init(
        _ arguments: ParsedArguments, _ environment: ToolEnvironment,
        progress: ProgressMeter = .silent
    ) throws(UsageError) {
        isJSON = arguments.has(CommandDefinition.json)
        hasColors = try Self.hasColors(arguments, environment)
        isTerminal = environment.terminalWidth != nil
        isDumb = environment.variables["TERM"] == "dumb"
        width = arguments.has(CommandDefinition.full) ? nil : environment.terminalWidth
        now = environment.now
        zone = arguments.has(CommandDefinition.utc) ? .utc : environment.zone
        self.progress = progress
        variables = environment.variables
        output = environment.output
        isPiped = environment.isPiped
        pause = environment.pause
    }

    private static func hasColors(
        _ arguments: ParsedArguments, _ environment: ToolEnvironment
    ) throws(UsageError) -> Bool {
        switch arguments.value(of: CommandDefinition.color) ?? "auto" {
        case "always": return true
        case "never": return false
        case "auto":
            let variables = environment.variables
            return environment.terminalWidth != nil && (variables["NO_COLOR"] ?? "").isEmpty
                && variables["TERM"] != "dumb"
        case let other:
            throw .invalidValue(
                option: "--color", value: other, expected: "auto, always or never")
        }
    }

    /// Writes JSON on one line: to a terminal with escapes for what would command it, elsewhere as it is stored.
    func write(_ json: JSON) throws(ToolFailure) {
        try write(isTerminal ? json.line.escapedForDisplayAsJSON : json.line)
    }

    /// Writes a line, shortened to the width.
    func write(_ line: StyledText) throws(ToolFailure) {
        try write(line.shortened(to: width).rendered(withColors: hasColors))
    }

    /// Writes a line that is of no use when it is cut.
    func writeWhole(_ line: StyledText) throws(ToolFailure) {
        try write(line.rendered(withColors: hasColors))
    }

    func write(_ lines: [StyledText]) throws(ToolFailure) {
        for line in lines { try write(line) }
    }

    /// Writes a text of the program's own, which is safe as it is.
    func writeText(_ text: String) throws(ToolFailure) {
        // What reads a pipe may be a pager, which has the screen once it has something to show.
        if isPiped { progress.finish() } else { progress.erase() }
        do throws(OutputFailure) {
            try output.write(text)
        } catch {
            throw .output(error)
        }
    }

    /// Flushes the output, so that a person who watches it sees each line at once.
    func flush() throws(ToolFailure) {
        do throws(OutputFailure) {
            try output.flush()
        } catch {
            throw .output(error)
        }
    }

    /// Writes a line for other programs; to a terminal with escapes for what would command it.
    func writeLine(_ line: String) throws(ToolFailure) {
        try write(isTerminal ? line.escapedForDisplay : line)
    }

    private func write(_ line: String) throws(ToolFailure) { try writeText(line + "\n") }
}
