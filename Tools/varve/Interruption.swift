import Foundation

/// The signal that asks the program to end.
enum Interruption {
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
