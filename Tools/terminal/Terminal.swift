import Foundation

/// A terminal in the mode that a full screen needs: keys come one by one and unechoed, on a screen of its own.
/// Everything is as it was behind ``leave()``.
package final class Terminal {
    /// What came from outside.
    package struct Input: Sendable {
        package internal(set) var keys: [Key] = []
        package internal(set) var signals = TerminalSignals.Marks()
        /// Nothing can be read any more.
        package internal(set) var isGone = false
    }

    private static let enterSequence = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l"
    private static let leaveSequence = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    /// What a terminal needs at most to send the rest of a sequence, also from far away.
    private static let sequenceMilliseconds: Int32 = 50

    private var former = termios()
    private var isEntered = false
    private var decoder = KeyDecoder()

    package init() {}

    /// Whether standard input and output both are a terminal.
    package static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// What most terminals begin with, where this one does not say.
    package static var size: ScreenSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return ScreenSize(columns: 80, rows: 24) }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// False where the terminal cannot be set up; it is as it was then.
    package func enter() -> Bool {
        guard tcgetattr(STDIN_FILENO, &former) == 0 else { return false }
        // Before the mode changes: no signal may end the program in between.
        guard TerminalSignals.begin(restoring: former) else { return false }
        guard takeOver() else {
            TerminalSignals.end()
            return false
        }
        return true
    }

    private func takeOver() -> Bool {
        var raw = former
        cfmakeraw(&raw)
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0 else { return false }
        isEntered = true
        write(Self.enterSequence)
        return true
    }

    package func leave() {
        giveBack()
        TerminalSignals.end()
    }

    private func giveBack() {
        guard isEntered else { return }
        isEntered = false
        write(Self.leaveSequence)
        _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &former)
    }

    deinit { giveBack() }

    /// Stops the program, with the terminal as it was before; returns when it goes on, on a blank screen.
    package func suspend() {
        giveBack()
        TerminalSignals.suspend()
        // A stopped program that is ended may not have the terminal: taking it would stop it again.
        if !TerminalSignals.isEnding { resume() }
    }

    /// Takes the terminal again: behind a stop that could not be noticed, its mode may be any.
    package func resume() { _ = takeOver() }

    package func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = poll(&descriptor, 1, -1)
                continue
            }
            // A terminal that is gone shows nothing; reading from it ends the program.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for keys, a signal or ``TerminalSignals/wake()``, at most so long.
    package func read(milliseconds: Int32) -> Input {
        var input = Input()
        let wait =
            decoder.isUndecided ? min(milliseconds, Self.sequenceMilliseconds) : milliseconds
        var descriptors = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: TerminalSignals.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&descriptors, nfds_t(descriptors.count), wait)
        let isGone = count < 0 && errno != EINTR
        input.signals = TerminalSignals.takeMarks()
        if count < 0 {
            input.isGone = isGone
            return input
        }
        if descriptors[0].revents != 0 { input.isGone = !readBytes() }
        while let key = decoder.next(isFinal: count == 0) { input.keys.append(key) }
        return input
    }

    /// False where the terminal is gone.
    private func readBytes() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = buffer.withUnsafeMutableBytes {
            Foundation.read(STDIN_FILENO, $0.baseAddress, $0.count)
        }
        if count > 0 { decoder.add(buffer.prefix(count)) }
        return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN))
    }
}
