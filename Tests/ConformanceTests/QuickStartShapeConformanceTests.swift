import Foundation
import Testing
import VarveGraph

/// The quick start's chats, with the properties that its query asks for.
@EntityModel
private struct User {
    let id: String
    var name: String
    var avatar: String?
    var profile: String?
    @Relationship(inverse: \.users) var chats: [Chat]?
}

@EntityModel
private struct Chat {
    let id: String
    var hasNewMessages = false
    var updatedAt = Date.distantPast
    @Relationship(inverse: \.chats) var users: [User]?
    @Relationship(inverse: \.chat) var messages: [Message]?
}

@EntityModel
private struct Message {
    let id: String
    let text: String
    @Relationship(.required) var author: User?
    @Relationship(inverse: \.messages) var chat: Chat?
}

extension User: Codable {}
extension Chat: Codable {}
extension Message: Codable {}

@Suite("Manual: quick start, queries, fragments and coding")
struct QuickStartShapeConformanceTests {
    @Test("Query & Resolve: filtered, sorted and denormalized")
    func query() throws {
        var context = Context()
        let user = User(id: "1", name: "Alice")
        for (id, isNew, time) in [("1", true, 1.0), ("2", false, 2), ("3", true, 3)] {
            try Chat(
                id: id, hasNewMessages: isNew, updatedAt: Date(timeIntervalSince1970: time),
                users: .relation([user])
            ).save(to: &context)
        }
        let message = Message(id: "1", text: "Hello", author: .id("1"), chat: .id("1"))
        try message.save(to: &context)
        let chats =
            Chat
            .query()
            .filter(\.hasNewMessages == true)
            .sorted(by: \.updatedAt.desc)
            .with(\.$users)
            .with(\.$messages) {
                $0.with(\.$author)
            }
            .resolve(in: context)
        #expect(chats.map(\.id) == ["3", "1"])
        #expect(chats.map { $0.users?.map(\.name) } == [["Alice"], ["Alice"]])
        #expect(chats[1].messages?.first?.author?.name == "Alice")
        #expect(chats[0].messages?.isEmpty == true)
    }

    @Test("Handle Partial Data Safely: a fragment wipes nothing")
    func fragment() throws {
        var context = Context()
        try User(id: "1", name: "Robert", avatar: "a", profile: "p").save(to: &context)
        let partialUser = User(id: "1", name: "Bob")
        try partialUser.save(to: &context, options: .fragment)
        let user = User.query("1").resolve(in: context)
        #expect(user?.name == "Bob" && user?.avatar == "a" && user?.profile == "p")
    }

    @Test("Codable Ready: declaring it is enough")
    func coding() throws {
        let user = User(id: "1", name: "Bob", chats: .ids(["2"]))
        let json = try? JSONEncoder().encode(user)
        let decoded = try JSONDecoder().decode(User.self, from: #require(json))
        #expect(decoded.isIdentical(to: user))
    }
}
