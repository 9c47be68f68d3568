import Foundation
import Testing
import VarveGraph

private enum Peer {
    @EntityModel
    struct User: Codable {
        @Unique<Self>(\.email, collisions: .throw) private var uniqueEmail

        let id: String
        var name = ""
        var email = ""
        var age = 0
        @Relationship(inverse: \.users) var chats: [Chat]?
        @Relationship(.optional, inverse: \.owner) var badge: Badge?
    }

    @EntityModel
    struct Badge: Codable {
        let id: String
        @Relationship(.required, inverse: \.badge) var owner: User?
        @Relationship(.optional) var issuer: User?
    }

    @EntityModel
    struct Chat: Codable {
        let id: String
        @Relationship(inverse: \.chats) var users: [User]?
        @Relationship(inverse: \.chat) var messages: [Message]?
    }

    @EntityModel
    struct Message: Codable {
        let id: String
        var text = ""
        @Relationship(inverse: \.messages) var chat: Chat?
        @Relationship var viewedBy: [User]? = nil
        @Relationship var likedBy: [User]? = .ids(["1"])
        @Relationship var sender: User? = .none
        @Relationship var editor: User? = .id("1")
        @Relationship(.required) var author: User?
    }
}

private typealias User = Peer.User
private typealias Badge = Peer.Badge
private typealias Chat = Peer.Chat
private typealias Message = Peer.Message

extension ContextQuery where Result == User?, Key == User.ID {
    /// As the peer's tests extend queries.
    fileprivate func isAdult(in context: Context) -> Bool {
        (resolve(in: context) as? User).map { $0.age >= 18 } ?? false
    }
}

extension CollisionResolver where Entity == User {
    fileprivate static func handled(
        _ handler: @escaping @Sendable (User.ID, User, String, inout Context) throws -> Void
    ) -> Self { CollisionResolver(resolveCollisionHandler: handler) }
}

/// Generic over the public protocols of relations.
private func ids<
    Direction: DirectionalityProtocol, Cardinality: CardinalityProtocol,
    Constraints: ConstraintsProtocol
>(
    _ relation: Relation<User, Direction, Cardinality, Constraints>
) -> String where Cardinality.Entity == User {
    "\(Cardinality.isToMany) \(relation.isNone)"
}

private func users() throws -> Context {
    var context = Context()
    try Chat(
        id: "c",
        users: .relation([
            User(id: "1", name: "Bob", email: "1@x", age: 30, badge: .relation(Badge(id: "b1"))),
            User(id: "2", name: "Alice", email: "2@x", age: 17),
        ]),
        messages: .relation([Message(id: "m", text: "hello", author: .id("1"))])
    ).save(to: &context)
    try Chat(
        id: "d",
        users: .relation([
            User(id: "3", name: "Tom", email: "3@x", age: 40, badge: .relation(Badge(id: "b3")))
        ])
    ).save(to: &context)
    return context
}

@Suite("Public interface of SwiftletModel 0.9")
struct PeerInterfaceConformanceTests {
    @Test("SM-24: one-way relations with a value take every form of relation, as defaults too")
    func oneWayValues() throws {
        let message = Message(id: "1", viewedBy: .ids(["1"]), sender: .id("2"))
        #expect(message.$viewedBy.ids == ["1"] && message.$sender.id == "2")
        #expect(message.$likedBy.ids == ["1"] && message.$editor.id == "1")
        let user = User(id: "3")
        #expect(Message(id: "1", viewedBy: .relation([user])).viewedBy?.map(\.id) == ["3"])
        #expect(Message(id: "1", viewedBy: .fragment([user])).$viewedBy.isFragment)
        #expect(Message(id: "1", viewedBy: .appending(ids: ["4"])).$viewedBy.isSlice)
        #expect(Message(id: "1", viewedBy: .appending(relation: [user])).$viewedBy.isSlice)
        #expect(Message(id: "1", viewedBy: .appending(fragment: [user])).$viewedBy.isFragment)
        #expect(Message(id: "1", viewedBy: nil, sender: nil).$viewedBy.isNone)
        #expect(Message(id: "1", viewedBy: .none, editor: .none).$editor.isNone)
        #expect(Message(id: "1", sender: .relation(user)).sender?.id == "3")
        #expect(Message(id: "1", sender: .fragment(user)).$sender.isFragment)
        #expect(Message(id: "1", sender: .null).$sender.isNull)
        var context = Context()
        try Message(id: "1", viewedBy: .ids(["5", "6"])).save(to: &context)
        try Message(id: "1", viewedBy: .appending(ids: ["7"]), likedBy: nil).save(to: &context)
        let stored = Message.query("1").id(\.$viewedBy).id(\.$likedBy).resolve(in: context)
        #expect(stored?.$viewedBy.ids == ["5", "6", "7"] && stored?.$likedBy.ids == ["1"])
        context.checkInvariants()
    }

    @Test("SM-26: ids of a relation that says nothing are nil, and of an empty one none")
    func optionalIDs() throws {
        let context = try users()
        let plain = try #require(Chat.query("c").resolve(in: context))
        #expect(plain.$users.ids == nil)
        let loaded = try #require(Chat.query("c").id(\.$users).resolve(in: context))
        if let ids = loaded.$users.ids {
            #expect(ids == ["1", "2"])
        } else {
            Issue.record("no ids")
        }
        #expect(Chat(id: "e", users: .relation([])).$users.ids == [])
        #expect(Chat(id: "e", users: .ids([])).$users.ids == [])
        #expect(Chat.query("d").with(\.$messages).resolve(in: context)?.$messages.ids == [])
    }

