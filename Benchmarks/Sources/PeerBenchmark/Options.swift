import Foundation

/// What the command line asks for.
struct Options {
    var size = 100_000
    var runs = 5
    var engines = EngineName.allCases
    var only: String?
    var directory = FileManager.default.temporaryDirectory
    var json: URL?
    var page: URL?
    var wantsHelp = false

    static let usage = """
        usage: PeerBenchmark [--size smoke|100k|1M|N] [--runs N] [--engines A,B] [--only TEXT]
                             [--directory PATH] [--json FILE] [--page FILE]

          --size       how many users, and as many posts: smoke is 2,000; 100k unless given
          --runs       how often each engine runs, in turns; 5 unless given
          --engines    varve, sqlite, lmdb, rocksdb, leveldb; all unless given
          --only       print only the rows whose name contains this
          --directory  where the stores are made and removed again
          --json       write all results there
          --page       write a page with charts there, for a browser
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
            case "--page": page = URL(filePath: try Self.value(&rest, argument))
            default: throw Failure(description: "unknown argument \(argument)")
            }
        }
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
            guard let engine = EngineName(rawValue: String(name)) else {
                throw Failure(description: "no engine is called \(name)")
            }
            return engine
        }
    }
}
