import Testing
import Varve
import VarveTestSupport

@EntityModel
private struct Person {
    let id: Int
    @Relationship(inverse: \.spouse) var spouse: Person?
    @Relationship(inverse: \.children) var parent: Person?
    @Relationship(inverse: \.parent) var children: [Person]?
}

@Suite("What commits of drafts come to (SD-16, SD-21)")
struct DraftContentLawTests {
    @Test(
        "Relations of a type to itself are what the draft shows, whatever order its changes have",
        arguments: 1...8 as ClosedRange<UInt64>)
    func selfRelations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store.inMemory(Person.self)
        try store.write { context in
            for id in 0..<8 { try Person(id: id).save(to: &context) }
        }
        func change(_ context: inout Context) throws {
            let id = Int.random(in: 0..<8, using: &random)
            let others = (0..<8).filter { $0 != id }.shuffled(using: &random)
            var person: Person = try #require(context.find(id))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: person.$spouse = .id(others[0])
            case 1: person.$spouse = .null
            case 2: person.$parent = .id(others[0])
            case 3: person.$parent = .null
            default: person.$children = .ids(Array(others.prefix(3)))
            }
            try person.save(to: &context)
        }
        func links(_ context: Context) -> [String] {
            Person.query().id(\.$spouse).id(\.$parent).id(\.$children).resolve(in: context).map {
                "\($0.id): \($0.$spouse.heldIDs) \($0.$parent.heldIDs) \($0.$children.heldIDs)"
            }
        }
        for round in 0..<40 {
            let draft = store.draft()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                try draft.edit { try change(&$0) }
            }
            try draft.commit()
            #expect(links(store.context) == links(draft.context), "seed \(seed), round \(round)")
            store.context.checkInvariants()
        }
    }

    @Test("A tombstone keeps links that the draft led elsewhere behind the deletion")
    func linksOfTombstone() throws {
        let store = try Store.inMemory(Author.self)
        try store.write { context in
            try Author(id: "a", name: "Ann").save(to: &context)
            try Author(id: "b", name: "Bob").save(to: &context)
            try Book(id: 1, title: "One", author: .id("a")).save(to: &context)
        }
        let draft = store.draft()
        try draft.edit { context in
            _ = try Author.delete(id: "a", from: &context)
            try Book(id: 1, title: "New", author: .id("b")).save(to: &context)
        }
        try draft.commit()
        for context in [draft.context, store.context] {
            let deleted = Deleted<Author>.query("a").resolve(in: context)
            #expect(deleted?.entity.$books.heldIDs == [1])
            #expect(Author.query("b").related(\.$books).resolve(in: context).map(\.id) == [1])
        }
    }
}
