import BenchmarkSupport
import Foundation

/// The Debian index of this machine: import, opening again, what depends on libc6, and a search.
struct DebianWork: Work {
    let child: Child

    static let engines: [EngineName] = [.varve, .sqlite]
    private static let base = "libc6"
    private static let words = ["terminal", "python", "compiler", "spelling", "library"]

    /// Finds nothing where the machine has no index.
    func run() throws -> RunResult {
        var result = RunResult(name)
        guard let index = try DebianIndex.ofThisMachine() else { return result }
        // What is asked about comes first, so that a part of the index has it, too.
        let packages =
            (index.packages.filter { $0.name == Self.base }
            + index.packages.filter { $0.name != Self.base }).prefix(work.packages)
        var store = try makeStore()
        let seconds = try WallClock.seconds {
            for start in stride(from: 0, to: packages.count, by: 1_000) {
                try store.add(packages[start..<min(packages.count, start + 1_000)])
            }
            try store.sync()
        }
        result.figures[.debianImport] = Double(packages.count) / seconds
        try store.close()
        var version: String?
        result.figures[.debianOpen] =
            try WallClock.seconds {
                store = try makeStore()
                version = try store.version(of: Self.base)
            } * 1e3
        result.answers[Figure.debianOpen.rawValue] = UInt64(version?.utf8.count ?? 0)
        var found = 0
        result.figures[.debianReverse] =
            try WallClock.seconds { found = try store.countDependents(of: Self.base) } * 1e3
        result.answers[Figure.debianReverse.rawValue] = UInt64(found)
        found = 0
        result.figures[.debianSearch] =
            try WallClock.seconds {
                for word in Self.words { found += try store.count(containing: word) }
            } * 1e3
        result.answers[Figure.debianSearch.rawValue] = UInt64(found)
        try store.close()
        return result
    }

    private func makeStore() throws -> any DebianStore {
        name == .varve ? try VarveDebian(at: directory) : try SQLiteDebian(at: directory)
    }
}

/// Packages, what they depend on, and their summaries in a full-text index that finds parts of words.
protocol DebianStore {
    /// One transaction, not synced.
    func add(_ packages: ArraySlice<DebianIndex.Package>) throws
    func sync() throws
    func version(of package: String) throws -> String?
    /// How many packages depend on one, by any number of steps; itself not counted.
    func countDependents(of package: String) throws -> Int
    /// How many summaries contain a text, in whatever case.
    func count(containing text: String) throws -> Int
    func close() throws
}
