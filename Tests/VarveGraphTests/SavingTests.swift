import Testing
import VarveGraph

@Suite("Saving")
struct SavingTests {
    @Test("A graph is normalized, and seen whole from its other end")
    func denormalizedFromTheOtherEnd() throws {
        var context = Context()
        let chat = Chat(
            id: "1",
            users: .relation([User(id: "1", name: "Bob"), User(id: "2", name: "Alice")]),
            messages: .relation([
                Message(id: "1", text: "Any thoughts?", author: .id("1")),
                Message(id: "2", text: "Yes.", author: .id("2"), replyTo: .id("1")),
            ]),
            admins: .ids(["1"]))
        try chat.save(to: &context)

        let bob = try #require(
            User.query("1")
                .with(\.$chats) { chat in
                    chat.with(\.$messages) { $0.with(\.$author).id(\.$replyTo) }
                        .with(\.$users)
                        .id(\.$admins)
                }
                .resolve(in: context))
        let found = try #require(bob.chats?.first)
        #expect(found.users?.map(\.name) == ["Bob", "Alice"])
        #expect(found.messages?.map(\.text) == ["Any thoughts?", "Yes."])
        #expect(found.messages?.map { $0.author?.name } == ["Bob", "Alice"])
        #expect(found.messages?[1].$replyTo.id == "1")
        #expect(found.$admins.ids == ["1"])
        #expect(found.admins == [], "ids load no entities")
        #expect(bob.$adminOf.isNone, "what was not asked for is not loaded")
        context.checkInvariants()
    }

    @Test("A relation that says nothing changes no link; null and empty lists remove them")
    func relationStates() throws {
        var context = Context()
        try Chat(id: "c", messages: .relation([Message(id: "m", text: "t")])).save(to: &context)
        try Message(id: "m", text: "new").save(to: &context)
        #expect(Message.query("m").related(\.$chat).resolve(in: context)?.id == "c")
        try Attachment(id: "a", url: "u", message: .id("m")).save(to: &context)
        try Attachment(id: "a", url: "u", message: .null).save(to: &context)
        #expect(Message.query("m").related(\.$attachment).resolve(in: context) == nil)
        try Chat(id: "c", messages: .ids([])).save(to: &context)
        #expect(Message.query("m").related(\.$chat).resolve(in: context) == nil)
        context.checkInvariants()
    }

    @Test("Appending keeps what is there, adds each new id once and at the end")
    func appending() throws {
        var context = Context()
        try Chat(id: "c", users: .ids(["1", "2"])).save(to: &context)
        try Chat(id: "c", users: .appending(ids: ["2", "3", "3"])).save(to: &context)
        let chat = try #require(Chat.query("c").id(\.$users).resolve(in: context))
        #expect(chat.$users.ids == ["1", "2", "3"])
        context.checkInvariants()
    }

    @Test("Replacing takes the new order")
    func reordering() throws {
        var context = Context()
        try Chat(id: "c", users: .ids(["1", "2", "3"])).save(to: &context)
        try Chat(id: "c", users: .ids(["3", "1"])).save(to: &context)
        #expect(
            Chat.query("c").id(\.$users).resolve(in: context)?.$users.ids == ["3", "1"])
        #expect(User(id: "2", name: "").query().exists(in: context) == false)
        context.checkInvariants()
    }

    @Test("A child taken by another parent leaves the one it had, from either side")
    func stealing() throws {
        var context = Context()
        try Chat(id: "a", messages: .relation([Message(id: "m", text: "t")])).save(to: &context)
        try Chat(id: "b", messages: .ids(["m"])).save(to: &context)
        #expect(Chat.query("a").related(\.$messages).count(in: context) == 0)
        #expect(Message.query("m").related(\.$chat).resolve(in: context)?.id == "b")
        try Chat(id: "a", messages: .appending(ids: ["m"])).save(to: &context)
        #expect(Chat.query("b").related(\.$messages).count(in: context) == 0)

        try User(id: "1", name: "Bob", badge: .relation(Badge(id: 7))).save(to: &context)
        try User(id: "2", name: "Alice", badge: .id(7)).save(to: &context)
        #expect(User.query("1").related(\.$badge).resolve(in: context) == nil)
        #expect(Badge.query(7).related(\.$owner).resolve(in: context)?.id == "2")
        context.checkInvariants()
    }

    @Test("A relation that is its own inverse is symmetric")
    func ownInverse() throws {
        var context = Context()
        for id in 1...4 { try Person(id: id).save(to: &context) }
        try Person(id: 1, friends: .ids([1, 2, 3]), spouse: .id(2)).save(to: &context)
        #expect(Person.query(2).related(\.$friends).resolve(in: context).map(\.id) == [1])
        try Person(id: 3, spouse: .id(1)).save(to: &context)
        #expect(Person.query(2).related(\.$spouse).resolve(in: context) == nil)
        #expect(Person.query(1).related(\.$spouse).resolve(in: context)?.id == 3)
        try Person(id: 1, friends: .ids([4])).save(to: &context)
        #expect(Person.query(2).related(\.$friends).count(in: context) == 0)
        context.checkInvariants()
    }

    @Test("A fragment keeps stored values where it has none")
    func fragments() throws {
        var context = Context()
        try User(id: "1", name: "Bob", age: 3, email: "b@x").save(to: &context)
        try User(id: "1", name: "Robert", age: 4).save(to: &context, options: .fragment)
        let user = try #require(User.query("1").resolve(in: context))
        #expect(user.email == "b@x")
        #expect(user.name == "Robert")
        try User(id: "1", name: "Robert", age: 4).save(to: &context)
        #expect(User.query("1").resolve(in: context)?.email == nil)
        try Chat(id: "c", users: .fragment([User(id: "1", name: "R", email: nil)]))
            .save(to: &context)
        #expect(User.query("1").resolve(in: context)?.name == "R")
    }

    @Test("Strategies join from left to right, and the last write wins by a property")
    func strategies() {
        let old = User(id: "1", name: "Bob", age: 2, email: "old")
        let new = User(id: "1", name: "Rob", age: 2)
        let joined = MergeStrategy<User>(.replace, .patch(\.email))
        #expect(joined.merge(old, new: new).email == "old")
        let last = MergeStrategy<User>.lastWriteWins(.replace, comparedBy: \.age)
        #expect(last.merge(old, new: new).name == "Bob", "of equal ones the old one stays")
        #expect(last.merge(old, new: User(id: "1", name: "Rob", age: 3)).name == "Rob")
    }

    @Test("A copy of a context is a snapshot, whatever happens to either")
    func snapshots() throws {
        var context = Context()
        try Chat(id: "c", users: .relation([User(id: "1", name: "Bob")])).save(to: &context)
        let snapshot = context
        try User(id: "1", name: "Rob").save(to: &context)
        try Chat(id: "c", users: .ids([])).save(to: &context)
        try User.delete(id: "1", from: &context)
        #expect(User.query("1").resolve(in: snapshot)?.name == "Bob")
        #expect(Chat.query("c").related(\.$users).resolve(in: snapshot).map(\.id) == ["1"])
        #expect(User.query("1").resolve(in: context) == nil)
        #expect(Deleted<User>.query("1").resolve(in: snapshot) == nil)
        snapshot.checkInvariants()
        context.checkInvariants()
    }

    @Test("A save that throws leaves nothing behind, at any depth")
    func allOrNothing() throws {
        var context = Context()
        try Guarded(id: 1, note: "first").save(to: &context)
        let before = Guarded.query().id(\.$children).resolve(in: context)
        let failing = Guarded(
            id: 1, note: "changed",
            children: .relation([Guarded(id: 2, note: "fine"), Guarded(id: 3, note: "forbidden")]))
        #expect(throws: Guarded.Forbidden.self) { try failing.save(to: &context) }
        #expect(Guarded.query().id(\.$children).resolve(in: context) == before)
        context.checkInvariants()
        try Guarded(id: 4, note: "later").save(to: &context)
        #expect(Guarded.query().resolve(in: context).map(\.id) == [1, 4])
    }
}

@EntityModel
struct Guarded: Equatable {
    struct Forbidden: Error {}

    let id: Int
    var note: String

    @Relationship(inverse: \.parent) var children: [Guarded]?
    @Relationship(inverse: \.children) var parent: Guarded?

    func didSave(to context: inout Context) throws {
        if note == "forbidden" { throw Forbidden() }
    }
}
