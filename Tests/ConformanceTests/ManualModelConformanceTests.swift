import Foundation
import Testing
import VarveGraph

/// The manual's model, as it defines it.
private enum Manual {
    @EntityModel
    struct Message: Codable {
        let id: String
        let text: String

        @Relationship(.required)
        var author: User?

        @Relationship(.required, inverse: \.messages)
        var chat: Chat?

        @Relationship(deleteRule: .cascade, inverse: \.message)
        var attachment: Attachment?

        @Relationship(inverse: \.replyTo)
        var replies: [Message]?

        @Relationship(inverse: \.replies)
        var replyTo: Message?

        @Relationship
        var viewedBy: [User]? = nil
    }

    @EntityModel
    struct Chat: Codable {
        let id: String

        @Relationship(inverse: \.chats)
        var users: [User]?

        @Relationship(deleteRule: .cascade, inverse: \.chat)
        var messages: [Message]?

        @Relationship(inverse: \.adminOf)
        var admins: [User]?
    }

    @EntityModel
    struct User: Codable {
        let id: String
        private(set) var name: String

        @Relationship(inverse: \.users)
        var chats: [Chat]?

        @Relationship(inverse: \.admins)
        var adminOf: [Chat]?

        init(id: String, name: String) {
            self.id = id
            self.name = name
        }

        /// "Removing Relations" of the manual calls these on the entity itself.
        func leaveAllChats(in context: inout Context) throws {
            try detach(\.$chats, inverse: \.$users, in: &context)
        }
    }

    @EntityModel
    struct Attachment: Codable {
        let id: String

        @Relationship(inverse: \.attachment)
        var message: Message?
    }
}

private typealias Message = Manual.Message
private typealias Chat = Manual.Chat
private typealias User = Manual.User
private typealias Attachment = Manual.Attachment

extension User {
    fileprivate static var bob: User { User(id: "1", name: "Bob") }
    fileprivate static var alice: User { User(id: "2", name: "Alice") }
    fileprivate static var john: User { User(id: "3", name: "John") }
}

@Suite("Manual: models, saving, deleting, relations")
struct ManualModelConformanceTests {
    private func saved() throws -> Context {
        var context = Context()
        let chat = Chat(
            id: "1",
            users: .relation([
                User(id: "1", name: "Bob"),
                User(id: "2", name: "Alice"),
            ]),
            messages: .relation([
                Message(
                    id: "1",
                    text: "Any thoughts on SwiftletModel?",
                    author: .id("1")
                ),

                Message(
                    id: "2",
                    text: "Yes.",
                    author: .id("2"),
                    replyTo: .id("1")
                ),
            ]),
            admins: .ids(["1"])
        )
        try chat.save(to: &context)
        return context
    }

    @Test("How to Save Entities: a chat brings everything along, with links on both sides")
    func saving() throws {
        let context = try saved()
        #expect(context.ids(User.self) == ["1", "2"] && context.ids(Message.self) == ["1", "2"])
        #expect(User.query("1").related(\.$adminOf).resolve(in: context).map(\.id) == ["1"])
        #expect(Message.query("2").related(\.$author).resolve(in: context)?.name == "Alice")
        context.checkInvariants()
    }

    @Test("How to Delete Entities: the entity goes, a Deleted stays, the delete rules are followed")
    func deleting() throws {
        var context = try saved()
        try Message(id: "1", text: "", attachment: .relation(Attachment(id: "a"))).save(
            to: &context)
        let chat = Chat(id: "1")
        try chat.delete(from: &context)
        #expect(context.count(Chat.self) == 0 && context.count(Message.self) == 0)
        #expect(context.count(Attachment.self) == 0 && context.count(User.self) == 2)
        #expect(Deleted<Chat>.query("1").resolve(in: context)?.entity.$users.ids == ["1", "2"])
        try Deleted<Chat>.query("1").resolve(in: context)?.restore(in: &context)
        #expect(Chat.query("1").related(\.$users).resolve(in: context).map(\.id) == ["1", "2"])
        context.checkInvariants()
    }

    @Test("Codable Conformance: the very text of the manual")
    func codable() throws {
        let context = try saved()
        let user =
            User
            .query("1")
            .with(\.$chats) { chat in
                chat.with(\.$messages) { message in
                    message.with(\.$replies) { reply in
                        reply.with(\.$author)
                            .id(\.$replyTo)
                    }
                    .id(\.$author)
                    .id(\.$chat)
                }
                .with(\.$users)
                .id(\.$admins)
            }
            .resolve(in: context)
        let encoder = JSONEncoder.prettyPrinting
        encoder.relationEncodingStrategy = .plain
        let userJSON = user.prettyDescription(with: encoder) ?? ""
        #expect(userJSON == manualJSON)
        let decoder = JSONDecoder()
        decoder.relationDecodingStrategy = [.plain]
        let decoded = try decoder.decode(User.self, from: Data(userJSON.utf8))
        #expect(decoded.prettyDescription(with: encoder) == manualJSON)
    }

