import Foundation

struct SQLiteDebian: DebianStore {
    private let database: SQLiteDatabase

    init(at directory: URL) throws {
        database = try SQLiteDatabase(at: directory, cache: .large)
        for statement in Self.schema { try database.execute(statement) }
    }

    private static let schema = [
        """
        CREATE TABLE IF NOT EXISTS package (number INTEGER PRIMARY KEY, name TEXT UNIQUE,
            version TEXT, section TEXT, summary TEXT)
        """,
        """
        CREATE TABLE IF NOT EXISTS dependency (package TEXT, depends TEXT,
            PRIMARY KEY (package, depends)) WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS dependent ON dependency (depends, package)",
        """
        CREATE VIRTUAL TABLE IF NOT EXISTS summaries USING fts5(summary, content = 'package',
            content_rowid = 'number', tokenize = 'trigram')
        """,
        """
        CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON package BEGIN
            INSERT INTO summaries (rowid, summary) VALUES (new.number, new.summary);
        END
        """,
    ]

    func add(_ packages: ArraySlice<DebianIndex.Package>) throws {
        try database.transaction(synced: false) {
            for package in packages {
                try database.run(
                    "INSERT INTO package (name, version, section, summary) VALUES (?, ?, ?, ?)",
                    bind: { statement in
                        statement.bind(1, package.name)
                        statement.bind(2, package.version)
                        statement.bind(3, package.section)
                        statement.bind(4, package.summary)
                    })
                for name in package.depends {
                    try database.run(
                        "INSERT INTO dependency VALUES (?, ?)",
                        bind: { statement in
                            statement.bind(1, package.name)
                            statement.bind(2, name)
                        })
                }
            }
        }
    }

    func sync() throws { try database.checkpoint() }

    func version(of package: String) throws -> String? {
        var version: String?
        try database.run(
            "SELECT version FROM package WHERE name = ?", bind: { $0.bind(1, package) }
        ) { version = $0.text(0) }
        return version
    }

    func countDependents(of package: String) throws -> Int {
        try database.number(
            """
            WITH RECURSIVE found (name) AS (
                SELECT ?1 UNION SELECT dependency.package FROM found
                JOIN dependency ON dependency.depends = found.name)
            SELECT count(*) - 1 FROM found
            """
        ) { $0.bind(1, package) }
    }

    func count(containing text: String) throws -> Int {
        try database.number("SELECT count(*) FROM summaries WHERE summaries MATCH ?") {
            $0.bind(1, "\"\(text)\"")
        }
    }

    func close() throws { try database.close() }
}
