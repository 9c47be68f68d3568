import Foundation
import Testing
import VarveGraph

private enum Board {
    @EntityModel
    struct Card: Codable, Equatable {
        let id: String
        var title: String
        @Relationship(inverse: \.cards) var list: List?
        @Relationship(deleteRule: .cascade, inverse: \.card) var files: [File]?
        @Relationship var watchers: [List]? = nil
    }

    @EntityModel
    struct List: Codable {
        let id: String
        @Relationship(inverse: \.list) var cards: [Card]?
        @Relationship var trash: [Deleted<Card>]? = nil
    }

    @EntityModel
    struct File: Codable {
        let id: String
        @Relationship(inverse: \.files) var card: Card?

        func asDeleted(in context: Context) -> Deleted<File>? { nil }
    }
}

private typealias Card = Board.Card
private typealias List = Board.List
private typealias File = Board.File

@Suite("Deleting and restoring")
struct DeletedConformanceTests {
    private func board() throws -> Context {
        var context = Context()
        try List(
            id: "l",
            cards: .relation([
                Card(id: "1", title: "one", files: .relation([File(id: "f")])),
                Card(id: "2", title: "two"), Card(id: "3", title: "three"),
            ])
        ).save(to: &context)
        return context
    }

    @Test("SM-63: deleting what is not there does nothing and leaves no tombstone")
    func deleteMissing() throws {
        var context = try board()
        try Card(id: "9", title: "").delete(from: &context)
        try Card.delete(id: "9", from: &context)
        #expect(context.count(Deleted<Card>.self) == 0)
        try Card(id: "2", title: "stale").delete(from: &context)
        #expect(context.ids(Card.self) == ["1", "3"])
        #expect(Deleted<Card>.query("2").resolve(in: context)?.entity.title == "two")
    }

