import Testing
import VarveGraph

/// The model of the manual's chapter on queries.
private enum Model {
    @EntityModel
    struct User {
        let id: String
        var name: String
        var age: Int = 0
        @Relationship(inverse: \.users) var chats: [Chat]?
        @Relationship(inverse: \.admins) var adminOf: [Chat]?
    }

    @EntityModel
    struct Chat {
        let id: String
        var title: String?
        @Relationship(inverse: \.chats) var users: [User]?
        @Relationship(inverse: \.chat) var messages: [Message]?
        @Relationship(inverse: \.adminOf) var admins: [User]?
    }

    @EntityModel
    struct Message {
        let id: String
        var text: String
        @Relationship(.required) var author: User?
        @Relationship(.required, inverse: \.messages) var chat: Chat?
        @Relationship(inverse: \.replyTo) var replies: [Message]?
        @Relationship(inverse: \.replies) var replyTo: Message?
        @Relationship var viewedBy: [User]? = nil
    }

    static func chat() throws -> Context {
        var context = Context()
        try Chat(
            id: "1",
            users: .relation([User(id: "1", name: "Bob", age: 30), User(id: "2", name: "Alice")]),
            messages: .relation([
                Message(id: "1", text: "Any thoughts?", author: .id("1")),
                Message(id: "2", text: "Yes.", author: .id("2"), replyTo: .id("1")),
            ]),
            admins: .ids(["1"])
        ).save(to: &context)
        return context
    }
}

@Suite("Shapes (SM-46, SM-49, 3.10)")
struct ShapeConformanceTests {
    private typealias User = Model.User
    private typealias Chat = Model.Chat
    private typealias Message = Model.Message

    @Test("SM-46: the manual's nested query resolves from the other end of the links")
    func manualExample() throws {
        let context = try Model.chat()
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
        let chat = try #require(user?.chats?.first)
        #expect(chat.users?.map(\.name) == ["Bob", "Alice"])
        #expect(chat.$admins.isId && chat.$admins.ids == ["1"])
        let first = try #require(chat.messages?.first)
        #expect(first.author == nil && first.$author.id == "1" && first.$chat.id == "1")
        #expect(first.replies?.map(\.text) == ["Yes."])
        #expect(first.replies?.first?.author?.name == "Alice")
        #expect(first.replies?.first?.$replyTo.id == "1")
        #expect(user?.$adminOf.isNone == true)
    }

    @Test("3.10: what is not asked for stays none")
    func unasked() throws {
        let context = try Model.chat()
        let chat = try #require(Chat.query("1").with(\.$users).resolve(in: context))
        #expect(chat.$messages.isNone && chat.$admins.isNone)
        #expect(chat.users?.first?.$chats.isNone == true)
    }

