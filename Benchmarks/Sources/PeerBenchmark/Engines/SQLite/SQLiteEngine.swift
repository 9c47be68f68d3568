import Foundation

/// SQLite with tables without row ids, and `synchronous` set for each kind of commit.
final class SQLiteEngine: Engine {
    private let database: SQLiteDatabase
    private var isReading = false

    init(at directory: URL, cache: CacheSize) throws {
        database = try SQLiteDatabase(at: directory, cache: cache)
        for statement in Self.schema { try database.execute(statement) }
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
        try database.transaction(synced: false) {
            for user in users { try insert(user) }
            for post in posts {
                try database.run("INSERT INTO post VALUES (?, ?, ?, ?, ?)") { statement in
                    statement.bind(1, post.id)
                    statement.bind(2, post.title)
                    statement.bind(3, post.body)
                    statement.bind(4, post.likes)
                    statement.bind(5, post.author)
                }
            }
        }
    }

    func sync() throws { try database.checkpoint() }

    func insert(_ user: UserRecord, synced: Bool) throws {
        try database.transaction(synced: synced) { try insert(user) }
    }

    private func insert(_ user: UserRecord) throws {
        try database.run("INSERT INTO user VALUES (?, ?, ?, ?, ?, ?, ?)") { statement in
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
        try database.transaction(synced: false) {
            for (id, score) in scores {
                try database.run("UPDATE user SET score = ? WHERE id = ?") { statement in
                    statement.bind(1, score)
                    statement.bind(2, id)
                }
            }
        }
    }

    func delete(users: [String]) throws {
        try database.transaction(synced: false) {
            for id in users { try database.run("DELETE FROM user WHERE id = ?") { $0.bind(1, id) } }
        }
    }

    // MARK: - Reading

    /// Without it every query would be a transaction of its own.
    func beginReading() throws {
        try endReading()
        try database.run("BEGIN")
        isReading = true
    }

    func endReading() throws {
        guard isReading else { return }
        isReading = false
        try database.run("COMMIT")
    }

    func user(_ id: String) throws -> UInt64? {
        try users("SELECT * FROM user WHERE id = ?") { $0.bind(1, id) }.single
    }

    func users(_ ids: [String]) throws -> Answer {
        var answer = Answer()
        try database.run("SELECT * FROM user WHERE id = ?", for: ids, bind: { $0.bind(1, $1) }) {
            answer.add(UserRecord($0, from: 0).digest)
        }
        return answer
    }

    func scan() throws -> Answer { try users("SELECT * FROM user") { _ in } }

    func collect() throws -> Answer {
        var users: [UserRecord] = []
        try database.run("SELECT * FROM user", bind: { _ in }) { row in
            users.append(UserRecord(row, from: 0))
        }
        return Answer(users)
    }

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

    func userFromSnapshot(_ id: String) throws -> UInt64? {
        try database.run("BEGIN")
        let user = try user(id)
        try database.run("COMMIT")
        return user
    }

    func posts(of author: String) throws -> Int {
        try database.number("SELECT count(*) FROM post WHERE author = ?") { $0.bind(1, author) }
    }

    func usersWithPosts(_ ids: [String]) throws -> Answer {
        var answer = Answer()
        for id in ids {
            guard let user = try user(id) else { continue }
            answer.add(user)
            try database.run(Self.postsWithAuthor, bind: { $0.bind(1, id) }) { row in
                let post = PostRecord(
                    id: row.text(0), title: row.text(1), body: row.text(2), likes: row.integer(3),
                    author: row.text(4))
                answer.add(post.digest &+ UserRecord(row, from: 5).digest)
            }
        }
        return answer
    }

    private static let postsWithAuthor = """
        SELECT post.*, user.* FROM post JOIN user ON user.id = post.author WHERE post.author = ?
        """

    private func users(_ query: String, bind: (OpaquePointer) -> Void) throws -> Answer {
        var answer = Answer()
        try database.run(query, bind: bind) { row in
            answer.add(UserRecord(row, from: 0).digest)
        }
        return answer
    }

    func compact() throws { try database.compact() }

    func backUp(to directory: URL) throws {
        try database.execute("VACUUM INTO '\(directory.path)'")
    }

    func close() throws { try database.close() }
}

extension Answer {
    fileprivate var single: UInt64? { count == 0 ? nil : digest }
}

extension UserRecord {
    /// Its columns, which begin at one of them.
    fileprivate init(_ row: OpaquePointer, from column: Int32) {
        self.init(
            id: row.text(column), name: row.text(column + 1), email: row.text(column + 2),
            age: row.integer(column + 3), city: row.text(column + 4), score: row.double(column + 5),
            createdAt: row.integer(column + 6))
    }
}
