import Foundation

// Writing to a closed pipe is an error that the output reports, not the end of the process.
signal(SIGPIPE, SIG_IGN)
let status = Tool.run(Array(CommandLine.arguments.dropFirst()), in: .current())
exit(status.rawValue)
