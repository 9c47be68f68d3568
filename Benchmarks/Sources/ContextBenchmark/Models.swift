import Varve

/// The user of the comparison tables: seven fields, three of them text.
@EntityModel
struct User {
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
