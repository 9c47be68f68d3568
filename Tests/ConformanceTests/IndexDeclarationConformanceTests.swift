import Foundation
import Testing
import VarveGraph

/// The manual's generic entity with an index.
@EntityModel
private struct GenericAttachment<T: Codable & Sendable & Hashable>: Codable, Sendable {
    @HashIndex<Self>(\.kind) private var kindIndex

    let id: String
    var kind: T

    @Relationship
    var message: Message? = .none
}

@EntityModel
private struct Message: Codable {
    @Index<Self>(\.text, \.likes.desc) private var textIndex
    @Unique<Self>(\.text) private var uniqueText

    let id: String
    var text: String
    var likes = 0
}

/// Every kind of index on the id itself, whose type the compiler infers from the property.
@EntityModel
private struct Ticket: Codable, Identifiable {
    @Index<Self>(\.id) private var idIndex
    @Index<Self>(\.day, \.id.desc) private var dayIndex
    @HashIndex<Self>(\.id) private var idHash
    @Unique<Self>(\.day, \.id, collisions: .throw) private var uniqueDay

    let id: Int
    var day: String
}

@EntityModel
private struct GenericTicket<Key: Hashable & Comparable & Codable & Sendable> {
    @Index<Self>(\.id) private var idIndex

    let id: Key
    @Relationship() var others: [GenericTicket<Key>]?
}

@Suite("Index declarations")
struct IndexDeclarationConformanceTests {
    @Test("an index may be about the id, alone or behind other properties")
    func indexedID() throws {
        var context = Context()
        for id in [3, 1, 2] { try Ticket(id: id, day: "x").save(to: &context) }
        #expect(Ticket.query().sorted(by: \.id).resolve(in: context).map(\.id) == [1, 2, 3])
        #expect(Ticket.filter(\.id > 1).count(in: context) == 2)
        let plan = Ticket.query().sorted(by: \.day, \.id.desc).limit(2).explain(in: context)
        #expect(plan.description.contains("dayIndex"))
        try GenericTicket(id: "b").save(to: &context)
        try GenericTicket(id: "a").save(to: &context)
        let sorted = GenericTicket<String>.query().sorted(by: \.id).resolve(in: context)
        #expect(sorted.map(\.id) == ["a", "b"])
    }

    @Test("SM-05: an index declaration holds nothing, and a memberwise initializer does not see it")
    func declaration() throws {
        let message = Message(id: "1", text: "a")
        #expect(message.likes == 0)
        struct Plain {
            let id: String
            var text: String
            var likes: Int
        }
        #expect(MemoryLayout<Message>.size == MemoryLayout<Plain>.size)
    }

    @Test("SM-06: an index declaration is neither written nor missed when it is read")
    func coding() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(Message(id: "1", text: "a"))
        #expect(String(decoding: data, as: UTF8.self) == #"{"id":"1","likes":0,"text":"a"}"#)
        #expect(try JSONDecoder().decode(Message.self, from: data).text == "a")
    }

    @Test("SM-04: a generic entity has indexes of its own for each specialisation")
    func generic() throws {
        var context = Context()
        try GenericAttachment(
            id: "1", kind: "text", message: .relation(Message(id: "m", text: "x"))
        )
        .save(to: &context)
        try GenericAttachment(id: "2", kind: "image").save(to: &context)
        try GenericAttachment(id: "1", kind: 7).save(to: &context)
        #expect(
            GenericAttachment<String>.filter(\.kind == "image").resolve(in: context).map(\.id)
                == ["2"])
        #expect(GenericAttachment<Int>.filter(\.kind == 7).resolve(in: context).map(\.id) == ["1"])
        #expect(
            GenericAttachment<String>.query("1").related(\.$message).resolve(in: context)?.id == "m"
        )
    }
}
