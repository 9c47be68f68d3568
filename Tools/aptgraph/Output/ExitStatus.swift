/// What the program's exit status says; the help text lists the same.
enum ExitStatus: Int32, Sendable {
    case success = 0
    /// It failed, or what was asked for is not there.
    case failure = 1
    /// The command line is wrong.
    case usage = 2
    /// The import is complete but for malformed stanzas, which were skipped.
    case stanzasSkipped = 3
    /// Whoever read the output closed it: what a shell reports for a program ended by SIGPIPE.
    case outputClosed = 141
}
