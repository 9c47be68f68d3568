import Foundation

/// What the command line asks for.
struct Options {
    var rows = 100_000
    var filter = ""
    var runs = 5
    var isJSON = false
    var listsOnly = false
    var wantsHelp = false

    static let usage = """
        usage: ContextBenchmark [ROWS] [FILTER] [--runs N] [--json] [--list]

          ROWS      how many users, 100000 by default
          FILTER    measure only what has this in its area or name
          --runs N  how often each measurement is repeated, 5 by default
          --json    print the results as JSON
          --list    print the names of the measurements and measure nothing
        """

    /// An argument that means nothing.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var hasRows = false
        var hasFilter = false
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--list": listsOnly = true
            case "--help", "-h": wantsHelp = true
            case "--runs": runs = try Options.positive(rest.popFirst(), "--runs")
            case _ where argument.hasPrefix("-"):
                throw Failure(description: "unknown option \(argument)")
            case _ where !hasRows && Int(argument) != nil:
                hasRows = true
                rows = try Options.positive(argument, "ROWS")
            case _ where !hasFilter:
                hasFilter = true
                filter = argument
            default: throw Failure(description: "unexpected argument \(argument)")
            }
        }
    }

    private static func positive(_ text: String?, _ name: String) throws -> Int {
        guard let text, let number = Int(text), number > 0 else {
            throw Failure(description: "\(name) needs a number greater than 0")
        }
        return number
    }
}

func failWithUsage(_ message: String) -> Never {
    FileHandle.standardError.write(Data("ContextBenchmark: \(message)\n\(Options.usage)\n".utf8))
    exit(2)
}
