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

struct PostRecord {
    var id: String
    var title: String
    var body: String
    var likes: Int
    var author: String
}
