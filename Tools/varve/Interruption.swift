import Foundation
import VarveTerminal

/// A signal that asks the program to end.
enum Interruption {
    // MARK: While something is written

    /// The number of the signal that has come, which a handler may set and do nothing else.
    private nonisolated(unsafe) static var deferred: sig_atomic_t = 0

    /// Whether something is being written already, of which this is a part.
    private nonisolated(unsafe) static var isDeferring = false

    /// Whether a signal waits for the end of what is written. It is checked with each piece.
    static var isDeferred: Bool { deferred != 0 }

    /// Runs what removes its traces when it fails. A signal that would end the process makes it fail,
    /// and ends the process behind it; a second one ends the process at once.
    static func deferring<Result>(
        _ body: () throws(ToolFailure) -> Result
    ) throws(ToolFailure) -> Result {
        guard !isDeferring else { return try body() }
        isDeferring = true
        // What the caller has the process ignore, as nohup does, stays ignored.
        let heard = TerminalSignals.ends.filter { !TerminalSignals.isIgnored($0) }
        for number in heard {
            signal(number) { number in
                Interruption.deferred = number
                signal(number, SIG_DFL)
            }
        }
        defer {
            isDeferring = false
            for number in heard { signal(number, SIG_DFL) }
            if deferred != 0 { kill(getpid(), deferred) }
        }
        return try body()
    }

    // MARK: While the program waits

    /// Set by the signal handler, which may do nothing else.
    private nonisolated(unsafe) static var hasCome: sig_atomic_t = 0
    private static let pauseMicroseconds: UInt32 = 100_000

    /// From now on an interruption ends the pause and not the process.
    private static let listening: Void = {
        signal(SIGINT) { _ in Interruption.hasCome = 1 }
    }()

    /// Waits for a moment. False where the program is to end.
    static func pause() -> Bool {
        _ = listening
        if hasCome == 0 { usleep(pauseMicroseconds) }
        return hasCome == 0
    }
}
