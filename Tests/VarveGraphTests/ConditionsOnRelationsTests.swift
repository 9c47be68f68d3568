import Testing
import VarveGraph

@EntityModel
private struct Recipient {
    let id: String
    var age = 0
}

@EntityModel
private struct Memo: Equatable, Hashable {
    let id: Int
    var text = ""
    @Relationship var toUser: Recipient? = nil
    @Relationship var copies: [Recipient]? = nil

    /// Reads a relation in some rows only.
    var recipient: String { text.isEmpty ? "" : toUser?.id ?? "nobody" }
    var copyCount: Int { $copies.ids?.count ?? 0 }
    var length: Int { text.count }
}

extension Memo: Comparable {
    static func < (first: Memo, second: Memo) -> Bool { first.copyCount < second.copyCount }
}

/// The relation is read where the macro does not see it: in an extension.
@EntityModel
private struct Errand {
    @Unique<Self>(\.name, \.ownerID) private var uniqueName
    let id: Int
    var name = ""
    @Relationship var owner: Recipient? = nil
}

extension Errand {
    var ownerID: String { owner?.id ?? "" }
}

private enum Indexed {
    @EntityModel
    struct Ordered {
        @Index<Self>(\.ownerID) private var byOwner
        let id: Int
        @Relationship var owner: Recipient? = nil
    }

    @EntityModel
    struct Hashed {
        @HashIndex<Self>(\.ownerID) private var byOwner
        let id: Int
        @Relationship var owner: Recipient? = nil
    }

    @EntityModel
    struct Worded {
        @FullTextIndex<Self>(\.ownerID) private var words
        let id: Int
        @Relationship var owner: Recipient? = nil
    }
}

extension Indexed.Ordered { var ownerID: String { owner?.id ?? "" } }
extension Indexed.Hashed { var ownerID: String { owner?.id ?? "" } }
extension Indexed.Worded { var ownerID: String { owner?.id ?? "" } }

/// One way to read a relation of a row, and the relation that the message names.
private struct Way: Sendable {
    let relation: String
    let body: @Sendable (inout Context) throws -> Void

    init(_ relation: String, _ body: @escaping @Sendable (inout Context) throws -> Void) {
        self.relation = relation
        self.body = body
    }

    static func finding(
        _ relation: String, _ query: @escaping @Sendable () -> QueryList<Memo>
    ) -> Way { Way(relation) { _ = query().resolve(in: $0) } }

    static let conditions: [Way] = [
        finding("Memo.toUser") { Memo.filter(\.toUser?.id == nil) },
        finding("Memo.toUser") { Memo.filter(\.toUser?.id == "z") },
        finding("Memo.toUser") { Memo.filter(\.$toUser.id == nil) },
        finding("Memo.toUser") { Memo.filter(\.$toUser.isNone == true) },
        finding("Memo.toUser") { Memo.filter(\.$toUser.isNull == false) },
        finding("Memo.copies") { Memo.filter(\.$copies.ids?.count == 0) },
        finding("Memo.copies") { Memo.filter(\.$copies.isSlice == false) },
        finding("Memo.copies") { Memo.filter(\.$copies.isId == false) },
        finding("Memo.copies") { Memo.filter(\.$copies.isFragment == false) },
        finding("Memo.toUser") { Memo.filter(\.toUser?.age > 3) },
        finding("Memo.toUser") { Memo.filter(\.recipient == "nobody") },
        finding("Memo.toUser") { Memo.filter(.property(\.recipient, isIn: ["nobody"])) },
        finding("Memo.toUser") { Memo.filter(.string(\.recipient, contains: "nobody")) },
        finding("Memo.toUser") { Memo.filter(.satisfying { $0.toUser == nil }) },
        finding("Memo.toUser") { Memo.filter(.satisfying { $0.$toUser == .none }) },
        finding("Memo.copies") { Memo.filter(.satisfying { $0.copies?.isEmpty ?? true }) },
        finding("Memo.toUser") { Memo.filter(\.self == Memo(id: 1, text: "a")) },
        finding("Memo.toUser") { Memo.filter(!(\.recipient == "nobody")) },
        finding("Memo.toUser") { Memo.query([1, 2]).filter(\.recipient == "nobody") },
    ]

