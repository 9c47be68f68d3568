/// The user of the comparison tables, as every engine hands it out.
protocol UserFields {
    var id: String { get }
    var name: String { get }
    var email: String { get }
    var age: Int { get }
    var city: String { get }
    var score: Double { get }
    var createdAt: Int { get }
}

extension UserFields {
    /// Depends on every field: two engines that answer the same have the same sum of it.
    @inline(__always)
    var digest: UInt64 {
        UInt64(truncatingIfNeeded: id.utf8.count &+ name.utf8.count &+ email.utf8.count)
            &+ UInt64(truncatingIfNeeded: age &+ city.utf8.count &+ createdAt) &* 3
            &+ UInt64(score)
    }
}

/// The post of the comparison tables.
protocol PostFields {
    var id: String { get }
    var title: String { get }
    var body: String { get }
    var likes: Int { get }
}

extension PostFields {
    /// Depends on every field.
    @inline(__always)
    var digest: UInt64 {
        UInt64(truncatingIfNeeded: id.utf8.count &+ title.utf8.count &* 3 &+ body.utf8.count)
            &+ UInt64(truncatingIfNeeded: likes) &* 5
    }
}

/// A user as the key-value engines and SQLite make it from bytes or columns.
struct UserRecord: UserFields {
    var id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int
}

struct PostRecord: PostFields {
    var id: String
    var title: String
    var body: String
    var likes: Int
    var author: String
}
