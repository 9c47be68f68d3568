import Foundation

/// What the command line asks for.
struct Options {
    var size = 100_000
    var runs = 5
    var engines = EngineName.all
    var only: String?
    var directory = FileManager.default.temporaryDirectory
    var json: URL?
    var page: URL?
    var results: URL?
    /// An earlier run to report again.
    var from: URL?
    var growth = false
    /// How many bytes of memory the processes on more data than memory may have.
    var memory: Int?
    var wantsHelp = false

    static let usage = """
        usage: PeerBenchmark [--size smoke|100k|1M|10M|N] [--runs N] [--engines A,B] [--only TEXT] [--growth]
                             [--memory MB] [--directory PATH] [--json FILE] [--page FILE] [--results FILE] [--from FILE]

          --size       how many users, and as many posts: smoke is 2,000; 100k unless given
          --runs       how often each engine runs, in turns; 5 unless given
          --engines    varve, sqlite, lmdb, rocksdb, leveldb; all unless given
          --only       measure what those rows need whose name, title or area contains this
          --growth     measure some rows at 1,000, 10,000, … users, too
          --memory     how much memory, with cached files, the rows of large data may take: they are measured only
                       where --only names them; any number unless given
          --directory  where the stores are made and removed again
          --json       write all results there
          --page       write a page with charts there, for a browser
          --results    write a document in Markdown there
          --from       report what an earlier run wrote with --json; measure nothing

        The rows: \(Figure.allCases.map(\.rawValue).joined(separator: ", ")).
        """

    /// An argument that means nothing.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--size": size = try Self.size(Self.value(&rest, argument))
            case "--runs": runs = try Self.number(Self.value(&rest, argument), argument)
            case "--engines": engines = try Self.engines(Self.value(&rest, argument))
            case "--only": only = try Self.value(&rest, argument)
            case "--directory": directory = URL(filePath: try Self.value(&rest, argument))
            case "--json": json = URL(filePath: try Self.value(&rest, argument))
            case "--results": results = URL(filePath: try Self.value(&rest, argument))
            case "--from": from = URL(filePath: try Self.value(&rest, argument))
            case "--growth": growth = true
            case "--memory": memory = try Self.number(Self.value(&rest, argument), argument) << 20
            case "--page": page = URL(filePath: try Self.value(&rest, argument))
            default: throw Failure(description: "unknown argument \(argument)")
            }
        }
        if wantedFigures.isEmpty, let only {
            throw Failure(description: "no row has “\(only)” in its name, title or area")
        }
    }

    /// What is asked for.
    var wantedFigures: Set<Figure> {
        guard let only else { return Set(Figure.allCases.filter { !$0.isLarge }) }
        return Set(
            Figure.allCases.filter { figure in
                // Named as they are, because their titles have the words of other rows.
                if figure.isLarge { return figure.isNamed(by: only) }
                let description = figure.description
                return [figure.rawValue, description.title, description.area.rawValue]
                    .contains { $0.localizedCaseInsensitiveContains(only) }
            })
    }

    /// The sizes below the one asked for at which growth is measured.
    var smallerSizes: [Int] {
        Array(sequence(first: 1_000) { $0 * 10 }.prefix { $0 < size })
    }

    private static func value(_ rest: inout ArraySlice<String>, _ name: String) throws -> String {
        guard let value = rest.popFirst() else {
            throw Failure(description: "\(name) needs a value")
        }
        return value
    }

    private static func size(_ text: String) throws -> Int {
        switch text {
        case "smoke": 2_000
        case "100k": 100_000
        case "1M": 1_000_000
        case "10M": 10_000_000
        default: try number(text, "--size")
        }
    }

    private static func number(_ text: String, _ name: String) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw Failure(description: "\(name) needs a number greater than 0")
        }
        return number
    }

    private static func engines(_ text: String) throws -> [EngineName] {
        try text.split(separator: ",").map { name in
            guard let engine = EngineName(rawValue: String(name)), engine != .limit else {
                throw Failure(description: "no engine is called \(name)")
            }
            return engine
        }
    }
}