    static let others: [Way] = [
        Way("Memo.toUser") { try Memo.delete(where: \.toUser?.id == nil, from: &$0) },
        Way("Memo.toUser") {
            try Memo.update(where: \.toUser?.id == nil, in: &$0) { $0.text = "found" }
        },
        Way("Memo.toUser") { _ = Memo.query().select(\.toUser?.id).resolve(in: $0) },
        Way("Memo.toUser") { _ = Memo.query().select(\.id, \.recipient).resolve(in: $0) },
        Way("Memo.toUser") { _ = Memo.query().select(\.$toUser).resolve(in: $0) },
        Way("Memo.toUser") { _ = Memo.query().grouped(by: \.recipient).keys(in: $0) },
        Way("Memo.toUser") { _ = Memo.query().grouped(by: \.self).counts(in: $0) },
        Way("Memo.toUser") { _ = Memo.query().sorted(by: \.recipient).resolve(in: $0) },
        Way("Memo.copies") { _ = Memo.query().sorted(by: \.self).resolve(in: $0) },
        Way("Memo.toUser") { _ = Memo.query().max(\.recipient, in: $0) },
        Way("Memo.toUser") { _ = Memo.query().min(\.toUser?.age, in: $0) },
        Way("Memo.copies") { _ = try Memo.query().sum(\.copyCount, in: $0) },
        Way("Memo.toUser") {
            try Memo.delete(id: 1, from: &$0)
            _ = Deleted<Memo>.filter(\.entity.recipient == "nobody").resolve(in: $0)
        },
        Way("Errand.owner") { try Errand(id: 1, name: "a", owner: .id("x")).save(to: &$0) },
        Way("Ordered.owner") { try Indexed.Ordered(id: 1).save(to: &$0) },
        Way("Hashed.owner") {
            try Indexed.Hashed(id: 1).save(to: &$0)
            try Indexed.Hashed(id: 2).save(to: &$0)
        },
        Way("Worded.owner") { try Indexed.Worded(id: 1).save(to: &$0) },
    ]

    static let all = conditions + others
}

private func notes() throws -> Context {
    var context = Context()
    try Memo(id: 1, text: "a", toUser: .relation(Recipient(id: "x"))).save(to: &context)
    try Memo(id: 2, text: "b", toUser: .id("y"), copies: .ids(["x"])).save(to: &context)
    try Memo(id: 3).save(to: &context)
    return context
}

@Suite("Conditions on relations")
struct ConditionsOnRelationsTests {
    @Test("Every way to read a relation of a row stops the program and names the relation")
    func refusals() async throws {
        for index in Way.all.indices {
            let result = await #expect(
                processExitsWith: .failure, observing: [\.standardErrorContent],
                "way \(index) reads \(Way.all[index].relation) as nil"
            ) { [index = index as Int] in
                var context = try notes()
                try Way.all[index].body(&context)
            }
            let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(
                message.contains("the relation \(Way.all[index].relation)"),
                "way \(index): \(message)")
        }
    }

    @Test("What reads no relation is read as ever, computed properties and closures too")
    func others() throws {
        let context = try notes()
        #expect(Memo.filter(\.length == 1).resolve(in: context).map(\.id) == [1, 2])
        #expect(Memo.filter(.satisfying { $0.text == "b" }).resolve(in: context).map(\.id) == [2])
        #expect(
            Memo.query().sorted(by: \.length, \.id.desc).select(\.id).resolve(in: context) == [
                3, 2, 1,
            ])
        // A computed property that does not come to the relation in this row.
        #expect(Memo.query([3]).filter(\.recipient == "").count(in: context) == 1)
    }

    @Test("Entities that are found without their relations read nil, also inside of a condition")
    func plainEntities() throws {
        let context = try notes()
        let plain = try #require(Memo.query(1).resolve(in: context))
        #expect(plain.toUser == nil && plain.$toUser.isNone && plain.$copies.ids == nil)
        #expect(Memo.query().select(\.self).resolve(in: context).allSatisfy { $0.toUser == nil })
        let inside = Memo.filter(
            .satisfying { note in
                plain.toUser == nil && Memo.query(note.id).resolve(in: context)?.copies == nil
            })
        #expect(inside.count(in: context) == 3)
        let loaded = Memo.filter(
            .satisfying { note in
                Memo.query(note.id).with(\.$toUser).resolve(in: context)?.toUser?.id == "x"
            })
        #expect(loaded.resolve(in: context).map(\.id) == [1])
    }

    @Test("The relations of a tombstone are ids, which conditions can read")
    func tombstones() throws {
        var context = try notes()
        try Memo.delete(id: 1, from: &context)
        try Memo.delete(id: 3, from: &context)
        let toX = Deleted<Memo>.filter(\.entity.$toUser.id == "x").resolve(in: context)
        #expect(toX.map(\.id) == [1])
        let toNone = Deleted<Memo>.filter(\.entity.$toUser.id == nil).resolve(in: context)
        #expect(toNone.map(\.id) == [3])
        let entities = Deleted<Memo>.query().select(\.entity).resolve(in: context)
        #expect(entities.map(\.$toUser.id) == ["x", nil])
        try entities.save(to: &context)
        #expect(Memo.query(1).related(\.$toUser).resolve(in: context)?.id == "x")
    }
}
