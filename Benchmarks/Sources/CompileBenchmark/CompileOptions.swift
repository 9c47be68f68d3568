import Foundation

/// What the command line asks for.
struct CompileOptions {
    /// The sizes to compare with.
    var kept: URL
    var build: URL
    var package: URL
    var entityCounts = [0, 1, 2, 10]
    var configurations = ClientCompilation.Configuration.allCases
    var json: URL?
    var updates = false
    var wantsHelp = false

    static let usage = """
        usage: CompileBenchmark KEPT BUILD PACKAGE [--entities N,N] [--release | --debug | --check] [--update]
                                [--json FILE]

          KEPT        the sizes to compare with
          BUILD       where SwiftPM built the library
          PACKAGE     the library's package
          --entities  compile models of so many entities: 0,1,2,10 unless given
          --release   compile with optimisation alone; --debug, without it alone
          --check     a release build of one entity and of two: what is kept
          --update    keep the sizes that were found
          --json      write all figures there
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var paths: [URL] = []
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--entities": entityCounts = try Self.counts(rest.popFirst())
            case "--release": configurations = [.release]
            case "--debug": configurations = [.debug]
            case "--check": (entityCounts, configurations) = ([1, 2], [.release])
            case "--update": updates = true
            case "--json":
                guard let path = rest.popFirst() else { throw Self.misuse("--json needs a path") }
                json = URL(filePath: path)
            case _ where !argument.hasPrefix("-"): paths.append(URL(filePath: argument))
            default: throw Self.misuse("unknown argument \(argument)")
            }
        }
        guard paths.count == 3 else { throw Self.misuse("three paths are needed") }
        (kept, build, package) = (paths[0], paths[1], paths[2])
    }

    private static func counts(_ text: String?) throws -> [Int] {
        let counts = (text ?? "").split(separator: ",").map { Int($0) }
        guard !counts.isEmpty, counts.allSatisfy({ $0.map { $0 >= 0 } ?? false }) else {
            throw misuse("--entities needs numbers, such as 1,2,10")
        }
        return counts.compactMap { $0 }
    }

    private static func misuse(_ reason: String) -> Failure {
        Failure(description: "\(reason)\n\(usage)")
    }
}
