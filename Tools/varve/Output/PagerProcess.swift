import Foundation

/// A pager that shows what is written to it, as a process on the terminal of this one.
final class PagerProcess: OutputSink {
    private let text: FileSink

    /// What the handler of an interruption needs, which may not look into objects.
    private nonisolated(unsafe) static var process: pid_t = 0
    private nonisolated(unsafe) static var descriptor: Int32 = -1

    /// The pager that the variables name: `VARVE_PAGER`, `PAGER`, else `less`. Nil where they want none.
    static func command(_ variables: [String: String]) -> String? {
        let command = variables["VARVE_PAGER"] ?? variables["PAGER"] ?? "less"
        let isNone = command.allSatisfy(\.isWhitespace) || command == "cat"
        return isNone ? nil : command
    }

    /// Starts a command line in a shell. Nil where its program is not to be found.
    static func start(_ command: String, _ variables: [String: String]) -> PagerProcess? {
        guard process == 0, isThere(command, variables["PATH"] ?? "") else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        // The pager must not hold the writing end: it would wait for its own end of the text.
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        defer { close(ends[0]) }
        guard let process = spawn(command, input: ends[0], variables) else {
            close(ends[1])
            return nil
        }
        Self.process = process
        descriptor = ends[1]
        listenToInterruptions()
        return PagerProcess(descriptor: ends[1])
    }

    private init(descriptor: Int32) { text = FileSink(descriptor: descriptor) }

    func write(_ text: String) throws(OutputFailure) { try self.text.write(text) }

    func flush() throws(OutputFailure) { try text.flush() }

    /// Returns when the reader has left the pager.
    func finish() throws(OutputFailure) {
        var failure: OutputFailure?
        do throws(OutputFailure) {
            try text.flush()
        } catch {
            failure = error
        }
        Self.end()
        if let failure { throw failure }
    }

    // MARK: The process

    /// A name that the shell would have to look for is looked for here, so that a missing pager costs no output. What is
    /// more than a name is the shell's own matter.
    private static func isThere(_ command: String, _ path: String) -> Bool {
        let name = command.prefix { !$0.isWhitespace }
        if command.contains(where: { "|&;<>()$`\\\"'*?[#~=%".contains($0) }) { return true }
        if name.contains("/") { return access(String(name), X_OK) == 0 }
        return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    private static func spawn(
        _ command: String, input: Int32, _ variables: [String: String]
    ) -> pid_t? {
        var variables = variables
        // Ends where all is on one screen, passes colours on, and leaves the screen as it is.
        if variables["LESS"] == nil { variables["LESS"] = "FRX" }
        if variables["LV"] == nil { variables["LV"] = "-c" }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This process ignores a closed pipe, and a pager inherits that.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGINT, SIGQUIT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let arguments = Self.copies(["sh", "-c", command])
        let environment = Self.copies(variables.map { $0.key + "=" + $0.value })
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(
            &process, "/bin/sh", &actions, &attributes, arguments, environment)
        return code == 0 ? process : nil
    }

    /// Texts of C, with a null behind the last.
    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// An interruption is for the pager as long as there is one; when it has ended, this process ends too.
    private static func listenToInterruptions() {
        for number in [SIGINT, SIGQUIT, SIGTERM] {
            signal(number) { number in
                PagerProcess.end()
                _exit(128 + number)
            }
        }
    }

    /// Closes the pipe and waits for the process.
    private static func end() {
        guard process != 0 else { return }
        close(descriptor)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        process = 0
        for number in [SIGINT, SIGQUIT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
