import Foundation
import Testing
import VarveGraph

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

        @Relationship var latestUser: User? = nil
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
        @Relationship(inverse: \.messages) var chat: Chat?
        @Relationship(inverse: \.message) var attachment: Attachment?
    }

    @EntityModel
    fileprivate struct Attachment: Codable {
        let id: String
        @Relationship(inverse: \.attachment) var message: Message?
    }
}

extension Schema {
    fileprivate static func fullSchemaQuery() -> QueryList<Self> {
        Schema
            .queryAll(
                with: .entities, .schemaEntities, .ids,
            )
    }

    fileprivate static func fullSchemaQuery(updated: ClosedRange<Date>) -> QueryList<Self> {
        Schema
            .queryAll(
                with: .entities, .schemaEntities, .ids,
            )
            .filter(
                .updated(within: updated),
            )
    }

    fileprivate static func changes(_ updated: ClosedRange<Date>) -> QueryList<Self> {
        queryAll(with: .entities, .schemaEntities(filter: .updated(within: updated)), .ids)
    }

    fileprivate static func fullSchemaQueryFragments() -> QueryList<Self> {
        Schema
            .queryAll(
                with: .entities, .schemaFragments, .ids,
            )
    }
}

@Suite("Schema queries (SM-48, SM-69, SM-70, 3.12)")
struct SchemaConformanceTests {
    private func filled() throws -> Context {
        var context = Context()
        let schema = Schema()
        try schema.save(to: &context)
        let user = User(id: "1", name: "Bob")
        let chat = Chat(id: "1", users: .relation([user]))
        try user.save(to: &context)
        try chat.save(to: &context)
        return context
    }

    @Test("The manual's schema query gives all entities with the ids of their links")
    func fullSchema() throws {
        var context = try filled()
        let data = Schema.fullSchemaQuery().resolve(in: context)
        let version = try #require(data.first?.v1)
        #expect(data.count == 1)
        #expect(version.users?.map(\.name) == ["Bob"])
        #expect(version.users?.first?.$chats.ids == ["1"])
        #expect(version.chats?.first?.$users.ids == ["1"])
        #expect(version.messages?.isEmpty == true)
        #expect(version.$latestUser.isNone)
        try Chat.delete(id: "1", from: &context)
        let after = try #require(Schema.fullSchemaQuery().resolve(in: context).first?.v1)
        #expect(after.chats?.isEmpty == true)
        #expect(after.deletedChats?.map(\.id) == ["1"])
        #expect(after.deletedChats?.first?.entity.$users.ids == ["1"])
    }

    @Test("A schema query restores the whole graph in an empty context")
    func restoring() throws {
        var context = try filled()
        try Message(id: "m", chat: .id("1"), attachment: .relation(Attachment(id: "a")))
            .save(to: &context)
        try User(id: "2", name: "Alice", chats: .ids(["1"])).save(to: &context)
        try User.delete(id: "2", from: &context)
        var copy = Context()
        for schema in Schema.fullSchemaQuery().resolve(in: context) { try schema.save(to: &copy) }
        #expect(Chat.query("1").related(\.$users).resolve(in: copy).map(\.name) == ["Bob"])
        #expect(
            Message.query("m").with(\.$attachment).resolve(in: copy)?.attachment?.id == "a")
        #expect(User.query("2").resolve(in: copy) == nil)
        #expect(Deleted<User>.query("2").resolve(in: copy)?.entity.name == "Alice")
    }

    @Test("A to-many relation means all entities in the order of their last changes, links ignored")
    func linksIgnored() throws {
        var context = try filled()
        try User(id: "2", name: "Alice").save(to: &context)
        let mark = Date()
        while Date() <= mark {}
        try User(id: "1", name: "Rob").save(to: &context)
        let version = try #require(Schema.fullSchemaQuery().resolve(in: context).first?.v1)
        #expect(version.users?.map(\.name) == ["Alice", "Rob"])
        #expect(!version.$users.isSlice)
        let chats = Chat.query().with(.schemaEntities).resolve(in: context)
        #expect(chats.first?.users?.map(\.name) == ["Alice", "Rob"])
    }

    @Test("Filtered schema levels give slices of what was changed")
    func changes() throws {
        var context = try filled()
        let lastSync = Date()
        while Date() <= lastSync {}
        try User(id: "2", name: "Alice").save(to: &context)
        let version = try #require(
            Schema.changes(lastSync...Date.distantFuture).resolve(in: context).first?.v1)
        #expect(version.users?.map(\.name) == ["Alice"] && version.$users.isSlice)
        #expect(version.chats?.isEmpty == true)
        let all = Schema.fullSchemaQuery(updated: .distantPast...Date()).resolve(in: context)
        #expect(all.count == 1)
        let none = Schema.fullSchemaQuery(updated: lastSync...Date()).resolve(in: context)
        #expect(none.isEmpty)
    }

    @Test("Fault 9: schema fragments are fragments, filtered too")
    func fragments() throws {
        let context = try filled()
        let version = try #require(
            Schema.fullSchemaQueryFragments().resolve(in: context).first?.v1)
        #expect(version.$users.isFragment && !version.$users.isSlice)
        let filtered = Schema.queryAll(
            with: .entities, .schemaFragments(filter: .updated(within: .distantPast...Date())))
        let part = try #require(filtered.resolve(in: context).first?.v1)
        #expect(part.$users.isFragment && part.$users.isSlice && part.users?.count == 1)
    }
}