    @Test(
        "SM-64: a tombstone is an entity: queried, dated, with the ids of everything it was linked to"
    )
    func tombstone() throws {
        var context = try board()
        try Card.delete(id: "1", from: &context)
        let deleted = try #require(Deleted<Card>.query("1").resolve(in: context))
        #expect(deleted.id == "1" && deleted.entity.title == "one")
        #expect(deleted.entity.$list.id == "l" && deleted.entity.$files.ids == ["f"])
        #expect(deleted.entity.$list.isId && deleted.entity.$watchers.isNone)
        #expect(deleted.updatedAt(in: context) != nil)
        #expect(Card(id: "1", title: "").updatedAt(in: context) == nil)
        #expect(Deleted<Card>.query().resolve(in: context).map(\.id) == ["1"])
        #expect(Deleted<Card>.filter(\.entity.title == "one").resolve(in: context).count == 1)
        #expect(
            deleted.prettyDescription() == """
                {
                  "entity" : {
                    "files" : [
                      {
                        "id" : "f"
                      }
                    ],
                    "id" : "1",
                    "list" : {
                      "id" : "l"
                    },
                    "title" : "one",
                    "watchers" : null
                  }
                }
                """)
    }

    @Test("SM-65: restoring brings the entity, its place and its links on both sides back")
    func restore() throws {
        var context = try board()
        try Card.delete(id: "2", from: &context)
        #expect(context.ids(Card.self) == ["1", "3"])
        try Deleted<Card>.query("2").resolve(in: context)?.restore(in: &context)
        #expect(context.ids(Card.self) == ["1", "2", "3"])
        #expect(context.count(Deleted<Card>.self) == 0)
        #expect(Card.query("2").related(\.$list).resolve(in: context)?.id == "l")
        #expect(
            Set(List.query("l").related(\.$cards).resolve(in: context).map(\.id))
                == ["1", "2", "3"])
        context.checkInvariants()
    }

    @Test("what a cascade took along does not come back by itself, and links up when it does")
    func restoreAfterCascade() throws {
        var context = Context()
        try Node(id: "p", children: .relation([Node(id: "c")])).save(to: &context)
        try Node.delete(id: "p", from: &context)
        try Deleted<Node>.query("p").resolve(in: context)?.restore(in: &context)
        #expect(context.ids(Node.self) == ["p"])
        try Deleted<Node>.query("c").resolve(in: context)?.restore(in: &context)
        #expect(Node.query("p").related(\.$children).resolve(in: context).map(\.id) == ["c"])
        context.checkInvariants()
    }

    @Test("entities that were deleted one after the other are linked again in either order")
    func restoreBothEnds() throws {
        for order in [["n", "c"], ["c", "n"]] {
            var context = Context()
            try Node(id: "p", children: .relation([Node(id: "o"), Node(id: "c")])).save(
                to: &context)
            try Node(id: "c", children: .relation([Node(id: "n"), Node(id: "m")])).save(
                to: &context)
            try Node.delete(id: "n", from: &context)
            try Node.delete(id: "c", from: &context)
            for id in order {
                try Deleted<Node>.query(id).resolve(in: context)?.restore(in: &context)
            }
            try Deleted<Node>.query("m").resolve(in: context)?.restore(in: &context)
            let children = Node.query("c").related(\.$children).resolve(in: context).map(\.id)
            #expect(Set(children) == ["n", "m"], "\(order)")
            #expect(Node.query("c").related(\.$parent).resolve(in: context)?.id == "p")
            context.checkInvariants()
        }
    }

    @Test(
        "SM-66: saving a tombstone deletes the live entity; saving a live one clears its tombstone")
    func savedTombstone() throws {
        var context = try board()
        try Deleted(Card(id: "2", title: "from the server")).save(to: &context)
        #expect(context.ids(Card.self) == ["1", "3"])
        #expect(Deleted<Card>.query("2").resolve(in: context)?.entity.title == "from the server")
        #expect(List.query("l").related(\.$cards).resolve(in: context).map(\.id) == ["1", "3"])
        try Card(id: "2", title: "back").save(to: &context)
        #expect(context.count(Deleted<Card>.self) == 0)
        #expect(context.ids(Card.self) == ["1", "2", "3"])
        try Deleted(Card(id: "9", title: "never here")).save(to: &context)
        #expect(Deleted<Card>.query("9").exists(in: context))
        context.checkInvariants()
    }

    @Test("SM-67: an entity without a tombstone is gone for good")
    func hardDelete() throws {
        var context = try board()
        try File.delete(id: "f", from: &context)
        #expect(context.count(Deleted<File>.self) == 0 && context.count(File.self) == 0)
        #expect(Card.query("1").id(\.$files).resolve(in: context)?.$files.ids == [])
    }

    @Test("SM-68: a tombstone stays until it is deleted itself, which leaves nothing")
    func purge() throws {
        var context = try board()
        try Card.delete(id: "1", from: &context)
        try Card.delete(id: "2", from: &context)
        try Deleted<Card>.delete(id: "1", from: &context)
        #expect(context.ids(Deleted<Card>.self) == ["2"])
        #expect(context.count(Deleted<Deleted<Card>>.self) == 0)
        try Card(id: "1", title: "another").save(to: &context)
        #expect(context.ids(Card.self) == ["3", "1"])
        context.checkInvariants()
    }

    @Test("a relation may lead to tombstones")
    func relationToTombstones() throws {
        var context = try board()
        try Card.delete(id: "1", from: &context)
        try Card.delete(id: "3", from: &context)
        var list = List(id: "l")
        list.$trash = .ids(["1", "3"])
        try list.save(to: &context)
        let loaded = List.query("l").with(\.$trash).resolve(in: context)
        #expect(loaded?.trash?.map(\.entity.title) == ["one", "three"])
        try Deleted<Card>.query("1").resolve(in: context)?.restore(in: &context)
        #expect(List.query("l").id(\.$trash).resolve(in: context)?.$trash.ids == ["3"])
        context.checkInvariants()
    }
}

@EntityModel
private struct Node {
    let id: String
    @Relationship(inverse: \.children) var parent: Node?
    @Relationship(deleteRule: .cascade, inverse: \.parent) var children: [Node]?
}
