import VarveGraph

/// The model of the manual: chats, users, messages, attachments.
@EntityModel
struct User: Equatable {
    let id: String
    var name: String
    var age: Int = 0
    var email: String?

    @Relationship(inverse: \.users) var chats: [Chat]?
    @Relationship(inverse: \.admins) var adminOf: [Chat]?
    @Relationship(inverse: \.owner) var badge: Badge?
}

@EntityModel
struct Chat: Equatable {
    let id: String
    var title: String?

    @Relationship(inverse: \.chats) var users: [User]?
    @Relationship(deleteRule: .cascade, inverse: \.chat) var messages: [Message]?
    @Relationship(inverse: \.adminOf) var admins: [User]?
}

@EntityModel
struct Message: Equatable {
    let id: String
    let text: String

    @Relationship(.required) var author: User?
    @Relationship(.required, inverse: \.messages) var chat: Chat?
    @Relationship(deleteRule: .cascade, inverse: \.message) var attachment: Attachment?
    @Relationship(inverse: \.replyTo) var replies: [Message]?
    @Relationship(inverse: \.replies) var replyTo: Message?
    @Relationship var viewedBy: [User]? = nil
}

@EntityModel
struct Attachment: Equatable {
    let id: String
    var url: String

    @Relationship(inverse: \.attachment) var message: Message?
}

/// One-to-one with ``User``.
@EntityModel
struct Badge: Equatable {
    let id: Int

    @Relationship(inverse: \.badge) var owner: User?
}

/// A relation that is its own inverse.
@EntityModel
struct Person: Equatable {
    let id: Int

    @Relationship(inverse: \.friends) var friends: [Person]?
    @Relationship(inverse: \.spouse) var spouse: Person?
}