    @Test("SM-54: a refused value is caught by the resolver's error; handlers are values")
    func collisions() throws {
        var context = try users()
        do {
            try User(id: "9", email: "1@x").save(to: &context)
            Issue.record("a second 1@x was saved")
        } catch CollisionResolver<User>.Errors.uniqueValueIndexViolation(
            existing: let existing, new: let new, indexName: let indexName)
        {
            #expect(existing == "1" && new == "9" && indexName == "uniqueEmail")
        }
        var ran = false
        do {
            try User(id: "9", email: "1@x").save(to: &context)
        } catch CollisionResolver<User>.Errors.uniqueValueIndexViolation {
            ran = true
        }
        #expect(ran)
        _ = CollisionResolver<User>.handled { _, _, _, _ in }
        _ = CollisionResolver<User>(resolveCollisionHandler: { existing, new, name, context in
            throw CollisionResolver<User>.Errors.uniqueValueIndexViolation(
                existing: existing, new: new.id, indexName: name)
        })
    }

    @Test("SM-21: names of relations and what is generic over them")
    func relationNames() {
        let message = Message(id: "1")
        let many: OneToManyRelation<Message, Relations.Required> = Chat(id: "1").$messages
        let alsoMany: ManyToManyRelation<User, Relations.Required> = Chat(id: "1").$users
        let one: ManyToOneRelation<Chat, Relations.Optional> = message.$chat
        let alsoOne: OneToOneRelation<Badge, Relations.Optional> = User(id: "1").$badge
        let owner: OneToOneRelation<User, Relations.Required> = Badge(id: "1").$owner
        #expect(many.isNone && alsoMany.isNone && one.isNone && alsoOne.isNone && owner.isNone)
        #expect(ids(message.$viewedBy) == "true true" && ids(message.$author) == "false true")
        let rule: Relations.DeleteRule = .cascade
        #expect(rule == DeleteRule.cascade)
        let optional: Constraint<Relations.Optional> = .optional
        let required: Constraint<Relations.Required> = .required
        #expect(type(of: optional) != type(of: required))
        #expect(Badge(id: "1", issuer: .null).$issuer.isNull)
    }

    @Test("SM-35, SM-45: lists of queries resolve; groups are flat-mapped through queries")
    func listsOfQueries() throws {
        let context = try users()
        let found = ["2", "9", "1"].map { User.query($0) }.resolve(in: context)
        #expect(found.map(\.name) == ["Alice", "Bob"])
        let groups = Chat.query().related(\.$users)
        let badges = groups.flatMap { $0.related(\.$badge) }
        #expect(badges.resolve(in: context).map(\.id) == ["b1", "b3"])
        #expect(badges.count(in: context) == 2)
        let adults = groups.flatMap { $0.filter(\.age > 18).with(\.$badge) }.resolve(in: context)
        #expect(adults.map(\.id) == ["1", "3"] && adults.map(\.badge?.id) == ["b1", "b3"])
        let twice = Chat.query(["c", "c"]).related(\.$users).flatMap { $0.related(\.$badge) }
        #expect(twice.resolve(in: context).map(\.id) == ["b1", "b1"])
    }

    @Test("SM-36: queries start from their types")
    func staticQueries() throws {
        let context = try users()
        #expect(Query<User>.filter(\.age > 18).resolve(in: context).map(\.id) == ["1", "3"])
        #expect(Query<User>.filter(.string(\.name, contains: "o")).count(in: context) == 2)
        #expect(QueryList<User>.filter(\.age > 18).count(in: context) == 2)
        let always = Date.distantPast...Date.distantFuture
        #expect(Query<User>.filter(.updated(within: always)).count(in: context) == 3)
        #expect(QueryList<User>.schemaQuery().resolve(in: context).map(\.id) == ["1", "2", "3"])
        #expect(Query<User>.schemaQuery().resolve(in: context) == nil)
        #expect(User.query("1").isAdult(in: context) && !User.query("2").isAdult(in: context))
    }

    @Test("SM-60: updatedAt of a loaded relation, with what it has loaded or without")
    func nestedTimes() throws {
        var context = try users()
        try Badge(id: "b1").save(to: &context)
        let chat = try #require(
            Chat.query("c").with(\.$users) { $0.with(\.$badge) }.resolve(in: context))
        let badge = try #require(Badge(id: "b1").updatedAt(in: context))
        let user = try #require(User(id: "1").updatedAt(in: context))
        #expect(badge > user)
        #expect(chat.updatedAt(\.users, in: context, withNested: true) == badge)
        #expect(chat.updatedAt(\.users, in: context, withNested: false) == user)
        let bob = try #require(chat.users?.first)
        #expect(bob.updatedAt(\.badge, in: context, withNested: true) == badge)
        #expect(bob.updatedAt(\.chats, in: context, withNested: true) == nil)
    }

    @Test("SM-19: lastWriteWins takes its strategies as a list")
    func listedStrategies() {
        let strategy = MergeStrategy<User>.lastWriteWins([User.patch], comparedBy: \.age)
        let old = User(id: "1", name: "old", age: 1)
        #expect(strategy.merge(old, new: User(id: "1", name: "new", age: 2)).name == "new")
        #expect(strategy.merge(old, new: User(id: "1", name: "new", age: 0)).name == "old")
    }

    @Test("SM-30: detach is called with try, as every other change")
    func detaching() throws {
        var context = try users()
        let chat = Chat(id: "c")
        try chat.detach(["2"], relation: \.$users, inverse: \.$chats, in: &context)
        #expect(Chat.query("c").related(\.$users).resolve(in: context).map(\.id) == ["1"])
        try chat.detach(\.$users, inverse: \.$chats, in: &context)
        #expect(Chat.query("c").related(\.$users).resolve(in: context).isEmpty)
    }
}
