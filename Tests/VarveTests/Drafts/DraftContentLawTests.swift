import Testing
import Varve
import VarveTestSupport

@EntityModel
private struct Person {
    let id: Int
    @Relationship(inverse: \.spouse) var spouse: Person?
    @Relationship(inverse: \.children) var parent: Person?
    @Relationship(inverse: \.parent) var children: [Person]?
    @Relationship(inverse: \.fans) var idols: [Person]?
    @Relationship(inverse: \.idols) var fans: [Person]?
    @Relationship var known: [Person]? = nil
    @Relationship var best: Person? = nil
    @Relationship(inverse: \.team) var boss: Person?
    @Relationship(deleteRule: .cascade, inverse: \.boss) var team: [Person]?
}

@Suite("What commits of drafts come to (SD-16, SD-21)")
struct DraftContentLawTests {
    /// What links lead to. The last ids are never saved; entities of the first come and go.
    private static let ids = 0..<14

    /// Saves a person with another link, or deletes it.
    private func change(_ context: inout Context, _ random: inout SeededGenerator) throws {
        let id = Int.random(in: 0..<11, using: &random)
        let others = Self.ids.filter { $0 != id }.shuffled(using: &random)
        var person: Person = context.find(id) ?? Person(id: id)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: person.$spouse = .id(others[0])
        case 1: person.$spouse = .null
        case 2: person.$parent = .id(others[0])
        case 3: person.$parent = .null
        case 4: person.$children = .ids(Array(others.prefix(3)))
        case 5: person.$idols = .ids(Array(others.prefix(3)))
        case 6: person.$fans = .ids(Array(others.prefix(2)))
        case 7: person.$known = .ids(Array(others.prefix(2)))
        case 8: person.$boss = .id(others[0])
        case 9: person.$team = .ids(Array(others.prefix(2)))
        case 10: person.$best = .id(others[0])
        default:
            try Person.delete(id: id, from: &context)
            return
        }
        try person.save(to: &context)
    }

    /// Which ids are there, and all links: those of ids that no entity has show once they are saved.
    private func content(_ context: Context) throws -> [String] {
        var context = context
        let there = Set(Person.query().resolve(in: context).map(\.id))
        for id in Self.ids where !there.contains(id) { try Person(id: id).save(to: &context) }
        let query = Person.query(Array(Self.ids)).id(\.$spouse).id(\.$parent).id(\.$children)
            .id(\.$idols).id(\.$fans).id(\.$known).id(\.$best).id(\.$boss).id(\.$team)
        return query.resolve(in: context).map { person in
            let lists = [
                person.$spouse.heldIDs, person.$parent.heldIDs, person.$children.heldIDs,
                person.$idols.heldIDs, person.$fans.heldIDs, person.$known.heldIDs,
                person.$best.heldIDs, person.$boss.heldIDs, person.$team.heldIDs,
            ]
            return "\(person.id) \(there.contains(person.id)): \(lists)"
        }
    }

    @Test(
        "Relations of a type to itself are what the draft shows, also of ids that no entity has or had",
        arguments: 1...12 as ClosedRange<UInt64>)
    func selfRelations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store.inMemory(Person.self)
        try store.write { context in
            for id in 0..<8 { try Person(id: id).save(to: &context) }
        }
        var draft = store.draft()
        for round in 0..<30 {
            let place: Comment = "seed \(seed), round \(round)"
            if Bool.random(using: &random) { draft = store.draft() }
            // Gives ids of others the slots that the draft gives its own.
            try store.write {
                try Person(id: 100 + round, spouse: .id(200 + round)).save(to: &$0)
            }
            let isInChild = Bool.random(using: &random)
            let edited = isInChild ? draft.draft() : draft
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                try edited.edit { try change(&$0, &random) }
            }
            let expected = try content(edited.context)
            if isInChild { try edited.commit() }
            if Bool.random(using: &random) { try draft.rebase() }
            try #require(try content(draft.context) == expected, place)
            let before = try content(store.context)
            let committed = try draft.commit() != nil
            try #require(try content(store.context) == expected, place)
            store.context.checkInvariants()
            guard committed else { continue }
            try store.undo()
            #expect(try content(store.context) == before, place)
            try store.redo()
            #expect(try content(store.context) == expected, place)
            draft = store.draft()
        }
    }

    @Test(
        "A draft that took in what others wrote commits what it shows",
        arguments: 1...12 as ClosedRange<UInt64>, [DraftChoice.keepMine, .takeTheirs])
    func rebased(seed: UInt64, choice: DraftChoice) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store.inMemory(Person.self)
        try store.write { context in
            for id in 0..<8 { try Person(id: id).save(to: &context) }
        }
        for round in 0..<30 {
            let place: Comment = "seed \(seed), \(choice), round \(round)"
            let draft = store.draft()
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                try draft.edit { try change(&$0, &random) }
                try store.write { try change(&$0, &random) }
            }
            try draft.rebase(choice)
            #expect(try draft.conflicts().isEmpty, place)
            draft.context.checkInvariants()
            let expected = try content(draft.context)
            try draft.commit()
            try #require(try content(store.context) == expected, place)
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
