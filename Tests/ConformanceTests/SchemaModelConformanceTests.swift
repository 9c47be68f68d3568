import Foundation
import Testing
import VarveGraph

/// The manual's schema: versions are entities, and the types in use are aliases.
@EntityModel
private struct Schema: Codable {
    enum Version: String { case v1 }

    var id: String { "\(Schema.self)" }

    @Relationship
    var v1: V1? = .relation(V1())
}

private typealias User = Schema.V1.User
private typealias Chat = Schema.V1.Chat
private typealias Message = Schema.V1.Message
private typealias Attachment = Schema.V1.Attachment

extension Schema {
    @EntityModel
    fileprivate struct V1: Codable {
        var version: Version { .v1 }

        var id: String { version.rawValue }

        @Relationship var attachments: [Attachment]? = .none
        @Relationship var chats: [Chat]? = .none
        @Relationship var messages: [Message]? = .none
        @Relationship var users: [User]? = .none

        @Relationship var deletedAttachments: [Deleted<Attachment>]? = .none
        @Relationship var deletedChats: [Deleted<Chat>]? = .none
        @Relationship var deletedMessages: [Deleted<Message>]? = .none
        @Relationship var deletedUsers: [Deleted<User>]? = .none
    }
}

extension Schema.V1 {
    @EntityModel
    fileprivate struct User: Codable {
        let id: String
        var name: String
        @Relationship(inverse: \.users) var chats: [Chat]?
    }

    @EntityModel
    fileprivate struct Chat: Codable {
        let id: String
        @Relationship(inverse: \.chats) var users: [User]?
        @Relationship(inverse: \.chat) var messages: [Message]?
    }

    @EntityModel
    fileprivate struct Message: Codable {
        let id: String
        var text: String
        @Relationship(inverse: \.messages) var chat: Chat?
        @Relationship(deleteRule: .cascade, inverse: \.message) var attachment: Attachment?
    }

    @EntityModel
    fileprivate struct Attachment: Codable {
        enum Kind: Codable, Hashable {
            case file(url: URL)
        }

        let id: String
        var kind: Kind
        @Relationship(inverse: \.attachment) var message: Message?
    }
}

@Suite("Manual: schema entities")
struct SchemaModelConformanceTests {
    @Test("SM-69: a schema is an entity over its versions, and they over all types and tombstones")
    func definition() throws {
        var context = Context()
        let schema = Schema()
        try schema.save(to: &context)
        #expect(Schema.query("Schema").related(\.$v1).resolve(in: context)?.id == "v1")

        let user = User(id: "1", name: "Bob")
        let chat = Chat(id: "1", users: .relation([user]))
        try user.save(to: &context)
        try chat.save(to: &context)
        #expect(User.query("1").related(\.$chats).resolve(in: context).map(\.id) == ["1"])
        context.checkInvariants()
    }

    @Test("SM-70: what a schema's version holds, live and deleted, is exported as JSON")
    func export() throws {
        var context = Context()
        let url = try #require(URL(string: "https://example.org/a"))
        try Message(
            id: "m", text: "x", attachment: .relation(Attachment(id: "a", kind: .file(url: url)))
        ).save(to: &context)
        try User(id: "1", name: "Bob").save(to: &context)
        try User.delete(id: "1", from: &context)
        var version = Schema.V1()
        version.$attachments = .ids(["a"])
        version.$deletedUsers = .ids(["1"])
        var schema = Schema()
        schema.$v1 = .relation(version)
        try schema.save(to: &context)
        let exported = Schema.query()
            .with(\.$v1) { $0.with(\.$attachments).with(\.$deletedUsers).id(\.$users) }
            .resolve(in: context)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(exported), as: UTF8.self)
        #expect(
            text == #"[{"v1":{"attachments":[{"id":"a","kind":{"file":{"url":"#
                + #""https://example.org/a"}},"message":null}],"chats":null,"#
                + #""deletedAttachments":null,"deletedChats":null,"deletedMessages":null,"#
                + #""deletedUsers":[{"entity":{"chats":null,"id":"1","name":"Bob"}}],"#
                + #""messages":null,"users":[]}}]"#)
    }
}
