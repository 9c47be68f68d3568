import Testing
import VarveGraph

private enum Model {
    enum Status: String, Codable { case active, invited, gone }

    @EntityModel
    struct User {
        let id: String
        var name: String
        var age: Int
        var status: Model.Status = .active
        var email: String?
        @Relationship(inverse: \.users) var chats: [Chat]?
    }

    @EntityModel
    struct Chat {
        let id: String
        var title: String?
        @Relationship(inverse: \.chats) var users: [User]?
        @Relationship(inverse: \.chat) var messages: [Message]?
    }

    @EntityModel
    struct Message {
        let id: String
        var text: String
        @Relationship(.required, inverse: \.messages) var chat: Chat?
        @Relationship var author: User? = nil
    }

    static func people() throws -> Context {
        var context = Context()
        for (index, age) in [31, 17, 45, 17, 62].enumerated() {
            try User(id: "\(index)", name: "n\(index % 2)", age: age).save(to: &context)
        }
        return context
    }
}

extension QueryList where Entity == Model.User {
    fileprivate func ids(_ context: Context) -> [String] { resolve(in: context).map(\.id) }
}

@Suite("Queries (SM-35 to SM-37, SM-42 to SM-45)")
struct QueryConformanceTests {
    private typealias User = Model.User
    private typealias Chat = Model.Chat
    private typealias Message = Model.Message

    @Test("SM-35: a query is built without a context, is Sendable, and answers for any context")
    func lazyQueries() async throws {
        let query: QueryList<User> = User.query().filter(\.age > 20).sorted(by: \.age.desc)
        var context = try Model.people()
        #expect(query.ids(context) == ["4", "2", "0"])
        try User(id: "5", name: "new", age: 99).save(to: &context)
        #expect(query.ids(context) == ["5", "4", "2", "0"])
        #expect(query.ids(Context()).isEmpty)
        let snapshot = context
        let elsewhere = await Task { query.resolve(in: snapshot).map(\.id) }.value
        #expect(elsewhere == ["5", "4", "2", "0"])
    }

    @Test("SM-36: entry points: type, id, ids with order and duplicates, entity, filter, queryAll")
    func entryPoints() throws {
        let context = try Model.people()
        #expect(User.query().ids(context) == ["0", "1", "2", "3", "4"])
        #expect(User.query("2").resolve(in: context)?.age == 45)
        #expect(User.query("gone").resolve(in: context) == nil)
        #expect(User.query(["3", "gone", "0", "3"]).ids(context) == ["3", "0", "3"])
        #expect(User(id: "4", name: "", age: 0).query().resolve(in: context)?.age == 62)
        #expect(User.filter(\.age == 17).ids(context) == ["1", "3"])
        #expect(User.queryAll().ids(context) == ["0", "1", "2", "3", "4"])
        #expect(User.queryAll(with: .ids, in: context).ids(context).count == 5)
        #expect(Query<User>(context: context, id: "2").resolve(in: context)?.age == 45)
        #expect(Query<User>(id: "2").resolve(in: context)?.age == 45)
    }

    @Test("SM-36, fault 17: without a sort, order is insertion order, whatever happened since")
    func insertionOrder() throws {
        var context = Context()
        for id in ["z", "a", "m", "b"] { try User(id: id, name: id, age: 1).save(to: &context) }
        try User(id: "a", name: "again", age: 2).save(to: &context)
        try User.delete(id: "m", from: &context)
        try User(id: "c", name: "c", age: 1).save(to: &context)
        #expect(User.query().ids(context) == ["z", "a", "b", "c"])
        #expect(User.query().limit(2, offset: 1).ids(context) == ["a", "b"])
    }

    @Test("SM-37: operators on paths: optionals, nil, enums, computed paths")
    func operators() throws {
        var context = try Model.people()
        try User(id: "5", name: "longer", age: 3, status: .invited, email: "a@b").save(to: &context)
        #expect(User.filter(\.age <= 17).ids(context) == ["1", "3", "5"])
        #expect(User.filter(\.age != 17).ids(context) == ["0", "2", "4", "5"])
        #expect(User.filter(\.status == .invited).ids(context) == ["5"])
        #expect(User.filter(\.email == nil).ids(context) == ["0", "1", "2", "3", "4"])
        #expect(User.filter(\.email == "a@b").ids(context) == ["5"])
        #expect(User.filter(\.name.count > 2).ids(context) == ["5"])
    }

