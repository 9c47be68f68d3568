import BenchmarkSupport
import Foundation

/// What large contents cost, as properties and as assets, beside plain files: see `Benchmarks/assets --help`.
///
/// Each part runs in a process of its own, so that its peak of memory is its own.
@main
enum AssetBenchmark {
    static func main() async {
        do {
            let options = try AssetOptions(Array(CommandLine.arguments.dropFirst()))
            if options.wantsHelp { return print(AssetOptions.usage) }
            if options.isWriter {
                return try await KilledWriter(options.size, in: options.directory).run()
            }
            if let part = options.child { return try await run(part, options) }
            try runAll(options)
        } catch let failure as AssetOptions.Failure {
            fail("\(failure)\n\(AssetOptions.usage)", status: 2)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    /// The work of a child, and whether it kept to its memory.
    private static func run(_ part: AssetPart, _ options: AssetOptions) async throws {
        print(part.title(options.size))
        try await part.run(options.size, seed: options.seed, in: options.directory)
        let peak = Memory.peakOfProcess
        print("  peak of the process \(Spread.text(peak)) MB")
        if let limit = part.megabytesMax, peak > limit {
            fail("\(part.rawValue): a peak of \(Spread.text(peak)) MB, of \(limit)", status: 1)
        }
    }

    private static func runAll(_ options: AssetOptions) throws {
        let directory = options.directory.appending(path: "varve-assets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var failed: [String] = []
        for part in AssetPart.allCases where options.wants(part) {
            let child = Process()
            child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            child.arguments = options.arguments(of: part, in: directory)
            try child.run()
            child.waitUntilExit()
            if child.terminationStatus != 0 { failed.append(part.rawValue) }
        }
        if !failed.isEmpty {
            try? FileManager.default.removeItem(at: directory)
            fail("failed: \(failed.joined(separator: ", "))", status: 1)
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("AssetBenchmark: \(message)\n".utf8))
        exit(status)
    }
}
