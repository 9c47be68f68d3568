import BenchmarkSupport
import Foundation
import Varve

/// Full-text search over bodies of 120 characters, whose words are the rarer the greater their
/// number.
struct TextWork: Work {
    let child: Child

    static let engines: [EngineName] = [.varve, .sqlite]

    func run() throws -> RunResult {
        let articles = SampleData.articles(work.articles)
        let engine: any TextEngine =
            name == .varve ? try VarveText(at: directory) : try SQLiteText(at: directory)
        var result = RunResult(name)
        let seconds = try WallClock.seconds {
            for start in stride(from: 0, to: articles.count, by: 1_000) {
                try engine.add(articles[start..<min(articles.count, start + 1_000)])
            }
        }
        result.figures[.textLoad] = Double(articles.count) / seconds
        try engine.prepareForParts()
        var found: [String] = []
        var times = try WallClock.latencies(20) { _ in
            found = try engine.best(20, "orchard lantern")
        }
        result.figures[.textSearch] = times.percentile(0.5) * 1e3
        result.answers[Figure.textSearch.rawValue] = UInt64(
            found.count { $0.contains("orchard") && $0.contains("lantern") })
        var count = 0
        times = try WallClock.latencies(20) { _ in count = try engine.count(containing: "ord4999") }
        result.figures[.textContains] = times.percentile(0.5) * 1e3
        result.answers[Figure.textContains.rawValue] = UInt64(count)
        try engine.close()
        return result
    }
}

/// A store with a full-text index.
private protocol TextEngine {
    /// One transaction, not synced.
    func add(_ articles: ArraySlice<(offset: Int, element: String)>) throws
    /// What ``count(containing:)`` needs beside.
    func prepareForParts() throws
    /// The best bodies that have the words.
    func best(_ limit: Int, _ words: String) throws -> [String]
    func count(containing part: String) throws -> Int
    func close() throws
}

@EntityModel
struct Article {
    let id: Int
    var body: String

    @FullTextIndex<Self>(\.body) private var bodyIndex
}

private struct VarveText: TextEngine {
    private let store: Store

    init(at directory: URL) throws {
        store = try Store(
            at: directory.appending(path: "text.varve"), durability: .none, Article.self)
    }

    func add(_ articles: ArraySlice<(offset: Int, element: String)>) throws {
        try store.write { context in
            for (number, body) in articles {
                try Article(id: number, body: body).save(to: &context)
            }
        }
    }

    /// The one index serves both.
    func prepareForParts() throws {}

    func best(_ limit: Int, _ words: String) throws -> [String] {
        Article.filter(.string(\.body, matches: words)).limit(limit)
            .resolve(in: store.context).map(\.body)
    }

    func count(containing part: String) throws -> Int {
        Article.filter(.string(\.body, contains: part)).count(in: store.context)
    }

    func close() throws { try store.close() }
}

/// FTS5 with its own words for ranked search, as a user has it, and, because those find no parts of
/// words, a second index of trigrams, which is not timed.
private struct SQLiteText: TextEngine {
    private let database: SQLiteDatabase

    init(at directory: URL) throws {
        database = try SQLiteDatabase(at: directory, cache: .large)
        try database.execute("CREATE TABLE article (id INTEGER PRIMARY KEY, body TEXT)")
        for (table, options) in [("words", ""), ("parts", ", tokenize = 'trigram'")] {
            try database.execute(
                """
                CREATE VIRTUAL TABLE \(table) USING fts5(body, content = 'article',
                    content_rowid = 'id'\(options))
                """)
        }
    }

    func add(_ articles: ArraySlice<(offset: Int, element: String)>) throws {
        try database.transaction(synced: false) {
            for (number, body) in articles {
                for sql in [
                    "INSERT INTO article (id, body) VALUES (?, ?)",
                    "INSERT INTO words (rowid, body) VALUES (?, ?)",
                ] {
                    try database.run(
                        sql,
                        bind: { statement in
                            statement.bind(1, number)
                            statement.bind(2, body)
                        })
                }
            }
        }
    }

    func prepareForParts() throws {
        try database.execute("INSERT INTO parts (parts) VALUES ('rebuild')")
    }

    func best(_ limit: Int, _ words: String) throws -> [String] {
        var bodies: [String] = []
        try database.run(
            "SELECT body FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
            bind: { statement in
                statement.bind(1, words)
                statement.bind(2, limit)
            }, row: { bodies.append($0.text(0)) })
        return bodies
    }

    func count(containing part: String) throws -> Int {
        try database.number("SELECT count(*) FROM parts WHERE parts MATCH ?") {
            $0.bind(1, "\"\(part)\"")
        }
    }

    func close() throws { try database.close() }
}
