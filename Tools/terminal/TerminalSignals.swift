import Foundation

/// The signals that a full screen has to deal with. A handler sets a mark and wakes the reader of the terminal;
/// what follows is done outside of it.
package enum TerminalSignals {
    /// What was asked for since the last look.
    package struct Marks: Sendable {
        /// The signal that ends the program.
        package internal(set) var end: Int32?
        package internal(set) var isResized = false
        package internal(set) var isToSuspend = false
        /// The program goes on after it was stopped, by whatever means.
        package internal(set) var isContinued = false
    }

    /// The signals that end a program by default, but for crashes, for those that cannot be handled, and for SIGPIPE, which is an
    /// error of the output.
    package static let ends: [Int32] = {
        var ends = [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
            SIGXCPU, SIGXFSZ,
        ]
        #if os(Linux)
            ends += [SIGIO, SIGPWR, SIGSTKFLT]
        #endif
        return ends
    }()
    private static let handled = ends + [SIGWINCH, SIGTSTP, SIGCONT]
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS]
    private static let signalsMax = 64

    // Unchecked: handlers may touch nothing but words that are written as a whole. The rest is set before they
    // are installed.
    private nonisolated(unsafe) static var endSignal: sig_atomic_t = 0
    private nonisolated(unsafe) static var resized: sig_atomic_t = 0
    private nonisolated(unsafe) static var toSuspend: sig_atomic_t = 0
    private nonisolated(unsafe) static var continued: sig_atomic_t = 0
    /// A pipe that handlers and other threads write to, so that no wake-up falls between a look and a wait.
    private nonisolated(unsafe) static var readEnd: Int32 = -1
    private nonisolated(unsafe) static var writeEnd: Int32 = -1
    /// The handlers that the crash handler replaced, by signal.
    private nonisolated(unsafe) static var formerActions =
        UnsafeMutablePointer<sigaction>.allocate(capacity: signalsMax)
    private nonisolated(unsafe) static var mode = termios()
    /// The signals whose handler is this program's.
    private nonisolated(unsafe) static var installed: [Int32] = []

    /// Becomes readable with every signal, and with ``wake()``.
    static var wakeDescriptor: Int32 { readEnd }

    /// From now on signals set marks, and a crash first restores a terminal of that mode. False where the system
    /// has no pipe left.
    static func begin(restoring former: termios) -> Bool {
        if readEnd < 0 {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return false }
            for end in ends {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
            (readEnd, writeEnd) = (ends[0], ends[1])
        }
        mode = former
        for number in handled where !(ends.contains(number) && isIgnored(number)) {
            signal(number) { TerminalSignals.note($0) }
            installed.append(number)
        }
        for number in crashes {
            sigaction(number, nil, formerActions + Int(number))
            signal(number) { TerminalSignals.restoreAfterCrash($0) }
        }
        return true
    }

    /// Signals do what they did before.
    static func end() {
        for number in installed { signal(number, SIG_DFL) }
        installed = []
        for number in crashes { sigaction(number, formerActions + Int(number), nil) }
    }

    /// Whether the caller has the process ignore a signal, as nohup does. It stays ignored.
    package static func isIgnored(_ number: Int32) -> Bool {
        let handler = signal(number, SIG_IGN)
        signal(number, handler)
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Whether a signal has come that ends the program.
    static var isEnding: Bool { endSignal != 0 }

    /// What was marked since the last call.
    static func takeMarks() -> Marks {
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(readEnd, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
        let marks = Marks(
            end: endSignal == 0 ? nil : endSignal, isResized: resized != 0,
            isToSuspend: toSuspend != 0, isContinued: continued != 0)
        (resized, toSuspend, continued) = (0, 0, 0)
        return marks
    }

    /// Ends a wait for the terminal. Safe on every thread and in every handler.
    package static func wake() {
        var byte: UInt8 = 0
        // A full pipe wakes as well.
        _ = write(writeEnd, &byte, 1)
    }

    /// Stops the program as the system does by default; returns when it goes on.
    static func suspend() {
        signal(SIGTSTP, SIG_DFL)
        // The whole job, as the terminal's own key would: a shell waits for all of it.
        kill(0, SIGTSTP)
        signal(SIGTSTP) { TerminalSignals.note($0) }
        continued = 0
    }

    /// Ends the program by a signal that it was sent, so that its parent sees which.
    package static func die(of number: Int32) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        // Not reached, unless the signal is blocked.
        exit(128 + number)
    }

    private static func note(_ number: Int32) {
        let error = errno
        switch number {
        case SIGWINCH: resized = 1
        case SIGTSTP: toSuspend = 1
        case SIGCONT: continued = 1
        default: endSignal = number
        }
        wake()
        errno = error
    }

    /// Calls nothing but what a handler may call, and gives the crash to the handler before.
    private static func restoreAfterCrash(_ number: Int32) {
        let sequence: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
        _ = write(STDOUT_FILENO, sequence.utf8Start, sequence.utf8CodeUnitCount)
        _ = tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        sigaction(number, formerActions + Int(number), nil)
        raise(number)
        // One that was only sent comes back here where the handler before returns: the program ends then too.
        endSignal = number
        wake()
    }
}
