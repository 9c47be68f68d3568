import AptGraph
import Foundation

exit(await EntryPoint.run(Array(CommandLine.arguments.dropFirst())))
