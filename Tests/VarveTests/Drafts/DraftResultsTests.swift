import Observation
import Testing
import VarveTestSupport

@testable import Varve

/// A list that follows a query of a draft by its batches alone.
private final class DraftFollower {
    private let draft: Draft
    private let query: QueryList<Book>
    private var updates: LiveResults<Book>.Iterator
    private var model: [Book] = []

    init(_ draft: Draft, _ query: QueryList<Book>) {
        self.draft = draft
        self.query = query
        updates = draft.results(of: query).makeAsyncIterator()
    }

    /// Takes over what is new, and returns how many batches that was.
    @discardableResult
    func follow(_ place: Comment) -> Int {
        var count = 0
        while let update = updates.poll() {
            model = update.changes.apply(to: model) { update.list[$0] }
            #expect(model == update.list.entities, place)
            count += 1
        }
        #expect(model == query.resolve(in: draft.context), place)
        return count
    }
}

@Suite("Live results of drafts", .timeLimit(.minutes(5)))
struct DraftResultsTests {
    private func store() throws -> Store {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.writing { context in
            for id in 1...6 { try Book(id: id, title: "t\(id)").save(to: &context) }
            for id in ["a", "b"] { try Author(id: id, name: id).save(to: &context) }
        }
        return store
    }

    @Test(
        "A loop over the results of a draft begins with what is there, and has a batch for each edit that changes them"
    )
    func loop() async throws {
        let draft = try store().draft("Edit")
        let results = draft.results(of: Book.filter(\.id > 4).sorted(by: \.title))
        var found: [[String]] = []
        for await update in results {
            found.append(update.list.map(\.title))
            switch found.count {
            case 1: try draft.edit { try Book(id: 5, title: "z").save(to: &$0) }
            // No difference, then another one.
            case 2:
                try draft.edit { try Book(id: 1, title: "other").save(to: &$0) }
                try draft.edit { _ = try Book.delete(id: 6, from: &$0) }
            default: break
            }
            if found.count == 3 { break }
        }
        #expect(found == [["t5", "t6"], ["t6", "z"], ["z"]])
    }

    @Test(
        "Results of a draft show its edits, and neither those of the store nor of a child before its commit"
    )
    func sources() throws {
        let store = try store()
        let draft = store.draft("Edit")
        let child = draft.draft("Child")
        let follower = DraftFollower(draft, Book.query().sorted(by: \.title.desc))
        let ofChild = DraftFollower(child, Book.query().sorted(by: \.title.desc))
        #expect(follower.follow("the beginning") == 1 && ofChild.follow("the beginning") == 1)
        try store.write { try Book(id: 7, title: "by others").save(to: &$0) }
        #expect(follower.follow("another's write") == 0)
        try child.edit { try Book(id: 8, title: "by the child").save(to: &$0) }
        #expect(follower.follow("a child's edit") == 0 && ofChild.follow("its edit") == 1)
        try child.commit()
        #expect(follower.follow("the child's commit") == 1)
        try draft.rebase()
        #expect(follower.follow("the rebase") == 1)
        #expect(try Book.require(7, in: draft.context).title == "by others")
        try draft.revert()
        #expect(follower.follow("the return") == 1)
        #expect(draft.context.count(Book.self) == 7)
    }

    @Test(
        "Batches lead a list from what a query found in a draft to what it finds, whatever the draft does",
        arguments: 0..<10 as Range<UInt64>)
    func law(seed: UInt64) throws {
        let store = try store()
        var random = SeededGenerator(seed: seed)
        let draft = store.draft("Edit")
        let followers = [
            DraftFollower(draft, Book.query()),
            DraftFollower(draft, Book.filter(\.id > 3).sorted(by: \.title)),
            DraftFollower(draft, Book.query().sorted(by: \.title.desc).limit(3)),
            DraftFollower(draft, Author.query("a").related(\.$books)),
        ]
        func change(_ context: inout Context) throws {
            let id = Int.random(in: 1...9, using: &random)
            switch random.next() % 4 {
            case 0: try Book.delete(id: id, from: &context)
            case 1:
                try Book(id: id, title: "t\(random.next() % 5)", author: .id("a"))
                    .save(to: &context)
            default: try Book(id: id, title: "t\(random.next() % 5)").save(to: &context)
            }
        }
        for round in 0..<60 {
            switch random.next() % 8 {
            case 0: try store.write { try change(&$0) }
            case 1: try draft.rebase(random.next() % 2 == 0 ? .keepMine : .takeTheirs)
            case 2:
                let child = draft.draft("Child")
                for _ in 0..<3 { try child.edit { try change(&$0) } }
                try child.commit()
            case 3 where round % 3 == 0: try draft.revert()
            case 4:
                try draft.rebase(.keepMine)
                try draft.commit()
            default: try draft.edit { try change(&$0) }
            }
            if random.next() % 3 > 0 {
                for follower in followers { follower.follow("seed \(seed), round \(round)") }
            }
        }
        for follower in followers { follower.follow("seed \(seed), the end") }
    }

    @Test("Sections, single entities and what a view observes follow a draft, too")
    @MainActor
    func otherForms() async throws {
        let draft = try store().draft("Edit")
        var sections = draft.results(
            of: Book.query().sorted(by: \.id), sectionedBy: .property(\.title)
        ).makeAsyncIterator()
        var values = draft.values(of: Book.self, id: 1).makeAsyncIterator()
        let observed = ObservedResults(of: Book.filter(\.title == "x"), in: draft)
        let entity = ObservedEntity(Book.query(1), in: draft)
        #expect(sections.poll()?.sections.count == 6)
        #expect(await values.next()??.title == "t1" && observed.list.isEmpty)
        try draft.edit { context in
            for id in [1, 2] { try Book(id: id, title: "x").save(to: &context) }
        }
        #expect(sections.poll()?.sections.count == 5)
        #expect(await values.next()??.title == "x")
        while observed.list.count < 2 || entity.entity?.title != "x" { await Task.yield() }
        #expect(observed.list.map(\.id) == [1, 2])
    }
}
