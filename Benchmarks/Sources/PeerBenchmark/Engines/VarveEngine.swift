import BenchmarkSupport
import Foundation
import Varve

@EntityModel
struct StoredUser: UserFields {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int

    @Index<Self>(\.age) private var ageIndex
    @HashIndex<Self>(\.city) private var cityIndex
    @Unique<Self>(\.email, collisions: .throw) private var emailIndex

    @Relationship(inverse: \.author) var posts: [StoredPost]?
}

@EntityModel
struct StoredPost: PostFields {
    let id: String
    var title: String
    var body: String
    var likes: Int

    @Relationship(inverse: \.posts) var author: StoredUser?
}

extension StoredUser {
    init(_ user: UserRecord) {
        self.init(
            id: user.id, name: user.name, email: user.email, age: user.age, city: user.city,
            score: user.score, createdAt: user.createdAt)
    }
}

extension StoredPost {
    init(_ post: PostRecord) {
        self.init(
            id: post.id, title: post.title, body: post.body, likes: post.likes,
            author: .id(post.author))
    }
}

/// Varve as it comes: relaxed durability where the peers do not sync, and `.commit` for the
/// writes that ask for it.
final class VarveEngine: Engine {
    let store: Store
    private var snapshot = Context()

    init(at directory: URL, cache: CacheSize) throws {
        // With little memory nothing is made ahead that may never be read.
        let isSmall = cache.bytes < CacheSize.large.bytes
        store = try Store(
            at: directory.appending(path: "db.varve"), durability: .none,
            loading: isSmall ? .whenRead : .ahead,
            memory: isSmall ? .bytes(ByteCount(UInt64(cache.bytes))) : .standard, StoredUser.self)
    }

    init(_ store: Store) { self.store = store }

    func load(users: [UserRecord], posts: [PostRecord]) throws {
        try load([(users, posts)])
    }

    func load(_ batches: [Dataset.Batch]) throws {
        try store.write(each: batches) { context, batch in
            try batch.users.map(StoredUser.init).save(to: &context)
            try batch.posts.map(StoredPost.init).save(to: &context)
        }
    }

    func sync() throws { try store.flush() }

    func insert(_ user: UserRecord, synced: Bool) throws {
        let options = WriteOptions(durability: synced ? .commit : nil)
        try store.write(options: options) { try StoredUser(user).save(to: &$0) }
    }

    /// Synced. Any task may call it, and holds no thread while it waits.
    var insertFromTask: @Sendable (UserRecord) async throws -> Void {
        { [store] user in
            try await store.write(options: WriteOptions(durability: .commit)) {
                try StoredUser(user).save(to: &$0)
            }
        }
    }

    func setScores(_ scores: [(id: String, score: Double)]) throws {
        try store.write { context in
            let users: [StoredUser?] = context.findAll(scores.map(\.id))
            for (user, change) in zip(users, scores) {
                guard var user else { continue }
                user.score = change.score
                try user.save(to: &context)
            }
        }
    }

    func delete(users: [String]) throws {
        try store.write { context in
            for id in users { try StoredUser.delete(id: id, from: &context) }
        }
    }

    // MARK: - Reading

    func beginReading() { snapshot = store.context }

    func endReading() { snapshot = Context() }

    func user(_ id: String) throws -> UInt64? {
        let user: StoredUser? = snapshot.find(id)
        return user?.digest
    }

    func users(_ ids: [String]) throws -> Answer {
        let snapshot = snapshot
        var answer = Answer()
        for id in ids {
            let user: StoredUser? = snapshot.find(id)
            answer.add(user?.digest ?? 0)
        }
        return answer
    }

    func scan() throws -> Answer {
        var answer = Answer()
        StoredUser.query().forEach(in: snapshot) { answer.add($0.digest) }
        return answer
    }

    func collect() throws -> Answer { Answer(StoredUser.query().resolve(in: snapshot)) }

    func users(ages: ClosedRange<Int>) throws -> Answer {
        let (first, last) = (ages.lowerBound, ages.upperBound)
        return Answer(
            StoredUser.filter(\.age >= first && \.age <= last).resolve(in: snapshot))
    }

    func users(city: String) throws -> Answer {
        Answer(StoredUser.filter(\.city == city).resolve(in: snapshot))
    }

    func user(email: String) throws -> UInt64? {
        StoredUser.filter(\.email == email).resolve(in: snapshot).first?.digest
    }

    func posts(of author: String) throws -> Int {
        StoredUser.query(author).related(\.$posts).count(in: snapshot)
    }

    func userFromSnapshot(_ id: String) throws -> UInt64? {
        let snapshot = store.context
        let user: StoredUser? = snapshot.find(id)
        return user?.digest
    }

    func usersWithPosts(_ ids: [String]) throws -> Answer {
        var answer = Answer()
        let query = StoredUser.query(ids).with(\.$posts) { $0.with(\.$author) }
        for user in query.resolve(in: snapshot) {
            answer.add(user.digest)
            for post in user.posts ?? [] {
                answer.add(post.digest &+ (post.author?.digest ?? 0))
            }
        }
        return answer
    }

    func compact() throws { try store.compact(retaining: Retention.newestState) }

    func compactForSize() throws { try store.compact(retaining: Retention.newestState, for: .size) }

    func backUp(to directory: URL) throws {
        _ = try store.backup(to: directory.appendingPathExtension("varve"))
        try FileManager.default.moveItem(
            at: directory.appendingPathExtension("varve"), to: directory)
    }

    func close() throws { try store.close() }
}
