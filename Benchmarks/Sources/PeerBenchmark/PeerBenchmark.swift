import Foundation

/// Measures Varve beside the stores that a user would take instead, on the same work in the same
/// run. Each engine runs in a process of its own, in turns, so that none inherits memory, caches or
/// counters of another.
@main
enum PeerBenchmark {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if let child = Child(arguments) { return try child.run() }
            let options = try Options(arguments)
            if options.wantsHelp { return print(Options.usage) }
            let comparison = try Comparison(options).run()
            try Report(comparison, options).write()
        } catch let failure as Options.Failure {
            fail("\(failure)\n\(Options.usage)", status: 2)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("PeerBenchmark: \(message)\n".utf8))
        exit(status)
    }
}
