import Testing
import VarveGraph

@Suite("Queries")
struct QueryTests {
    private func people() throws -> Context {
        var context = Context()
        let ages = [31, 17, 45, 17, 62]
        for (index, age) in ages.enumerated() {
            try User(id: "\(index)", name: "Name \(index % 2)", age: age).save(to: &context)
        }
        return context
    }

    private func ids(_ query: QueryList<User>, _ context: Context) -> [String] {
        query.resolve(in: context).map(\.id)
    }

    @Test("Without a sort, entities come in the order of their insertion")
    func defaultOrder() throws {
        var context = try people()
        try User(id: "0", name: "again").save(to: &context)
        #expect(ids(User.query(), context) == ["0", "1", "2", "3", "4"])
    }

    @Test("Insertion order holds even for ids that were referred to before they were saved")
    func orderOfForwardReferences() throws {
        var context = Context()
        try Chat(id: "c", users: .ids(["x", "y", "z"])).save(to: &context)
        for id in ["z", "x", "y"] { try User(id: id, name: id).save(to: &context) }
        #expect(ids(User.query(), context) == ["z", "x", "y"])
        #expect(
            Chat.query("c").related(\.$users).resolve(in: context).map(\.id) == ["x", "y", "z"])
        context.checkInvariants()
    }

    @Test("Comparisons, also of computed paths, and their combinations")
    func predicates() throws {
        let context = try people()
        #expect(ids(User.filter(\.age == 17), context) == ["1", "3"])
        #expect(ids(User.filter(\.age != 17), context) == ["0", "2", "4"])
        #expect(ids(User.filter(\.age >= 31 && \.age < 62), context) == ["0", "2"])
        #expect(ids(User.filter(\.age > 60 || !(\.age > 17)), context) == ["1", "3", "4"])
        #expect(ids(User.filter(\.name.count == 6), context).count == 5)
        #expect(ids(User.filter(\.email == nil).and(\.age <= 31), context) == ["0", "1", "3"])
        #expect(ids(User.filter(\.age == 62).or(.filter(\.age == 31)), context) == ["4", "0"])
        #expect(
            ids(User.filter(\.age < 50).and(User.filter(\.name == "Name 0")), context) == [
                "0", "2",
            ])
        #expect(ids(User.filter(.string(\.name, contains: "NAME 1")), context) == ["1", "3"])
        #expect(
            ids(User.filter(.string(\.name, hasPrefix: "name", caseSensitive: true)), context)
                .isEmpty)
    }

    @Test("Sorting by several properties is stable and may descend")
    func sorting() throws {
        let context = try people()
        #expect(ids(User.query().sorted(by: \.age), context) == ["1", "3", "0", "2", "4"])
        #expect(ids(User.query().sorted(by: \.age.desc), context) == ["4", "2", "0", "1", "3"])
        #expect(
            ids(User.query().sorted(by: \.name.desc, \.age), context) == ["1", "3", "0", "2", "4"])
    }

    @Test("Limits count entities that are there")
    func paging() throws {
        var context = try people()
        let query = User.query().sorted(by: \.age)
        #expect(ids(query.limit(2), context) == ["1", "3"])
        #expect(ids(query.limit(2, offset: 3), context) == ["2", "4"])
        #expect(ids(query.limit(0), context).isEmpty)
        #expect(ids(query.limit(2, offset: -1), context).isEmpty)
        #expect(query.first().resolve(in: context)?.id == "1")
        #expect(query.last().resolve(in: context)?.id == "4")
        #expect(User.filter(\.age == 17).count(in: context) == 2)
        #expect(ids(User.query(["4", "9", "0", "4"]), context) == ["4", "0", "4"])
        #expect(ids(User.query(["4", "0", "4"]).distinct(), context) == ["4", "0"])
        try Chat(id: "c", users: .ids(["missing", "1", "2"])).save(to: &context)
        let users = Chat.query("c").related(\.$users)
        #expect(ids(users.limit(1), context) == ["1"])
        #expect(
            Chat.query("c").id(\.$users).resolve(in: context)?.$users.ids == ["missing", "1", "2"])
    }

    @Test("Nested queries filter and sort, and no later call loses them")
    func shapes() throws {
        var context = Context()
        try Chat(
            id: "c", title: "t",
            users: .relation((0..<5).map { User(id: "\($0)", name: "n", age: 9 - $0) })
        ).save(to: &context)
        let chats = Chat.query()
            .with(\.$users) { $0.filter(\.age > 5).sorted(by: \.age).with(\.$chats) }
            .filter(\.title == "t")
            .sorted(by: \.id)
            .resolve(in: context)
        #expect(chats.first?.users?.map(\.age) == [6, 7, 8, 9])
        #expect(chats.first?.users?.first?.chats?.first?.id == "c")
        let slice = try #require(
            Chat.query("c").with(slice: \.$users) { $0.limit(1) }.resolve(in: context))
        #expect(slice.$users.isSlice)
        try slice.save(to: &context)
        #expect(Chat.query("c").related(\.$users).count(in: context) == 5)
    }

    @Test("Related queries lead from one entity, from a list, and to lists of lists")
    func related() throws {
        var context = Context()
        for chat in ["a", "b"] {
            try Chat(
                id: chat,
                messages: .relation((0..<2).map { Message(id: "\(chat)\($0)", text: "t") })
            ).save(to: &context)
        }
        let groups = Chat.query().related(\.$messages)
        #expect(groups.resolve(in: context).map { $0.map(\.id) } == [["a0", "a1"], ["b0", "b1"]])
        #expect(
            groups.flatMap().related(\.$chat).resolve(in: context).map(\.id) == [
                "a", "a", "b", "b",
            ])
        #expect(Message.query("b1").related(\.$chat).resolve(in: context)?.id == "b")
    }
}
