import Testing
import Varve

/// The rows of OrderedRelationship that are in scope: an outline whose items are ordered, and go with their list.
@EntityModel
private struct Outline: Equatable {
    @AutoIncrement let id: Int
    var title: String
    @Relationship(deleteRule: .cascade, orphans: .delete, inverse: \.outline) var items: [Line]?
    @Relationship var favourites: [Line]? = nil
}

@EntityModel
private struct Line: Equatable {
    @AutoIncrement let id: Int
    var text: String
    @Relationship(inverse: \.items) var outline: Outline?
    @Relationship(deleteRule: .cascade, orphans: .delete, inverse: \.parent) var children: [Line]?
    @Relationship(inverse: \.children) var parent: Line?
}

@Suite("OrderedRelationship, row by row")
struct OrderedRelationshipConformanceTests {
    private let store: Store
    private let outline: Outline

    init() throws {
        store = try Store.inMemory(Outline.self)
        outline = try store.write("New") {
            try $0.create(
                Outline(
                    title: "List",
                    items: .relation(["a", "b", "c", "d"].map { Line(text: $0) })))
        }
    }

    private func texts() -> String {
        Outline.query(outline.id).related(\.$items).resolve(in: store.context).map(\.text).joined()
    }

    @Test("OR-01 to OR-03: a list comes in its order, and what is missing is left out")
    func inOrder() throws {
        #expect(texts() == "abcd")
        try store.write { try outline.insert([99], at: 0, relation: \.$items, in: &$0) }
        #expect(texts() == "abcd")
        // OR-02: entities of no third type hold the order, and neither does a property of the items.
        let report = try store.writeReporting {
            try outline.move(\.$items, from: 3, to: 0, in: &$0)
        }
        let transaction = try #require(report.transaction)
        #expect(try Set(transaction.types()).isSubset(of: ["Outline", "Line"]))
        #expect(try transaction.changes(of: Line.self).isEmpty && texts() == "dabc")
    }

    @Test("OR-04, OR-09: a new order is logged as what moved")
    func moves() throws {
        let moved = try store.writeReporting("Move") {
            try outline.move(\.$items, from: 3, to: 0, in: &$0)
        }
        #expect(texts() == "dabc")
        let whole = try store.writeReporting("Set") {
            try Outline(id: outline.id, title: "List", items: .ids([1, 2, 3, 4])).save(to: &$0)
        }
        #expect(texts() == "abcd")
        for report in [moved.transaction, whole.transaction] {
            let changes = try report?.changes(of: Outline.self)
            #expect(changes?.count == 1)
        }
    }

    @Test("OR-08: what leaves the array goes, and comes back by an undo where it was")
    func leaving() throws {
        try store.write("Shorten") {
            try Outline(id: outline.id, title: "List", items: .ids([4, 1])).save(to: &$0)
        }
        #expect(texts() == "da")
        #expect(Line.query().resolve(in: store.context).map(\.id) == [1, 4])
        try store.undo()
        #expect(texts() == "abcd")
        try store.write { try outline.detach(\.$items, at: 1, in: &$0) }
        #expect(Line.query().count(in: store.context) == 3)
    }

    @Test("OR-12: a container that was never saved, and new items, are saved without a trap")
    func unsaved() throws {
        let new = try store.write {
            try $0.create(Outline(title: "New", items: .relation([Line(text: "x")])))
        }
        #expect(new.id == 2)
        #expect(Line.query().resolve(in: store.context).map(\.text) == ["a", "b", "c", "d", "x"])
    }

    @Test("OR-14: several ordered relations to one type, and lists inside lists")
    func several() throws {
        try store.write {
            try Outline(id: outline.id, title: "List", favourites: .ids([3, 1])).save(to: &$0)
            try Line(
                id: 1, text: "a",
                children: .relation([Line(text: "aa", children: .relation([Line(text: "aaa")]))])
            ).save(to: &$0)
        }
        #expect(texts() == "abcd")
        let found = Outline.query(outline.id).related(\.$favourites).resolve(in: store.context)
        #expect(found.map(\.text) == ["c", "a"])
        try store.write { _ = try Line.delete(id: 1, from: &$0) }
        #expect(Line.query().resolve(in: store.context).map(\.text) == ["b", "c", "d"])
    }

    @Test("OR-16: an item that is added elsewhere leaves the list it was in, and stays")
    func stolen() throws {
        let other = try store.write { try $0.create(Outline(title: "Other", items: .ids([2]))) }
        #expect(texts() == "acd")
        let items = Outline.query(other.id).related(\.$items).resolve(in: store.context)
        #expect(items.map(\.text) == ["b"])
    }
}
