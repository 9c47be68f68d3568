import BenchmarkSupport
import Foundation

/// A store as a user would build one for the data of the comparison: users and posts, with users
/// found by id, age (ordered), city (equality) and e-mail (unique), posts by id and author.
protocol Engine: AnyObject, SendableMetatype {
    /// Opens what is in the directory, or begins anew.
    init(at directory: URL, cache: CacheSize) throws

    /// One transaction, not synced.
    func load(users: [UserRecord], posts: [PostRecord]) throws
    /// One transaction for each batch.
    func load(_ batches: [Dataset.Batch]) throws
    func sync() throws
    /// A transaction of its own. Any thread may.
    func insert(_ user: UserRecord, synced: Bool) throws
    /// One transaction, not synced, that changes one field of each user.
    func setScores(_ scores: [(id: String, score: Double)]) throws
    /// One transaction, not synced. The users have no posts.
    func delete(users: [String]) throws

    /// What is read from now on sees everything written so far, and may see no more: an engine that
    /// has snapshots, or read transactions, holds one until ``endReading()``, as far as that makes
    /// its reads no slower.
    func beginReading() throws
    /// Comes before anything is written, compacted or closed.
    func endReading() throws
    /// The digest of the user, which is made whole; nil where there is none.
    func user(_ id: String) throws -> UInt64?
    /// One user after the other, each looked up by itself. The loop is the engine's, so that what it reads through may
    /// stand in a local variable, as it does where a program reads in a loop.
    func users(_ ids: [String]) throws -> Answer
    /// The sum of the digests of all users, each made whole.
    func scan() throws -> Answer
    /// The same, with all users in one array first.
    func collect() throws -> Answer
    /// The users of an age, oldest first or youngest first alike, each made whole.
    func users(ages: ClosedRange<Int>) throws -> Answer
    func users(city: String) throws -> Answer
    func user(email: String) throws -> UInt64?
    /// How many posts an author has.
    func posts(of author: String) throws -> Int
    /// One user, through a snapshot that is taken for this read alone.
    func userFromSnapshot(_ id: String) throws -> UInt64?
    /// The users, their posts, and the author of each post, all made whole.
    func usersWithPosts(_ ids: [String]) throws -> Answer

    /// Brings the files into the shape that the engine considers best.
    func compact() throws
    /// Leaves as little on the disk as the engine can.
    func compactForSize() throws
    /// Copies the store, as it is now, to a directory that is not there yet.
    func backUp(to directory: URL) throws
    func close() throws
}

extension Engine {
    /// Most have one kind of compaction.
    func compactForSize() throws { try compact() }
}

/// What a query found: engines that agree have equal answers.
struct Answer: Hashable {
    var count = 0
    var digest: UInt64 = 0

    mutating func add(_ other: UInt64) {
        count += 1
        digest &+= other
    }
}

extension Answer {
    init(_ users: [some UserFields]) {
        self.init()
        for user in users { add(user.digest) }
    }
}

enum EngineName: String, CaseIterable, Codable, CodingKeyRepresentable {
    case varve, sqlite, lmdb, rocksdb, leveldb
    /// What the machine allows: no engine, but the least that the work takes.
    case limit

    static let all: [EngineName] = [.varve, .sqlite, .lmdb, .rocksdb, .leveldb]

    var title: String {
        switch self {
        case .varve: "Varve"
        case .sqlite: "SQLite"
        case .lmdb: "LMDB"
        case .rocksdb: "RocksDB"
        case .leveldb: "LevelDB"
        case .limit: "limit"
        }
    }

    var type: any Engine.Type {
        switch self {
        case .varve: VarveEngine.self
        case .sqlite: SQLiteEngine.self
        case .lmdb: KeyValueEngine<LMDB>.self
        case .rocksdb: KeyValueEngine<LogStructured<RocksDB>>.self
        case .leveldb: KeyValueEngine<LogStructured<LevelDB>>.self
        case .limit: preconditionFailure("the limit of the machine is no engine")
        }
    }
}

/// What an engine may keep in memory of its files: the same for each that asks.
struct CacheSize {
    let bytes: Int

    /// Enough for the whole data set: what Varve has in memory the others may have, too.
    static let large = CacheSize(bytes: 1 << 30)
}

/// An engine refused something.
struct EngineError: Error, CustomStringConvertible {
    let description: String

    init(_ engine: EngineName, _ message: String) { description = "\(engine.rawValue): \(message)" }
}

extension Engine {
    func load(_ batches: [Dataset.Batch]) throws {
        for batch in batches { try load(users: batch.users, posts: batch.posts) }
    }
}
