import Foundation
import Testing
import Varve

@EntityModel
private struct Ticket: Equatable {
    @AutoIncrement let id: Int
    var text: String
    var price = 1.0
}

@EntityModel
private struct Token: Equatable {
    var id = UUID()
    var text = ""
}

@EntityModel
private struct Mark: Equatable {
    var id = UUID().uuidString
    var text = ""
}

@EntityModel
private struct Wall: Equatable {
    let id: Int
    @Relationship(inverse: \.walls) var tickets: [Pinned]?
}

@EntityModel
private struct Pinned: Equatable {
    let id: Int
    var text: String
    @Relationship(inverse: \.tickets) var walls: [Wall]?
}

/// Ids, writes, and relations element by element.
extension MagicDataConformanceTests {
    @Test("MD-10: ids come by themselves: numbers of the store, UUIDs, and texts of UUIDs")
    func ids() throws {
        let store = try Store.inMemory(Ticket.self, Token.self, Mark.self)
        let first = try store.write { try $0.create(Ticket(text: "a")) }
        #expect(first.id == 1)
        // The id comes back, so that a second save is an update.
        var again = first
        again.text = "b"
        try store.write { try again.save(to: &$0) }
        #expect(store.context.count(Ticket.self) == 1)
        #expect(try store.write { try $0.create(Ticket(text: "c")) }.id == 2)
        let completed = try store.write { context in
            try context.create(Ticket(text: "")) { $0.text = "No. \($0.id)" }
        }
        #expect(completed == Ticket(id: 3, text: "No. 3"))
        #expect(Token().id != Token().id && UUID(uuidString: Mark().id) != nil)
    }

    @Test("MD-12: saving says which id it has, and whether it inserted, updated or changed nothing")
    func saveResults() throws {
        let store = try Store.inMemory(Ticket.self)
        try store.write { context in
            let inserted = try Ticket(text: "a").save(to: &context)
            #expect(inserted.id == 1 && inserted.change == .inserted)
            let updated = try Ticket(id: 1, text: "a", price: 2).save(to: &context)
            #expect(updated.change == .updated(properties: ["price"]))
            let same = try Ticket(id: 1, text: "a", price: 2).save(to: &context)
            #expect(same.change == .unchanged)
        }
    }

    @Test("MD-22: all objects of a type are removed, which is one step to undo")
    func removeAll() throws {
        let store = try Store.inMemory(Token.self, Mark.self)
        let tokens = (0..<20).map { Token(text: "\($0)") }
        try store.write { context in
            try tokens.save(to: &context)
            try Mark(text: "stays").save(to: &context)
        }
        let count = try store.write("Clear") { try Token.query().delete(from: &$0) }
        #expect(count == 20 && store.context.count(Token.self) == 0)
        #expect(store.context.count(Mark.self) == 1)
        try store.undo()
        #expect(Token.query().resolve(in: store.context) == tokens)
    }

    @Test(
        "MD-31: relations are read element by element, without an array of them, and followed asynchronously"
    )
    func elementByElement() async throws {
        struct Enough: Error {}
        let store = try Store.inMemory(Wall.self)
        let pinned = (0..<100).map { Pinned(id: $0, text: "\($0)") }
        _ = try await store.write { try $0.create(Wall(id: 1, tickets: .relation(pinned))) }
        let related = Wall.query(1).related(\.$tickets)
        var seen: [Int] = []
        related.forEach(in: store.context) { seen.append($0.id) }
        #expect(seen == Array(0..<100))
        // It can end early.
        seen = []
        #expect(throws: Enough.self) {
            try related.forEach(in: store.context) { ticket in
                seen.append(ticket.id)
                if ticket.id == 4 { throw Enough() }
            }
        }
        #expect(seen == Array(0...4))
        // What has to be waited for is a change.
        var counts: [Int] = []
        for await update in store.results(of: related) {
            counts.append(update.list.count)
            if counts.count == 2 { break }
            try await store.write { _ = try Pinned.delete(id: 7, from: &$0) }
        }
        #expect(counts == [100, 99])
    }
}
