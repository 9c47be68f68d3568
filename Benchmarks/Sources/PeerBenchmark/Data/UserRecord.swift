import BenchmarkSupport

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

/// A user as it is given to every engine, and as the key-value engines and SQLite make it again from
/// bytes or columns.
struct UserRecord: SampleUser {
    var id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int
}

/// A post, given and made in the same way.
struct PostRecord: PostFields {
    var id: String
    var title: String
    var body: String
    var likes: Int
    var author: String
}
