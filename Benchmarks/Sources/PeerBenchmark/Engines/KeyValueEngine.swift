import Foundation

/// The data on an ordered map: records under their ids, and an entry for each index, written in the
/// same transaction.
final class KeyValueEngine<Map: KeyValueStore>: Engine {
    private let map: Map

    init(at directory: URL, cache: CacheSize) throws { map = try Map(at: directory, cache: cache) }

    func load(users: [UserRecord], posts: [PostRecord]) throws {
        try map.write(synced: false) { writer in
            for user in users { try Self.put(user, writer) }
            for post in posts {
                try writer.put(Key.post(post.id), post.encoded())
                try writer.put(Key.author(post.author, post.id), [])
            }
        }
    }

    func sync() throws { try map.sync() }

    func insert(_ user: UserRecord, synced: Bool) throws {
        try map.write(synced: synced) { try Self.put(user, $0) }
    }

    private static func put(_ user: UserRecord, _ writer: any KeyValueWriter) throws {
        guard try writer.get(Key.email(user.email)) == nil else {
            throw EngineError(Map.engine, "the e-mail \(user.email) is taken")
        }
        try writer.put(Key.user(user.id), user.encoded())
        try writer.put(Key.age(user.age, user.id), [])
        try writer.put(Key.city(user.city, user.id), [])
        try writer.put(Key.email(user.email), Array(user.id.utf8))
    }

    func setScores(_ scores: [(id: String, score: Double)]) throws {
        try map.write(synced: false) { writer in
            for (id, score) in scores {
                guard var user = try Self.user(id, writer) else { continue }
                user.score = score
                try writer.put(Key.user(id), user.encoded())
            }
        }
    }

    private static func user(_ id: String, _ writer: any KeyValueWriter) throws -> UserRecord? {
        try writer.get(Key.user(id))?.withUnsafeBytes { UserRecord(decoding: $0) }
    }

    func delete(users: [String]) throws {
        try map.write(synced: false) { writer in
            for id in users {
                guard let user = try Self.user(id, writer) else { continue }
                try writer.delete(Key.user(id))
                try writer.delete(Key.age(user.age, id))
                try writer.delete(Key.city(user.city, id))
                try writer.delete(Key.email(user.email))
            }
        }
    }

    // MARK: - Reading

    func beginReading() throws { try map.beginReading() }

    func endReading() { map.endReading() }

    func user(_ id: String) throws -> UInt64? { try user(Key.user(id)) }

    func users(_ ids: [String]) throws -> Answer {
        var answer = Answer()
        try map.get(ids.lazy.map(Key.user)) { answer.add(UserRecord(decoding: $0).digest) }
        return answer
    }

    private func user(_ key: [UInt8]) throws -> UInt64? {
        var digest: UInt64?
        _ = try map.get(key) { digest = UserRecord(decoding: $0).digest }
        return digest
    }

    func scan() throws -> Answer {
        var answer = Answer()
        try map.forEach(prefix: Key.users, through: nil) { _, value in
            answer.add(UserRecord(decoding: value).digest)
        }
        return answer
    }

    func collect() throws -> Answer {
        var users: [UserRecord] = []
        try map.forEach(prefix: Key.users, through: nil) { _, value in
            users.append(UserRecord(decoding: value))
        }
        return Answer(users)
    }

    func users(ages: ClosedRange<Int>) throws -> Answer {
        try users(under: Key.ages(ages.lowerBound), through: Key.ages(ages.upperBound))
    }

    func users(city: String) throws -> Answer { try users(under: Key.cities(city), through: nil) }

    private func users(under prefix: [UInt8], through last: [UInt8]?) throws -> Answer {
        var answer = Answer()
        var key = Key.users
        try map.forEach(prefix: prefix, through: last) { entry, _ in
            key.replaceSubrange(1..., with: entry[(entry.count - Key.idBytes)...])
            guard let digest = try user(key) else { return }
            answer.add(digest)
        }
        return answer
    }

    func user(email: String) throws -> UInt64? {
        var key = Key.users
        guard try map.get(Key.email(email), { key += $0 }) else { return nil }
        return try user(key)
    }

    func posts(of author: String) throws -> Int {
        var count = 0
        try map.forEach(prefix: Key.authors(author), through: nil) { _, _ in count += 1 }
        return count
    }

    func userFromSnapshot(_ id: String) throws -> UInt64? {
        var digest: UInt64?
        _ = try map.getFromSnapshot(Key.user(id)) { digest = UserRecord(decoding: $0).digest }
        return digest
    }

    func usersWithPosts(_ ids: [String]) throws -> Answer {
        var answer = Answer()
        var key = [UInt8(ascii: "p")]
        for id in ids {
            guard let user = try user(id) else { continue }
            answer.add(user)
            try map.forEach(prefix: Key.authors(id), through: nil) { entry, _ in
                key.replaceSubrange(1..., with: entry[(entry.count - Key.idBytes)...])
                var post: PostRecord?
                _ = try map.get(key) { post = PostRecord(decoding: $0) }
                guard let post, let author = try self.user(post.author) else { return }
                answer.add(post.digest &+ author)
            }
        }
        return answer
    }

    func compact() throws { try map.compact() }

    func backUp(to directory: URL) throws { try map.backUp(to: directory) }

    func close() throws { map.close() }
}
