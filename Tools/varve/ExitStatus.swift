/// What the program tells its caller.
package enum ExitStatus: Int32, Sendable {
    case success = 0
    /// Damage was found, or what was asked for cannot be read or is not there.
    case failure = 1
    /// The command line cannot be understood.
    case usage = 2
}
