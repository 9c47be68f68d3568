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
    /// The rows of that terminal; nil for a terminal that is never full.
    package var terminalHeight: Int?
    /// Whether the output goes to another program, which may draw on the terminal itself.
    package var isPiped: Bool
    /// The columns of the terminal that errors go to; nil when they go elsewhere.
    package var errorsWidth: Int?
    /// The zone that times are shown in.
    package var zone: ReaderZone
    /// Starts a pager: a command line for the shell. Nil where it cannot be started.
    package var startPager: (String) -> (any OutputSink)?
    /// The time since some fixed moment, which never goes back.
    package var elapsed: @Sendable () -> Duration
    /// Whether progress is shown by a timer too.
    package var hasTimer: Bool
    /// Lets a moment pass, for commands that go on until they are interrupted. False once they are.
    package var pause: () -> Bool

    package init(
        output: any OutputSink, errors: any OutputSink, variables: [String: String] = [:],
        now: Moment, terminalWidth: Int? = nil, terminalHeight: Int? = nil,
        isPiped: Bool = false, errorsWidth: Int? = nil, zone: ReaderZone = .utc,
        startPager: @escaping (String) -> (any OutputSink)? = { _ in nil },
        elapsed: @escaping @Sendable () -> Duration = { .zero }, hasTimer: Bool = false,
        pause: @escaping () -> Bool = { false }
    ) {
        self.output = output
        self.errors = errors
        self.variables = variables
        self.now = now
        self.terminalWidth = terminalWidth
        self.terminalHeight = terminalHeight
        self.isPiped = isPiped
        self.errorsWidth = errorsWidth
        self.zone = zone
        self.startPager = startPager
        self.elapsed = elapsed
        self.hasTimer = hasTimer
        self.pause = pause
    }

    /// The environment of this process.
    static func current() -> ToolEnvironment {
        let variables = ProcessInfo.processInfo.environment
        let now = (Date().timeIntervalSince1970 * 1_000_000).rounded()
        let clock = ContinuousClock()
        let start = clock.now
        let size = terminalSize(of: STDOUT_FILENO, variables)
        return ToolEnvironment(
            output: FileSink(descriptor: STDOUT_FILENO),
            errors: FileSink(descriptor: STDERR_FILENO),
            variables: variables, now: Moment(microseconds: Int64(exactly: now) ?? 0),
            terminalWidth: size?.columns, terminalHeight: size?.rows,
            isPiped: isPipe(STDOUT_FILENO),
            errorsWidth: terminalSize(of: STDERR_FILENO, variables)?.columns,
            zone: .system(), startPager: { PagerProcess.start($0, variables) },
            elapsed: { clock.now - start }, hasTimer: true, pause: Interruption.pause)
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO || status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Of a terminal that does not say how large it is, 80 by 24.
    private static func terminalSize(
        of descriptor: Int32, _ variables: [String: String]
    ) -> (columns: Int, rows: Int)? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
        func dimension(_ variable: String, _ own: UInt16, _ usual: Int) -> Int {
            if let given = variables[variable].flatMap({ Int($0) }), given > 0 { return given }
            return isKnown && own > 0 ? Int(own) : usual
        }
        return (dimension("COLUMNS", size.ws_col, 80), dimension("LINES", size.ws_row, 24))
    }
}
