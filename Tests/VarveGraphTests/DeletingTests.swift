import Testing
import VarveGraph

@Suite("Deleting and restoring")
struct DeletingTests {
    private func conversation() throws -> Context {
        var context = Context()
        try Chat(
            id: "c", users: .relation([User(id: "1", name: "Bob"), User(id: "2", name: "Alice")]),
            messages: .relation([
                Message(
                    id: "m1", text: "one", author: .id("1"),
                    attachment: .relation(Attachment(id: "a", url: "u"))),
                Message(id: "m2", text: "two", author: .id("2")),
            ])
        ).save(to: &context)
        return context
    }

    @Test("Cascade takes the children's children along, nullify leaves the rest")
    func deleteRules() throws {
        var context = try conversation()
        try Chat.delete(id: "c", from: &context)
        #expect(context.count(Chat.self) == 0)
        #expect(context.count(Message.self) == 0)
        #expect(context.count(Attachment.self) == 0)
        #expect(context.count(User.self) == 2)
        #expect(User.query("1").related(\.$chats).count(in: context) == 0)
        #expect(
            Deleted<Message>.query("m1").resolve(in: context)?.entity.$chat.id == "c",
            "a child's tombstone still names its parent")
        context.checkInvariants()
    }

    @Test("A restored entity returns with its links, to its place in the order")
    func restoring() throws {
        var context = try conversation()
        try User(id: "3", name: "Carol").save(to: &context)
        try User.delete(id: "1", from: &context)
        #expect(Chat.query("c").related(\.$users).resolve(in: context).map(\.id) == ["2"])
        let tombstone = try #require(Deleted<User>.query("1").resolve(in: context))
        #expect(tombstone.entity.$chats.ids == ["c"])
        try tombstone.restore(in: &context)
        #expect(User.query().resolve(in: context).map(\.id) == ["1", "2", "3"])
        #expect(
            Set(Chat.query("c").related(\.$users).resolve(in: context).map(\.id)) == ["1", "2"])
        #expect(Deleted<User>.query("1").resolve(in: context) == nil)
        context.checkInvariants()
    }

    @Test("Deleting says whether there was anything; what is not there leaves no tombstone")
    func missing() throws {
        var context = try conversation()
        #expect(try User.delete(id: "1", from: &context))
        #expect(try !User.delete(id: "1", from: &context))
        #expect(try User(id: "2", name: "").delete(from: &context))
        #expect(try !User(id: "2", name: "").delete(from: &context))
        #expect(try Deleted<User>.delete(id: "1", from: &context))
        #expect(try !User.delete(id: "9", from: &context))
        #expect(Deleted<User>.query("9").resolve(in: context) == nil)
    }

    @Test("Saving a tombstone deletes the living, saving the living clears the tombstone")
    func tombstonesAsEntities() throws {
        var context = try conversation()
        try Deleted(User(id: "2", name: "Alice")).save(to: &context)
        #expect(User.query("2").resolve(in: context) == nil)
        #expect(Deleted<User>.query("2").exists(in: context))
        try Deleted(User(id: "7", name: "Never seen")).save(to: &context)
        #expect(Deleted<User>.query().resolve(in: context).map(\.id) == ["2", "7"])
        try User(id: "2", name: "Alice again").save(to: &context)
        #expect(!Deleted<User>.query("2").exists(in: context))
        context.checkInvariants()
    }

    @Test("A chain of cascades may be as long as the data is deep")
    func longCascade() throws {
        var context = Context()
        let length = 100_000
        for id in 0..<length {
            try Link(id: id, next: .id(id + 1)).save(to: &context)
        }
        try Link.delete(id: 0, from: &context)
        #expect(context.count(Link.self) == 0)
        #expect(context.count(Deleted<Link>.self) == length)
    }

    @Test("Hooks run around a deletion, and one that throws keeps everything")
    func hooks() throws {
        var context = Context()
        try Kept(id: 1, children: .relation([Kept(id: 2), Kept(id: 3, isLocked: true)]))
            .save(to: &context)
        #expect(throws: Kept.Locked.self) { try Kept.delete(id: 1, from: &context) }
        #expect(Kept.query().resolve(in: context).map(\.id) == [1, 2, 3])
        #expect(Kept.query(1).related(\.$children).resolve(in: context).map(\.id) == [2, 3])
        #expect(context.count(Deleted<Kept>.self) == 0)
        context.checkInvariants()
    }

    @Test("Detaching removes links only; deleting a relation removes what it leads to")
    func detaching() throws {
        var context = try conversation()
        let chat = try #require(Chat.query("c").resolve(in: context))
        try chat.detach(\.$users, inverse: \.$chats, in: &context)
        #expect(context.count(User.self) == 2)
        #expect(Chat.query("c").related(\.$users).count(in: context) == 0)
        try chat.delete(\.$messages, inverse: \.$chat, from: &context)
        #expect(context.count(Message.self) == 0)
        #expect(context.count(Chat.self) == 1)
        context.checkInvariants()
    }
}

@EntityModel
struct Link {
    let id: Int

    @Relationship(deleteRule: .cascade, inverse: \.previous) var next: Link?
    @Relationship(inverse: \.next) var previous: Link?
}

@EntityModel
struct Kept {
    struct Locked: Error {}

    let id: Int
    var isLocked = false

    @Relationship(deleteRule: .cascade, inverse: \.parent) var children: [Kept]?
    @Relationship(inverse: \.children) var parent: Kept?

    func willDelete(from context: inout Context) throws {
        if isLocked { throw Locked() }
    }
}
