import Foundation
import OutlineEditor

exit(EntryPoint.run(Array(CommandLine.arguments.dropFirst())))
