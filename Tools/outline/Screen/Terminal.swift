import Foundation

/// A terminal in the mode that a full screen needs: keys come one by one and unechoed, on a screen of
/// its own. Everything is as it was when ``leave()`` returns.
final class Terminal {
    private var former = termios()
    private var isEntered = false

    /// Set by signal handlers, which may do nothing else.
    private nonisolated(unsafe) static var hasToEnd: sig_atomic_t = 0
    private nonisolated(unsafe) static var isResized: sig_atomic_t = 0

    /// Whether standard input and output both are a terminal.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    func enter() throws {
        guard tcgetattr(STDIN_FILENO, &former) == 0 else {
            throw OutlineFailure("the terminal cannot be read")
        }
        var raw = former
        cfmakeraw(&raw)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else {
            throw OutlineFailure("the terminal cannot be set up")
        }
        isEntered = true
        for number in [SIGTERM, SIGHUP, SIGINT] {
            signal(number) { _ in Terminal.hasToEnd = 1 }
        }
        signal(SIGWINCH) { _ in Terminal.isResized = 1 }
        write("\u{1B}[?1049h")
    }

    func leave() {
        guard isEntered else { return }
        isEntered = false
        write("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
        _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
    }

    deinit { leave() }

    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            // A terminal that is gone shows nothing; reading from it ends the program.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// What came from outside.
    enum Input {
        case bytes([UInt8])
        /// Nothing within the time.
        case silence
        case resized
        /// The terminal is gone, or somebody asked the program to end.
        case end
    }

    /// Waits for input, at most so long; for ever where the time is negative.
    func read(milliseconds: Int32) -> Input {
        while true {
            if Self.hasToEnd != 0 { return .end }
            if Self.isResized != 0 {
                Self.isResized = 0
                return .resized
            }
            // Not for ever at once: a signal between the question and the wait would go unseen.
            let wait = milliseconds < 0 ? 500 : milliseconds
            var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let count = poll(&descriptor, 1, wait)
            if count < 0 {
                guard errno == EINTR else { return .end }
                continue
            }
            if count > 0 { return readBytes() }
            if milliseconds >= 0 { return .silence }
        }
    }

    private func readBytes() -> Input {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = buffer.withUnsafeMutableBytes {
            Foundation.read(STDIN_FILENO, $0.baseAddress, $0.count)
        }
        if count < 0, errno == EINTR { return .silence }
        return count > 0 ? .bytes(Array(buffer.prefix(count))) : .end
    }
}
