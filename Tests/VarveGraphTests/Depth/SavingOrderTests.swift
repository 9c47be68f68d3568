import Testing
import VarveGraph

/// What the hooks of ``Part`` saw, in order.
@EntityModel
private struct Entry {
    let id: Int
    let text: String

    static func add(_ text: String, to context: inout Context) throws {
        try Entry(id: context.count(Entry.self), text: text).save(to: &context)
    }
}

@EntityModel
private struct Part {
    let id: String
    @Relationship var first: Part? = nil
    @Relationship() var middle: [Part]?
    @Relationship var last: [Part]? = nil

    mutating func willSave(to context: inout Context) throws {
        try Entry.add("will \(id)", to: &context)
    }
    func saveMetadata(to context: inout Context) throws {
        try Entry.add("metadata \(id)", to: &context)
    }
    func didSave(to context: inout Context) throws {
        let links = [
            Part.query(id).related(\.$first).resolve(in: context).map { [$0] } ?? [],
            Part.query(id).related(\.$middle).resolve(in: context),
            Part.query(id).related(\.$last).resolve(in: context),
        ]
        let text = links.map { $0.map(\.id).joined(separator: ",") }.joined(separator: "/")
        try Entry.add("did \(id) \(text)", to: &context)
        // A save inside the save, of a part that holds others itself.
        if id == "a" {
            try Part(id: "h", first: .relation(Part(id: "i", first: .relation(Part(id: "j")))))
                .save(to: &context)
        }
    }
}

@Suite("The order of what a save of a graph does")
struct SavingOrderTests {
    @Test("Each relation is saved and linked before the next, all before the entity's last hooks")
    func order() throws {
        var context = Context()
        let first = Part(
            id: "a",
            last: .relation([Part(id: "b", first: .relation(Part(id: "c"))), Part(id: "d")]))
        let last = [
            Part(id: "e"), Part(id: "f", middle: .relation([Part(id: "g")])), Part(id: "e"),
        ]
        let graph = Part(
            id: "r", first: .relation(first), middle: .ids(["x", "a"]), last: .relation(last))
        try graph.save(to: &context)
        let texts = Entry.query().resolve(in: context).map(\.text)
        #expect(
            texts == [
                "will r", "will a", "will b", "will c", "metadata c", "did c //", "metadata b",
                "did b c//", "will d", "metadata d", "did d //", "metadata a", "did a //b,d",
                "will h", "will i", "will j", "metadata j", "did j //", "metadata i", "did i j//",
                "metadata h", "did h i//",
                "will e", "metadata e", "did e //", "will f", "will g", "metadata g", "did g //",
                "metadata f", "did f /g/", "will e", "metadata e", "did e //", "metadata r",
                "did r a/a/e,f",
            ])
        #expect(
            Part.query().resolve(in: context).map(\.id)
                == ["r", "a", "b", "c", "d", "h", "i", "j", "e", "f", "g"])
        #expect(Part.query("r").id(\.$middle).resolve(in: context)?.$middle.ids == ["x", "a"])
        context.checkInvariants()
    }

    @Test("Long lists of parts that hold others are saved like short ones")
    func longLists() throws {
        for count in [1, 15, 16, 17, 40] {
            var context = Context()
            let parts = (0..<count).map { number in
                Part(
                    id: "\(number)",
                    first: number % 3 == 1 ? .relation(Part(id: "of \(number)")) : .none)
            }
            try Part(id: "r", last: .relation(parts)).save(to: &context)
            let found = Part.query("r").related(\.$last).resolve(in: context)
            #expect(found.map(\.id) == parts.map(\.id))
            #expect(context.count(Part.self) == 1 + count + (count + 1) / 3)
            context.checkInvariants()
        }
    }
}
