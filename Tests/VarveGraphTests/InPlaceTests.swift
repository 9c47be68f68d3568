import Testing

@testable import VarveGraph

@Suite("Mutation in place")
struct InPlaceTests {
    /// The identities of a context's tables: they change when a table is copied.
    private func identities(_ context: borrowing Context) -> [ObjectIdentifier] {
        context.tables.tables.unfilled.map { ObjectIdentifier($0) }
    }

    @Test("No operation on a context of its own copies a table")
    func noCopies() throws {
        var context = Context()
        try Chat(
            id: "c", users: .relation([User(id: "1", name: "Bob")]),
            messages: .relation([Message(id: "m", text: "t", author: .id("1"))])
        ).save(to: &context)
        let before = identities(context)
        try User(id: "2", name: "Alice", chats: .ids(["c"])).save(to: &context)
        try User(id: "2", name: "Alice").save(to: &context, options: .fragment)
        try Chat(id: "c", users: .appending(ids: ["7"])).save(to: &context)
        try User.delete(id: "2", from: &context)
        try Deleted<User>.query("2").resolve(in: context)?.restore(in: &context)
        try Chat.delete(id: "c", from: &context)
        try Deleted<Chat>.query("c").resolve(in: context)?.restore(in: &context)
        #expect(throws: Guarded.Forbidden.self) {
            try Guarded(id: 1, note: "forbidden").save(to: &context)
        }
        try User.update(where: \.age == 0, in: &context) { $0.age += 1 }
        try User.query("1").update(in: &context) { $0.$chats = .ids(["c"]) }
        try Chat.query().with(.entities, .ids).first().update(in: &context) { $0.title = "t" }
        try Message.query().delete(from: &context)
        #expect(Array(identities(context).prefix(before.count)) == before)
    }

    @Test("A change behind a snapshot copies the tables that it touches, and only those")
    func copiesAfterSnapshot() throws {
        var context = Context()
        try Chat(id: "c", users: .relation([User(id: "1", name: "Bob")])).save(to: &context)
        let snapshot = context
        try User(id: "1", name: "Rob").save(to: &context)
        let changed = zip(identities(snapshot), identities(context)).filter { $0 != $1 }
        #expect(changed.count == 1)
    }
}
