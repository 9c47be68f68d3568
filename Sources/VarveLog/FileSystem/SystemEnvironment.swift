/// The clocks, the randomness and the process of the running system.
package struct SystemEnvironment: LogEnvironment, Sendable {
    package init() {}

    package func wallClockMicroseconds() -> Int64 { POSIX.wallClockMicroseconds() }

    package func randomSalt() -> UInt64 { UInt64.random(in: .min ... .max) }

    package func processID() -> Int32 { POSIX.processID() }

    /// The calling thread: a number that no other living one has, and never 0.
    package static var threadNumber: UInt { POSIX.threadNumber }

    /// From now on the calling thread runs where no other one wants the processor, until it ends. Where the
    /// system has no such thing or refuses it, the thread stays what it is.
    package static func enterBackground() { POSIX.enterBackground() }

    /// Offers the processor to other threads that want it.
    package static func yieldProcessor() { POSIX.yieldProcessor() }

    /// Lets the calling thread wait for a millisecond.
    package static func pause() { POSIX.pause() }

    /// For how long the calling thread had a processor.
    package static var threadProcessorTime: Duration { POSIX.threadProcessorTime }

    package func processName() -> String {
        let path = CommandLine.arguments.first ?? ""
        return path.split(separator: "/").last.map { String($0) } ?? "unknown"
    }
}