    @Test("SM-46: slice and fragment mark what is loaded, on single queries, lists and groups")
    func marks() throws {
        let context = try Model.chat()
        let lists = [
            Chat.query().with(slice: \.$users).fragment(\.$messages).fragment(slice: \.$admins),
            Chat.query(["1"]).with(slice: \.$users).fragment(\.$messages)
                .fragment(slice: \.$admins),
        ]
        for chat in lists.flatMap({ $0.resolve(in: context) }) {
            #expect(chat.$users.isSlice && !chat.$users.isFragment)
            #expect(!chat.$messages.isSlice && chat.$messages.isFragment)
            #expect(chat.$admins.isSlice && chat.$admins.isFragment)
        }
        let chat = try #require(
            Message.query("1").related(\.$chat).id(slice: \.$users).with(\.$messages)
                .resolve(in: context))
        #expect(chat.$users.isSlice && chat.$users.isId && chat.$users.ids == ["1", "2"])
        #expect(!chat.$messages.isSlice && !chat.$messages.isFragment)
        let groups = User.query().related(\.$chats).fragment(\.$users).resolve(in: context)
        #expect(groups.map { $0.map(\.$users.isFragment) } == [[true], [true]])
    }

    @Test("SM-46: nested queries filter, sort and limit what is loaded, ids too")
    func nestedSteps() throws {
        var context = Context()
        try Chat(
            id: "1",
            users: .relation((0..<6).map { User(id: "\($0)", name: "n\($0)", age: 10 - $0) })
        ).save(to: &context)
        let sorted = Chat.query("1").with(\.$users) { $0.filter(\.age > 6).sorted(by: \.age) }
        #expect(sorted.resolve(in: context)?.users?.map(\.age) == [7, 8, 9, 10])
        let ids = Chat.query("1").id(\.$users) { $0.sorted(by: \.age).limit(2, offset: 1) }
        #expect(ids.resolve(in: context)?.$users.ids == ["4", "3"])
        let none = User.query("0").with(\.$chats) { $0.filter(\.title != nil) }
        #expect(none.resolve(in: context)?.chats?.isEmpty == true)
    }

    @Test("3.10: with shows entities that are there, id also those that are still to come")
    func danglingLinks() throws {
        var context = try Model.chat()
        try Chat(id: "1", users: .appending(ids: ["ghost"])).save(to: &context)
        try Message(id: "3", text: "t", author: .id("ghost"), chat: .id("1")).save(to: &context)
        let shown = try #require(Chat.query("1").with(\.$users).resolve(in: context))
        #expect(shown.users?.map(\.id) == ["1", "2"])
        let ids = try #require(Chat.query("1").id(\.$users).resolve(in: context))
        #expect(ids.$users.ids == ["1", "2", "ghost"])
        #expect(Message.query("3").with(\.$author).resolve(in: context)?.$author.isNone == true)
        #expect(Message.query("3").id(\.$author).resolve(in: context)?.$author.id == "ghost")
    }

    @Test("Fault 12: ids of deleted entities are not shown")
    func deletedLinks() throws {
        var context = try Model.chat()
        try Message(id: "1", text: "t", viewedBy: .relation([])).save(to: &context)
        var message = try #require(Message.query("1").resolve(in: context))
        message.$viewedBy = .ids(["1", "2"])
        try message.save(to: &context)
        try User.delete(id: "1", from: &context)
        let seen = try #require(Message.query("1").id(\.$viewedBy).resolve(in: context))
        #expect(seen.$viewedBy.ids == ["2"])
    }

    @Test("SM-49, fault 7: no later filter, sort, limit, first or last loses a shape")
    func nothingLosesShapes() throws {
        let context = try Model.chat()
        let shaped = Message.query().with(\.$author)
        let queries: [QueryList<Message>] = [
            shaped.filter(\.text != ""), shaped.sorted(by: \.text), shaped.limit(2),
            shaped.distinct(), shaped.or(.filter(\.text == "")),
            shaped.and(Message.query()), shaped.sorted(by: .updatedAt.desc),
        ]
        for query in queries {
            let authors = query.resolve(in: context).map { $0.author?.name }
            #expect(Set(authors) == ["Bob", "Alice"])
        }
        #expect(shaped.first().resolve(in: context)?.author?.name == "Bob")
        #expect(shaped.last().resolve(in: context)?.author?.name == "Alice")
        #expect(
            Message.query("2").with(\.$author).filter(\.text == "Yes.").resolve(in: context)?
                .author?.name == "Alice")
    }

    @Test("Fault 8: a relation that was filtered cuts nothing when it is saved back")
    func filteredRelationSavedBack() throws {
        var context = try Model.chat()
        let filtered = try #require(
            Chat.query("1").with(\.$users) { $0.filter(\.age > 20) }.resolve(in: context))
        #expect(filtered.users?.map(\.id) == ["1"] && filtered.$users.isSlice)
        try filtered.save(to: &context)
        let limited = try #require(
            Chat.query("1").id(\.$users) { $0.limit(1) }.with(\.$messages) { $0.limit(1) }
                .resolve(in: context))
        try limited.save(to: &context)
        let all = try #require(
            Chat.query("1").id(\.$users).id(\.$messages).resolve(in: context))
        #expect(all.$users.ids == ["1", "2"] && all.$messages.ids == ["1", "2"])
    }

    @Test(
        "Fault 8: a relation that does not show a link to come cuts nothing when it is saved back")
    func hiddenLinkSavedBack() throws {
        var context = try Model.chat()
        try Chat(id: "1", users: .appending(ids: ["3"])).save(to: &context)
        let chat = try #require(Chat.query("1").with(\.$users).resolve(in: context))
        try chat.save(to: &context)
        try User(id: "3", name: "Carol").save(to: &context)
        #expect(
            Chat.query("1").related(\.$users).resolve(in: context).map(\.name) == [
                "Bob", "Alice", "Carol",
            ])
    }

    @Test("A relation that shows all that is linked replaces when it is saved back")
    func completeRelationSavedBack() throws {
        var context = try Model.chat()
        let chat = try #require(
            Chat.query("1").with(\.$users) { $0.sorted(by: \.name) }.resolve(in: context))
        #expect(!chat.$users.isSlice)
        try chat.save(to: &context)
        #expect(
            Chat.query("1").related(\.$users).resolve(in: context).map(\.name) == [
                "Alice", "Bob",
            ])
    }

    @Test("Of two calls for one relation the last one counts")
    func lastCallCounts() throws {
        let context = try Model.chat()
        let chat = try #require(
            Chat.query("1").with(.entities).id(\.$users).resolve(in: context))
        #expect(chat.$users.isId && chat.messages?.count == 2)
        let message = Message.query("1").with(\.$author).with(\.$author) {
            $0.filter(\.name == "nobody")
        }
        #expect(message.resolve(in: context)?.$author.isNone == true)
    }
}
