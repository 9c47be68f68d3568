import Foundation
import Testing
import VarveGraph

/// The quick start of the manual, as an application would write it.
private enum QuickStart {
    @EntityModel
    struct User {
        let id: String
        var name: String
        @Relationship(inverse: \.users) var chats: [Chat]?
    }

    @EntityModel
    struct Chat {
        let id: String
        @Relationship(inverse: \.chats) var users: [User]?
        @Relationship(inverse: \.chat) var messages: [Message]?
    }

    @EntityModel
    struct Message {
        let id: String
        let text: String
        @Relationship(.required) var author: User?
        @Relationship(inverse: \.messages) var chat: Chat?
    }
}

@Suite("Manual: quick start")
struct QuickStartConformanceTests {
    @Test("a saved chat brings its users along, and a query gives the nested shape back")
    func nestedShape() throws {
        var context = Context()
        let user = QuickStart.User(id: "1", name: "Alice")
        let chat = QuickStart.Chat(id: "1", users: .relation([user]))
        try chat.save(to: &context)
        let message = QuickStart.Message(
            id: "1", text: "Hello", author: .id("1"), chat: .id("1"))
        try message.save(to: &context)

        let chats = QuickStart.Chat.query()
            .with(\.$users)
            .with(\.$messages) { $0.with(\.$author) }
            .resolve(in: context)
        #expect(chats.count == 1)
        #expect(chats[0].users?.map(\.name) == ["Alice"])
        #expect(chats[0].messages?.map { $0.author?.name } == ["Alice"])
    }
}
