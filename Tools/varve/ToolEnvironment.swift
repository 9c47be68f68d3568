import Foundation
package import VarveInspection

/// Everything that the program takes from outside besides its arguments and the store, so that a
/// test can run it without a process.
package struct ToolEnvironment {
    package var output: any OutputSink
    package var errors: any OutputSink
    /// The environment's variables.
    package var variables: [String: String]
    package var now: Moment
    /// The columns of the terminal that the output goes to; nil when it goes elsewhere.
    package var terminalWidth: Int?
    /// Lets a moment pass, for commands that go on until they are interrupted. False once they are.
    package var pause: () -> Bool

    package init(
        output: any OutputSink, errors: any OutputSink, variables: [String: String] = [:],
        now: Moment, terminalWidth: Int? = nil, pause: @escaping () -> Bool = { false }
    ) {
        self.output = output
        self.errors = errors
        self.variables = variables
        self.now = now
        self.terminalWidth = terminalWidth
        self.pause = pause
    }

    /// The environment of this process.
    static func current() -> ToolEnvironment {
        let variables = ProcessInfo.processInfo.environment
        let now = (Date().timeIntervalSince1970 * 1_000_000).rounded()
        return ToolEnvironment(
            output: FileSink(descriptor: STDOUT_FILENO),
            errors: FileSink(descriptor: STDERR_FILENO),
            variables: variables, now: Moment(microseconds: Int64(exactly: now) ?? 0),
            terminalWidth: terminalWidth(variables), pause: Interruption.pause)
    }

    private static func terminalWidth(_ variables: [String: String]) -> Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        if let columns = variables["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
