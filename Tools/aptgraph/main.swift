import Foundation

// A reader that closes the pipe early is told from other failures where the output is written.
signal(SIGPIPE, SIG_IGN)

let program = Program(screen: Screen.standardOutput(), messages: Messages.standardError())
let status = await program.run(Array(CommandLine.arguments.dropFirst()))
exit(status.rawValue)
