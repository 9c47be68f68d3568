import CSQLite
import Foundation

/// SQLite with a write-ahead log, prepared statements, tables without row ids, a page cache and
/// a map as large as the others' caches, and `synchronous` set for each kind of commit.
final class SQLiteEngine: Engine {
    static let name = EngineName.sqlite

    private let database: OpaquePointer
    private let turn = NSLock()
    private var statements: [String: OpaquePointer] = [:]
    private var isSynced = false

    init(at directory: URL, cache: CacheSize) throws {
        var database: OpaquePointer?
        let status = sqlite3_open_v2(
            directory.appending(path: "db").path, &database,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        guard status == SQLITE_OK, let database else { throw EngineError(.sqlite, "no database") }
        self.database = database
        for pragma in [
            "journal_mode = WAL", "synchronous = OFF", "cache_size = -\(cache.bytes / 1024)",
            "mmap_size = \(cache.bytes)", "temp_store = MEMORY", "foreign_keys = OFF",
        ] { try execute("PRAGMA \(pragma)") }
        for statement in Self.schema { try execute(statement) }
    }

    private static let schema = [
        """
        CREATE TABLE IF NOT EXISTS user (id TEXT PRIMARY KEY, name TEXT, email TEXT, age INTEGER,
            city TEXT, score REAL, createdAt INTEGER) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS post (id TEXT PRIMARY KEY, title TEXT, body TEXT, likes INTEGER,
            author TEXT) WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS userAge ON user (age)",
        "CREATE INDEX IF NOT EXISTS userCity ON user (city)",
        "CREATE UNIQUE INDEX IF NOT EXISTS userEmail ON user (email)",
        "CREATE INDEX IF NOT EXISTS postAuthor ON post (author)",
    ]

    func load(users: [UserRecord], posts: [PostRecord]) throws {
        try transaction(synced: false) {
            for user in users { try insert(user) }
            for post in posts {
                try run("INSERT INTO post VALUES (?, ?, ?, ?, ?)") { statement in
                    statement.bind(1, post.id)
                    statement.bind(2, post.title)
                    statement.bind(3, post.body)
                    statement.bind(4, post.likes)
                    statement.bind(5, post.author)
                }
            }
        }
    }

    func sync() throws {
        try turn.withLock { try execute("PRAGMA wal_checkpoint(FULL)") }
    }

    func insert(_ user: UserRecord, synced: Bool) throws {
        try transaction(synced: synced) { try insert(user) }
    }

    private func insert(_ user: UserRecord) throws {
        try run("INSERT INTO user VALUES (?, ?, ?, ?, ?, ?, ?)") { statement in
            statement.bind(1, user.id)
            statement.bind(2, user.name)
            statement.bind(3, user.email)
            statement.bind(4, user.age)
            statement.bind(5, user.city)
            statement.bind(6, user.score)
            statement.bind(7, user.createdAt)
        }
    }

    func setScores(_ scores: [(id: String, score: Double)]) throws {
        try transaction(synced: false) {
            for (id, score) in scores {
                try run("UPDATE user SET score = ? WHERE id = ?") { statement in
                    statement.bind(1, score)
                    statement.bind(2, id)
                }
            }
        }
    }

    func delete(users: [String]) throws {
        try transaction(synced: false) {
            for id in users { try run("DELETE FROM user WHERE id = ?") { $0.bind(1, id) } }
        }
    }

    // MARK: - Reading

    func user(_ id: String) throws -> UInt64? {
        try users("SELECT * FROM user WHERE id = ?") { $0.bind(1, id) }.single
    }

    func scan() throws -> Answer { try users("SELECT * FROM user") { _ in } }

    func users(ages: ClosedRange<Int>) throws -> Answer {
        try users("SELECT * FROM user WHERE age BETWEEN ? AND ?") { statement in
            statement.bind(1, ages.lowerBound)
            statement.bind(2, ages.upperBound)
        }
    }

    func users(city: String) throws -> Answer {
        try users("SELECT * FROM user WHERE city = ?") { $0.bind(1, city) }
    }

    func user(email: String) throws -> UInt64? {
        try users("SELECT * FROM user WHERE email = ?") { $0.bind(1, email) }.single
    }

    func posts(of author: String) throws -> Int {
        var count = 0
        try run("SELECT count(*) FROM post WHERE author = ?") {
            $0.bind(1, author)
        } row: {
            count = $0.integer(0)
        }
        return count
    }

    private func users(_ query: String, bind: (OpaquePointer) -> Void) throws -> Answer {
        var answer = Answer()
        try run(query, bind: bind) { row in
            let user = UserRecord(
                id: row.text(0), name: row.text(1), email: row.text(2), age: row.integer(3),
                city: row.text(4), score: sqlite3_column_double(row, 5), createdAt: row.integer(6))
            answer.add(user.digest)
        }
        return answer
    }

    func compact() throws {
        try execute("VACUUM")
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func close() throws {
        for statement in statements.values { sqlite3_finalize(statement) }
        try check(sqlite3_close(database))
    }

    // MARK: - Statements

    private func transaction(synced: Bool, _ body: () throws -> Void) throws {
        try turn.withLock {
            if synced != isSynced {
                try execute("PRAGMA synchronous = \(synced ? "FULL" : "OFF")")
                isSynced = synced
            }
            try run("BEGIN IMMEDIATE") { _ in }
            do {
                try body()
            } catch {
                try run("ROLLBACK") { _ in }
                throw error
            }
            try run("COMMIT") { _ in }
        }
    }

    private func run(
        _ sql: String, bind: (OpaquePointer) -> Void, row: (OpaquePointer) -> Void = { _ in }
    ) throws {
        let statement = try statement(sql)
        bind(statement)
        defer { sqlite3_reset(statement) }
        while true {
            let status = sqlite3_step(statement)
            if status == SQLITE_DONE { return }
            guard status == SQLITE_ROW else { return try check(status) }
            row(statement)
        }
    }

    private func statement(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        guard let statement else { throw EngineError(.sqlite, "no statement") }
        statements[sql] = statement
        return statement
    }

    private func execute(_ sql: String) throws {
        try check(sqlite3_exec(database, sql, nil, nil, nil))
    }

    private func check(_ status: Int32) throws {
        guard status == SQLITE_OK else {
            throw EngineError(.sqlite, String(cString: sqlite3_errmsg(database)))
        }
    }
}

extension Answer {
    fileprivate var single: UInt64? { count == 0 ? nil : digest }
}

extension OpaquePointer {
    fileprivate func bind(_ position: Int32, _ text: String) {
        // SQLITE_TRANSIENT: SQLite copies the text, which does not outlive the call.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        var text = text
        text.withUTF8 { utf8 in
            _ = utf8.withMemoryRebound(to: CChar.self) { bytes in
                sqlite3_bind_text(self, position, bytes.baseAddress, Int32(bytes.count), transient)
            }
        }
    }

    fileprivate func bind(_ position: Int32, _ number: Int) {
        sqlite3_bind_int64(self, position, Int64(number))
    }

    fileprivate func bind(_ position: Int32, _ number: Double) {
        sqlite3_bind_double(self, position, number)
    }

    fileprivate func text(_ column: Int32) -> String {
        let count = Int(sqlite3_column_bytes(self, column))
        return String(
            decoding: UnsafeBufferPointer(start: sqlite3_column_text(self, column), count: count),
            as: UTF8.self)
    }

    fileprivate func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(self, column)) }
}
