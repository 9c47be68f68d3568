// Without Foundation, which has a `Predicate` of its own: beside it the name is ambiguous, as it is with
// SwiftletModel.
import Testing
import VarveGraph

private enum Peer {
    @EntityModel
    struct User {
        let id: String
        var name = ""
        var age = 0
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
        @Relationship(inverse: \.messages) var chat: Chat?
    }
}

private typealias User = Peer.User
private typealias Chat = Peer.Chat
private typealias Message = Peer.Message

private func users() throws -> Context {
    var context = Context()
    let users = [
        User(id: "1", name: "Bob", age: 30), User(id: "2", name: "Alice", age: 17),
        User(id: "3", name: "Tom", age: 40),
    ]
    try Chat(
        id: "c", users: .relation(Array(users.prefix(2))), messages: .relation([Message(id: "m")])
    ).save(to: &context)
    try users[2].save(to: &context)
    return context
}

@Suite("Names of SwiftletModel 0.9 for predicates")
struct PeerPredicateConformanceTests {
    @Test("SM-37: names of predicates and of closures that modify queries")
    func queryNames() throws {
        let context = try users()
        let older: Predicate<User, Int> = \.age > 18
        let bob: EqualityPredicate<User, String> = \.name == "Bob"
        let text: StringPredicate<User> = .string(\.name, hasPrefix: "A")
        let pattern: RegexPredicate<User> = .string(\.name, matches: Regex(/T.m/))
        #expect(User.filter(older).count(in: context) == 2)
        #expect(User.filter(bob).count(in: context) == 1)
        #expect(User.filter(text).count(in: context) == 1)
        #expect(User.filter(pattern).count(in: context) == 1)
        let adults: QueryListModifier<User> = { $0.filter(\.age > 18) }
        let plain: QueryModifier<Chat> = { $0.with(\.$users, nested: adults) }
        let message = Message.query("m").with(\.$chat, nested: plain).resolve(in: context)
        #expect(message?.chat?.users?.map(\.id) == ["1"])
        let order: Metadata = .updatedAt
        #expect(User.query().sorted(by: order).count(in: context) == 3)
        #expect(User.query().sorted(by: Metadata.updatedAt).count(in: context) == 3)
    }
}