    @Test("Optional to-one: an explicit null nullifies, a missing relation overwrites nothing")
    func nullify() throws {
        var context = try saved()
        try Message(
            id: "1", text: "Any thoughts on SwiftletModel?", author: .id("1"),
            attachment: .relation(Attachment(id: "a"))
        ).save(to: &context)
        func attachment() -> String? {
            Message.query("1").related(\.$attachment).resolve(in: context)?.id
        }
        try Message(id: "1", text: "Any thoughts on SwiftletModel?", author: .id("1")).save(
            to: &context)
        #expect(attachment() == "a")
        let message = Message(
            id: "1",
            text: "Any thoughts on SwiftletModel?",
            author: .id("1"),
            attachment: .null
        )
        try message.save(to: &context)
        #expect(attachment() == nil && context.count(Attachment.self) == 1)
    }

    @Test("Setting to-one relations, by entity, by id, to null and to none")
    func toOne() throws {
        var context = Context()
        let user = User.bob
        var message = Message(
            id: "1",
            text: "Howdy!"
        )
        func author() -> String? {
            Message.query("1").related(\.$author).resolve(in: context)?.name
        }
        message.$author = .relation(user)
        try message.save(to: &context)
        #expect(author() == "Bob")

        message.$author = .id(User.alice.id)
        try message.save(to: &context)
        #expect(author() == nil)
        try User.alice.save(to: &context)
        #expect(author() == "Alice")

        message.$attachment = .relation(Attachment(id: "a"))
        try message.save(to: &context)
        message.$attachment = .none
        try message.save(to: &context)
        #expect(Message.query("1").related(\.$attachment).resolve(in: context)?.id == "a")
        message.$attachment = .null
        try message.save(to: &context)
        #expect(Message.query("1").related(\.$attachment).resolve(in: context) == nil)
        #expect(Attachment.query("a").exists(in: context))
    }

    @Test("Setting to-many relations: replacing and appending, by entities, ids and fragments")
    func toMany() throws {
        var context = Context()
        var chat = Chat(id: "1")
        let message = Message(id: "1", text: "a")
        func messages() -> [String] {
            Chat.query("1").related(\.$messages).resolve(in: context).map(\.id)
        }
        chat.$messages = .relation([message])
        try chat.save(to: &context)
        #expect(messages() == ["1"])
        chat.$messages = .ids(["2"])
        try chat.save(to: &context)
        try Message(id: "2", text: "b").save(to: &context)
        #expect(messages() == ["2"])
        chat.$messages = .appending(relation: [message])
        try chat.save(to: &context)
        #expect(messages() == ["2", "1"])
        chat.$messages = .appending(ids: [message.id, "3"])
        try chat.save(to: &context)
        try Message(id: "3", text: "c").save(to: &context)
        #expect(messages() == ["2", "1", "3"])
        chat.$messages = .appending(fragment: [Message(id: "4", text: "d")])
        try chat.save(to: &context)
        #expect(messages() == ["2", "1", "3", "4"])
        chat.$users = .fragment([.bob, .alice, .john])
        try chat.save(to: &context)
        #expect(Chat.query("1").related(\.$users).resolve(in: context).count == 3)
        context.checkInvariants()
    }

    @Test("Removing relations: detach, delete along a relation, nullify")
    func removing() throws {
        var context = try saved()
        let user = try #require(User.query("1").resolve(in: context))
        try user.leaveAllChats(in: &context)
        #expect(User.query("1").related(\.$chats).resolve(in: context).isEmpty)
        #expect(Chat.query("1").related(\.$users).resolve(in: context).map(\.id) == ["2"])

        var message = Message(id: "1", text: "x", attachment: .relation(Attachment(id: "a")))
        try message.save(to: &context)
        try message.delete(\.$attachment, inverse: \.$message, from: &context)
        #expect(context.count(Attachment.self) == 0)
        #expect(Message.query("1").exists(in: context))

        message.$attachment = .relation(Attachment(id: "b"))
        try message.save(to: &context)
        message.$attachment = .null
        try message.save(to: &context)
        #expect(Attachment.query("b").related(\.$message).resolve(in: context) == nil)
        context.checkInvariants()
    }
}

private let manualJSON = """
    {
      "adminOf" : null,
      "chats" : [
        {
          "admins" : [
            {
              "id" : "1"
            }
          ],
          "id" : "1",
          "messages" : [
            {
              "attachment" : null,
              "author" : {
                "id" : "1"
              },
              "chat" : {
                "id" : "1"
              },
              "id" : "1",
              "replies" : [
                {
                  "attachment" : null,
                  "author" : {
                    "adminOf" : null,
                    "chats" : null,
                    "id" : "2",
                    "name" : "Alice"
                  },
                  "chat" : null,
                  "id" : "2",
                  "replies" : null,
                  "replyTo" : {
                    "id" : "1"
                  },
                  "text" : "Yes.",
                  "viewedBy" : null
                }
              ],
              "replyTo" : null,
              "text" : "Any thoughts on SwiftletModel?",
              "viewedBy" : null
            },
            {
              "attachment" : null,
              "author" : {
                "id" : "2"
              },
              "chat" : {
                "id" : "1"
              },
              "id" : "2",
              "replies" : [

              ],
              "replyTo" : null,
              "text" : "Yes.",
              "viewedBy" : null
            }
          ],
          "users" : [
            {
              "adminOf" : null,
              "chats" : null,
              "id" : "1",
              "name" : "Bob"
            },
            {
              "adminOf" : null,
              "chats" : null,
              "id" : "2",
              "name" : "Alice"
            }
          ]
        }
      ],
      "id" : "1",
      "name" : "Bob"
    }
    """
