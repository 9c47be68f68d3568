import Foundation

/// What the executable runs. The tool itself is a library, so that tests can run it too.
package enum EntryPoint {
    /// Returns the exit status.
    package static func run(_ arguments: [String]) -> Int32 {
        // Writing to a closed pipe is an error that the output reports, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        return Tool.run(arguments, in: .current()).rawValue
    }
}
