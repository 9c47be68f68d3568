import Foundation
import Testing
import VarveGraph

private enum Model {
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
        @Relationship(.required, inverse: \.messages) var chat: Chat?
        @Relationship(.required) var author: User?
    }

    /// A type that decides itself what a depth list means for it.
    @EntityModel
    struct Folder {
        let id: Int
        @Relationship(inverse: \.parent) var children: [Folder]?
        @Relationship(inverse: \.children) var parent: Folder?

        static func nestedQueryModifier(
            _ query: Query<Self>, in context: Context, nested: [Nested]
        ) -> Query<Self> {
            query.with(nested).id(\.$parent)
        }
    }

    static func chat() throws -> Context {
        var context = Context()
        try Chat(
            id: "1", users: .relation([User(id: "1", name: "Bob"), User(id: "2", name: "Alice")]),
            messages: .relation([Message(id: "1", author: .id("1"))])
        ).save(to: &context)
        return context
    }
}

@Suite("Depth lists (SM-47, 3.11)")
struct DepthListConformanceTests {
    private typealias User = Model.User
    private typealias Chat = Model.Chat
    private typealias Message = Model.Message
    private typealias Folder = Model.Folder

    @Test("One level loads every relation")
    func oneLevel() throws {
        let context = try Model.chat()
        let chat = try #require(Chat.query("1").with(.entities).resolve(in: context))
        #expect(chat.users?.map(\.name) == ["Bob", "Alice"] && chat.messages?.count == 1)
        #expect(!chat.$users.isFragment && !chat.$users.isSlice)
        #expect(chat.users?[0].$chats.isNone == true)
    }

    @Test("Each level is applied to every relation of the level above, and ids end the list")
    func levels() throws {
        let context = try Model.chat()
        let user = try #require(
            User.query("1").with(.entities, .fragments, .ids).resolve(in: context))
        let chat = try #require(user.chats?.first)
        #expect(!user.$chats.isFragment)
        #expect(chat.$users.isFragment && chat.users?.map(\.name) == ["Bob", "Alice"])
        #expect(chat.$messages.isFragment)
        #expect(chat.users?[1].$chats.isId == true && chat.users?[1].$chats.ids == ["1"])
        #expect(chat.messages?[0].$author.id == "1" && chat.messages?[0].$author.isId == true)
        let ids = try #require(User.query("1").with(.ids, .entities).resolve(in: context))
        #expect(ids.$chats.isId && ids.$chats.ids == ["1"])
    }

    @Test("A depth list serves inside a nested query, on lists and on groups")
    func combined() throws {
        let context = try Model.chat()
        let user = try #require(
            User.query("1").with(\.$chats) { chat in chat.with(.entities) }.resolve(in: context))
        #expect(user.chats?.first?.messages?.count == 1)
        #expect(User.query().with(.ids).resolve(in: context).map(\.$chats.ids) == [["1"], ["1"]])
        #expect(
            User.query().related(\.$chats).with(.ids).resolve(in: context)[0][0].$users.ids == [
                "1", "2",
            ])
    }

    @Test("queryAll loads all entities of the type with their relations")
    func queryAll() throws {
        let context = try Model.chat()
        let users = User.queryAll(with: .entities, .ids).resolve(in: context)
        #expect(users.map(\.name) == ["Bob", "Alice"])
        #expect(users[1].chats?.first?.$users.ids == ["1", "2"])
        #expect(User.queryAll(with: .ids, in: context).resolve(in: context).count == 2)
    }

    @Test("A filtered level is a slice of what was changed in time; fragments stay fragments")
    func filteredLevels() throws {
        var context = try Model.chat()
        let mark = Date()
        while Date() <= mark {}
        try User(id: "2", name: "Alicia").save(to: &context)
        let changes = mark...Date.distantFuture
        let entities = try #require(
            Chat.query("1").with(.entities(filter: .updated(within: changes)))
                .resolve(in: context))
        #expect(entities.users?.map(\.name) == ["Alicia"] && entities.messages?.isEmpty == true)
        #expect(entities.$users.isSlice && !entities.$users.isFragment)
        let fragments = try #require(
            Chat.query("1").with(.fragments(filter: .updated(within: changes)), .ids)
                .resolve(in: context))
        #expect(fragments.$users.isFragment && fragments.$users.isSlice)
        #expect(fragments.users?.map(\.$chats.ids) == [["1"]])
        try fragments.save(to: &context)
        #expect(Chat.query("1").related(\.$users).count(in: context) == 2)
    }

    @Test("A type may say itself what a depth list loads of it")
    func ownModifier() throws {
        var context = Context()
        try Folder(id: 1, children: .relation([Folder(id: 2, children: .ids([3]))]))
            .save(to: &context)
        try Folder(id: 3).save(to: &context)
        let folder = try #require(
            Folder.query(1).with(.entities, .entities).resolve(in: context))
        let child = try #require(folder.children?.first)
        #expect(child.children?.map(\.id) == [3])
        #expect(child.$parent.isId && child.$parent.id == 1)
        let called = Folder.nestedQueryModifier(Folder.query(1), in: context, nested: [.ids])
        #expect(called.resolve(in: context)?.$children.ids == [2])
    }
}
