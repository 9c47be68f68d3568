import Testing
import VarveGraph

private enum Base {
    @EntityModel
    struct Item: Equatable {
        let id: String
        var value = 0
        @Relationship(inverse: \.items) var box: Box?
    }

    @EntityModel
    struct Box {
        let id: String
        @Relationship(inverse: \.box) var items: [Item]?
    }

    struct Code: Hashable, Sendable, Codable {
        let text: String
    }

    @EntityModel
    struct Coded {
        let id: Code
    }
}

private typealias Item = Base.Item

@Suite("Contexts")
struct ContextConformanceTests {
    @Test("SM-09: a context is a value, passed along and changed in place")
    func value() throws {
        func fill(_ context: inout Context) throws { try Item(id: "1").save(to: &context) }
        var context = Context()
        try fill(&context)
        #expect(context.ids(Item.self) == ["1"])
    }

    @Test("SM-10: raw reads: ids, all, find, findAll with gaps, findAllExisting without")
    func rawReads() throws {
        var context = Context()
        try [Item(id: "b", value: 2), Item(id: "a", value: 1)].save(to: &context)
        #expect(context.ids(Item.self) == ["b", "a"])
        #expect((context.all() as [Item]).map(\.value) == [2, 1])
        #expect((context.find("a") as Item?)?.value == 1)
        #expect((context.find("x") as Item?) == nil)
        let all: [Item?] = context.findAll(["a", "x", "b"])
        #expect(all.map { $0?.value } == [1, nil, 2])
        let existing: [Item] = context.findAllExisting(["a", "x", "b"])
        #expect(existing.map(\.value) == [1, 2])
    }

    @Test("SM-12: a copy is a snapshot: rows, links, order, metadata and tombstones stay")
    func snapshots() throws {
        var context = Context()
        try Base.Box(id: "x", items: .relation([Item(id: "1"), Item(id: "2")])).save(to: &context)
        let copy = context
        let time = Item(id: "1").updatedAt(in: copy)
        try Item(id: "1", value: 9, box: .null).save(to: &context)
        try Item.delete(id: "2", from: &context)
        try Item(id: "3").save(to: &context)
        #expect(copy.ids(Item.self) == ["1", "2"])
        #expect((copy.find("1") as Item?)?.value == 0)
        #expect(Item(id: "1").updatedAt(in: copy) == time)
        #expect(copy.count(Deleted<Item>.self) == 0)
        #expect(Base.Box.query("x").related(\.$items).resolve(in: copy).map(\.id) == ["1", "2"])
        #expect(Base.Box.query("x").related(\.$items).resolve(in: context).isEmpty)
        copy.checkInvariants()
        context.checkInvariants()
    }

    @Test("SM-13: an id need not be text to be found in every query")
    func typedIDs() throws {
        var context = Context()
        try Base.Coded(id: Base.Code(text: "not a\nnumber")).save(to: &context)
        #expect(Base.Coded.query().resolve(in: context).count == 1)
        #expect(Base.Coded.query(Base.Code(text: "not a\nnumber")).exists(in: context))
    }

    @Test("SM-75: contexts, values and queries cross threads, and every copy reads on its own")
    func sendable() async throws {
        var context = Context()
        try (0..<100).map { Item(id: "\($0)", value: $0) }.save(to: &context)
        let shared = context
        let query = Item.query().filter(\.value >= 50)
        let counts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { query.resolve(in: shared).count } }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(counts == [50, 50, 50, 50])
        func isSendable<T: Sendable>(_ type: T.Type) -> Bool { true }
        #expect(isSendable(Context.self) && isSendable(MergeStrategy<Item>.self))
    }
}
