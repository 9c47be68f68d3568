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
            let results = try results(options)
            print(Table(results).text)
            if !results.failures.isEmpty {
                fail("\(results.failures.count) parts failed", status: 1)
            }
        } catch let failure as Options.Failure {
            fail("\(failure)\n\(Options.usage)", status: 2)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    /// Of an earlier run, or of one that writes its files after each turn of all engines.
    private static func results(_ options: Options) throws -> Results {
        if let from = options.from {
            let results = try Results(contentsOf: from).restricted(to: options.wantedFigures)
            try write(results, options)
            return results
        }
        var comparison = Comparison(options)
        return try comparison.run { try write($0.restricted(to: options.wantedFigures), options) }
            .restricted(to: options.wantedFigures)
    }

    private static func write(_ results: Results, _ options: Options) throws {
        if let url = options.json { try results.write(to: url) }
        if let url = options.page { try Data(Page(results).html.utf8).write(to: url) }
        if let url = options.results {
            try Data(ResultsDocument(results).text.utf8).write(to: url)
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("PeerBenchmark: \(message)\n".utf8))
        exit(status)
    }
}
