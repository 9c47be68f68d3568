import BenchmarkSupport
import Varve

/// The user of the comparison tables: seven fields, three of them text.
@EntityModel
struct User: UserFields {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int

    @Relationship(inverse: \.author) var posts: [Post]?
}

@EntityModel
struct Post {
    let id: String
    var title: String
    var body: String
    var likes: Int

    @Relationship(inverse: \.posts) var author: User?
}

@EntityModel
struct Chat {
    let id: Int
    var name: String

    @Relationship(deleteRule: .cascade, inverse: \.chat) var messages: [Message]?
}

@EntityModel
struct Message {
    let id: Int
    var text: String

    @Relationship(inverse: \.messages) var chat: Chat?
}

/// The user again, with the three indexes of the comparison tables.
@EntityModel
struct IndexedUser: SampleUser {
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
}

/// The user with one index, to tell what each adds.
@EntityModel
struct AgeIndexedUser: SampleUser {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int

    @Index<Self>(\.age) private var ageIndex
}

@EntityModel
struct CityIndexedUser: SampleUser {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int

    @HashIndex<Self>(\.city) private var cityIndex
}

@EntityModel
struct EmailIndexedUser: SampleUser {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int

    @Unique<Self>(\.email, collisions: .throw) private var emailIndex
}

@EntityModel
struct Article {
    let id: Int
    var body: String

    @FullTextIndex<Self>(\.body) private var bodyIndex
}

@EntityModel
struct PlainText {
    let id: Int
    var body: String
}
