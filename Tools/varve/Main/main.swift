import Foundation
import VarveTool

exit(EntryPoint.run(Array(CommandLine.arguments.dropFirst())))
