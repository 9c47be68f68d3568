import CSQLite
import Foundation

/// A database as a careful user keeps one: with a write-ahead log, prepared statements, and a page
/// cache and a map as large as the other engines' caches.
final class SQLiteDatabase {
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
            "mmap_size = \(cache.bytes)", "foreign_keys = OFF",
            // With little memory the whole of a table that VACUUM copies does not fit into it.
            "temp_store = \(cache.bytes < CacheSize.large.bytes ? "FILE" : "MEMORY")",
        ] { try execute("PRAGMA \(pragma)") }
    }

    func execute(_ sql: String) throws {
        try check(sqlite3_exec(database, sql, nil, nil, nil))
    }

    /// Writes of other threads wait for their turn.
    func transaction(synced: Bool, _ body: () throws -> Void) throws {
        try turn.withLock {
            try setSynced(synced)
            try run("BEGIN IMMEDIATE")
            do {
                try body()
            } catch {
                try run("ROLLBACK")
                throw error
            }
            try run("COMMIT")
        }
    }

    func run(
        _ sql: String, bind: (OpaquePointer) -> Void = { _ in },
        row: (OpaquePointer) -> Void = { _ in }
    ) throws {
        try run(try statement(sql), bind: bind, row: row)
    }

    /// One statement again and again, which is found once.
    func run<Values: Sequence>(
        _ sql: String, for values: Values, bind: (OpaquePointer, Values.Element) -> Void,
        row: (OpaquePointer) -> Void
    ) throws {
        let statement = try statement(sql)
        for value in values {
            try run(statement, bind: { bind($0, value) }, row: row)
        }
    }

    private func run(
        _ statement: OpaquePointer, bind: (OpaquePointer) -> Void, row: (OpaquePointer) -> Void
    ) throws {
        bind(statement)
        defer { sqlite3_reset(statement) }
        while true {
            let status = sqlite3_step(statement)
            if status == SQLITE_DONE { return }
            guard status == SQLITE_ROW else { return try check(status) }
            row(statement)
        }
    }

    /// The one number that a query answers.
    func number(_ sql: String, bind: (OpaquePointer) -> Void = { _ in }) throws -> Int {
        var number = 0
        try run(sql, bind: bind) { number = $0.integer(0) }
        return number
    }

    private func statement(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        guard let statement else { throw EngineError(.sqlite, "no statement") }
        statements[sql] = statement
        return statement
    }

    /// Brings all that was committed into the database file and syncs it.
    func checkpoint() throws {
        try turn.withLock {
            // Without it a checkpoint waits for no disk.
            try setSynced(true)
            try execute("PRAGMA wal_checkpoint(FULL)")
        }
    }

    private func setSynced(_ synced: Bool) throws {
        guard synced != isSynced else { return }
        try execute("PRAGMA synchronous = \(synced ? "FULL" : "OFF")")
        isSynced = synced
    }

    func compact() throws {
        try execute("VACUUM")
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func close() throws {
        for statement in statements.values { sqlite3_finalize(statement) }
        try check(sqlite3_close(database))
    }

    private func check(_ status: Int32) throws {
        guard status == SQLITE_OK else {
            throw EngineError(.sqlite, String(cString: sqlite3_errmsg(database)))
        }
    }
}

/// A prepared statement: its parameters, counted from 1, and its columns, counted from 0.
extension OpaquePointer {
    func bind(_ position: Int32, _ text: String) {
        // SQLITE_TRANSIENT: SQLite copies the text, which does not outlive the call.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        var text = text
        text.withUTF8 { utf8 in
            _ = utf8.withMemoryRebound(to: CChar.self) { bytes in
                sqlite3_bind_text(self, position, bytes.baseAddress, Int32(bytes.count), transient)
            }
        }
    }

    func bind(_ position: Int32, _ number: Int) {
        sqlite3_bind_int64(self, position, Int64(number))
    }

    func bind(_ position: Int32, _ number: Double) {
        sqlite3_bind_double(self, position, number)
    }

    func text(_ column: Int32) -> String {
        let count = Int(sqlite3_column_bytes(self, column))
        return String(
            decoding: UnsafeBufferPointer(start: sqlite3_column_text(self, column), count: count),
            as: UTF8.self)
    }

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(self, column)) }

    func double(_ column: Int32) -> Double { sqlite3_column_double(self, column) }
}
