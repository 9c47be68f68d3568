/// What the log takes from outside besides files. The log itself has no clock and no randomness, so
/// that a simulated environment repeats a whole run exactly.
package protocol LogEnvironment: Sendable {
    /// Microseconds since 1970-01-01 UTC. Information only: nothing is ordered by it.
    func wallClockMicroseconds() -> Int64
    func randomSalt() -> UInt64
    func processID() -> Int32
    /// The program's name, for the message that a second opener gets.
    func processName() -> String
}