    @Test("SM-42: filters chain as AND; and takes a predicate or a list; or appends what is new")
    func logic() throws {
        let context = try Model.people()
        #expect(User.filter(\.age > 17).filter(\.name == "n0").ids(context) == ["0", "2", "4"])
        #expect(User.filter(\.age > 17).and(\.age < 60).ids(context) == ["0", "2"])
        #expect(User.filter(\.age > 17).and(User.filter(\.age < 40)).ids(context) == ["0"])
        #expect(
            User.filter(\.age == 62).or(.filter(\.age <= 31)).ids(context) == ["4", "0", "1", "3"])
        #expect(User.filter(\.age >= 18 && \.age < 50).ids(context) == ["0", "2"])
        #expect(User.filter(!(\.age > 17) || \.age == 62).ids(context) == ["1", "3", "4"])
    }

    @Test("SM-43, 3.13: sorts by one to four properties, descending too, stable, duplicates kept")
    func sorting() throws {
        let context = try Model.people()
        #expect(User.query().sorted(by: \.age).ids(context) == ["1", "3", "0", "2", "4"])
        #expect(User.query().sorted(by: \.age.desc).ids(context) == ["4", "2", "0", "1", "3"])
        #expect(
            User.query().sorted(by: \.name, \.age.desc).ids(context) == ["4", "2", "0", "1", "3"])
        #expect(
            User.query().sorted(by: \.status.rawValue, \.name.desc, \.age, \.id.desc)
                .ids(context) == ["3", "1", "0", "2", "4"])
        #expect(
            User.query(["4", "0", "4"]).sorted(by: \.age).ids(context) == ["0", "4", "4"])
    }

    @Test(
        "SM-44, 3.14: limit and offset compose, take nothing for senseless numbers, and count rows")
    func limits() throws {
        var context = try Model.people()
        let sorted = User.query().sorted(by: \.age)
        #expect(sorted.limit(2).ids(context) == ["1", "3"])
        #expect(sorted.limit(2, offset: 3).ids(context) == ["2", "4"])
        #expect(sorted.limit(4, offset: 1).limit(2, offset: 1).ids(context) == ["0", "2"])
        #expect(sorted.limit(0).ids(context).isEmpty)
        #expect(sorted.limit(-1).ids(context).isEmpty)
        #expect(sorted.limit(1, offset: -1).ids(context).isEmpty)
        #expect(sorted.first().resolve(in: context)?.id == "1")
        #expect(sorted.last().resolve(in: context)?.id == "4")
        #expect(User.query(["4", "0", "4"]).distinct().ids(context) == ["4", "0"])
        try Chat(id: "c", users: .ids(["ghost", "1", "2"])).save(to: &context)
        #expect(Chat.query("c").related(\.$users).limit(1).ids(context) == ["1"])
    }

    @Test("Fault 18: an id given twice comes back twice, sorted or not")
    func duplicates() throws {
        let context = try Model.people()
        #expect(User.query(["2", "1", "2"]).sorted(by: \.age).ids(context) == ["1", "2", "2"])
    }

    @Test("SM-45: related queries from one entity, from a list, into groups, and flat again")
    func related() throws {
        var context = Context()
        for id in ["a", "b", "c"] {
            try Chat(
                id: id,
                messages: .relation(
                    (0..<(id == "c" ? 0 : 2)).map { Message(id: "\(id)\($0)", text: "t\($0)") })
            ).save(to: &context)
        }
        let one: [Message] = Chat.query("a").related(\.$messages).resolve(in: context)
        #expect(one.map(\.id) == ["a0", "a1"])
        let chat: Chat? = Message.query("b1").related(\.$chat).resolve(in: context)
        #expect(chat?.id == "b")
        let groups: [[Message]] = Chat.query().related(\.$messages).resolve(in: context)
        #expect(groups.map { $0.map(\.id) } == [["a0", "a1"], ["b0", "b1"], []])
        let flat = Chat.query().related(\.$messages).flatMap()
        #expect(flat.related(\.$chat).resolve(in: context).map(\.id) == ["a", "a", "b", "b"])
    }

    @Test("Groups filter, sort, limit and load each list by itself, and count")
    func groups() throws {
        var context = Context()
        for id in ["a", "b"] {
            try Chat(
                id: id,
                messages: .relation((0..<3).map { Message(id: "\(id)\($0)", text: "\($0)") })
            ).save(to: &context)
        }
        let groups = Chat.query().related(\.$messages)
        #expect(groups.counts(in: context) == [3, 3])
        #expect(groups.filter(\.id != "a1").counts(in: context) == [2, 3])
        let newest = groups.sorted(by: \.text.desc).limit(2)
        #expect(
            newest.resolve(in: context).map { $0.map(\.id) } == [["a2", "a1"], ["b2", "b1"]])
        #expect(newest.flatMap().resolve(in: context).map(\.id) == ["a2", "a1", "b2", "b1"])
        #expect(groups.last().resolve(in: context).map(\.id) == ["a2", "b2"])
        #expect(groups.with(\.$chat).resolve(in: context)[1][0].chat?.id == "b")
    }

    @Test("SM-34: an id without an entity leads to what is linked to it")
    func relatedOfMissing() throws {
        var context = Context()
        try Message(id: "m", text: "t", chat: .id("later")).save(to: &context)
        #expect(Chat.query("later").resolve(in: context) == nil)
        #expect(Chat.query("later").related(\.$messages).resolve(in: context).map(\.id) == ["m"])
        #expect(Chat.query("never").related(\.$messages).resolve(in: context).isEmpty)
    }
}
