import Foundation

/// What the executable runs. The program itself is a library, so that tests can run it too.
package enum EntryPoint {
    /// Returns the exit status.
    package static func run(_ arguments: [String]) async -> Int32 {
        // A reader that closes the pipe early is told from other failures where the output is
        // written.
        signal(SIGPIPE, SIG_IGN)
        let program = Program(screen: Screen.standardOutput(), messages: Messages.standardError())
        return await program.run(arguments).rawValue
    }
}
