import Observation
import Testing
import VarveLog

@testable import Varve

@Suite("Live results in sections (SD-34, SD-35, SD-36)")
struct SectionTests {
    private typealias Move = SectionChanges.Move

    private func store() throws -> Store {
        let store = try Store.inMemory(Author.self)
        try store.write { context in
            try Author(id: "a", name: "Ann").save(to: &context)
            try Author(id: "b", name: "Bob").save(to: &context)
            for (id, title, author) in [(1, "x", "a"), (2, "y", "b"), (3, "x", "a"), (4, "x", "b")]
            {
                try Book(id: id, title: title, author: .id(author)).save(to: &context)
            }
        }
        return store
    }

    private func position(_ section: Int, _ row: Int) -> SectionPosition {
        SectionPosition(section: section, row: row)
    }

    private func save(_ store: Store, _ books: (id: Int, title: String)...) throws {
        try store.write { context in
            for (id, title) in books { try Book(id: id, title: title).save(to: &context) }
        }
    }

    @Test("Sections have keys, counts and rows; without results there is none")
    func reading() throws {
        let store = try store()
        let query = Book.query().sorted(by: \.id)
        var updates = store.results(of: query, sectionedBy: .property(\.title)).makeAsyncIterator()
        let polled = updates.poll()
        let sections = try #require(polled).sections
        #expect(sections.keys == ["x", "y"] && sections.count == 2)
        #expect(sections[0].count == 3 && sections[0].key == "x")
        #expect(sections.map { $0.entities.map(\.id) } == [[1, 3, 4], [2]])
        #expect(sections[position(0, 2)].id == 4 && sections[0][1].id == 3)
        #expect(sections.position(of: 3) == position(1, 0))
        #expect(polled?.changes == SectionChanges(insertedSections: [0, 1]))
        var nothing = store.results(of: Book.query().limit(0), sectionedBy: .property(\.title))
            .makeAsyncIterator()
        #expect(nothing.poll()?.sections.isEmpty == true)
    }

    @Test("Changes name rows by section and row, and no row of a section that came or went")
    func changes() throws {
        let store = try store()
        let query = Book.query().sorted(by: \.id)
        var updates = store.results(of: query, sectionedBy: .property(\.title)).makeAsyncIterator()
        _ = updates.poll()
        try save(store, (5, "y"))
        #expect(updates.poll()?.changes == SectionChanges(inserted: [position(1, 1)]))
        try save(store, (1, "y"))
        #expect(
            updates.poll()?.changes
                == SectionChanges(moved: [Move(from: position(0, 0), to: position(1, 0))]))
        try save(store, (3, "w"))
        #expect(
            updates.poll()?.changes
                == SectionChanges(insertedSections: [0], deleted: [position(0, 0)]),
            "a row that leaves for a new section")
        try save(store, (4, "y"))
        #expect(
            updates.poll()?.changes
                == SectionChanges(deletedSections: [1], inserted: [position(1, 2)]),
            "the last row of a section")
        try store.write { context in
            try Book(id: 3, title: "w", text: "new").save(to: &context)
            try Book.delete(id: 2, from: &context)
        }
        #expect(
            updates.poll()?.changes
                == SectionChanges(deleted: [position(1, 1)], updated: [position(0, 0)]))
        try store.undo()
        #expect(
            updates.poll()?.changes
                == SectionChanges(inserted: [position(1, 1)], updated: [position(0, 0)]))
    }

    @Test("Rows whose keys change without a change of their places are updated, not moved")
    func unmoved() throws {
        let store = try store()
        let query = Book.query().sorted(by: \.text, \.id)
        var updates = store.results(of: query, sectionedBy: .property(\.title)).makeAsyncIterator()
        _ = updates.poll()
        try store.write { context in
            for id in [1, 3, 4] { try Book(id: id, title: "x", text: "t").save(to: &context) }
        }
        #expect(
            updates.poll()?.changes
                == SectionChanges(updated: [position(0, 0), position(0, 1), position(0, 2)]))
    }

    @Test("Sections by a related entity follow it, and a section whose key changed is a moved one")
    func related() throws {
        let store = try store()
        let query = Book.query().sorted(by: \.id)
        var updates = store.results(of: query, sectionedBy: .related(\.$author, \.name))
            .makeAsyncIterator()
        let polled = updates.poll()
        #expect(polled?.sections.keys == ["Ann", "Bob"])
        try store.write { try Author(id: "a", name: "Cid").save(to: &$0) }
        let renamed = updates.poll()
        #expect(renamed?.sections.keys == ["Bob", "Cid"])
        #expect(renamed?.changes == SectionChanges(movedSections: [.init(from: 0, to: 1)]))
        try store.write { try Author(id: "a", name: "Cid", born: 3).save(to: &$0) }
        #expect(updates.poll() == nil, "the key is as it was")
        try store.write { try Author(id: "b", name: "Cid").save(to: &$0) }
        let joined = updates.poll()
        #expect(joined?.sections.map { $0.entities.map(\.id) } == [[1, 2, 3, 4]])
        #expect(
            joined?.changes
                == SectionChanges(
                    deletedSections: [0], inserted: [position(0, 1), position(0, 3)]))
        try store.write { context in
            var book: Book = try #require(context.find(2))
            book.$author = .null
            try book.save(to: &context)
        }
        let alone = updates.poll()
        #expect(alone?.sections.keys == [nil, "Cid"])
        #expect(
            alone?.changes == SectionChanges(insertedSections: [0], deleted: [position(0, 1)]))
    }

    @MainActor
    @Test("An observed object shows sections at once and notifies its observers of others")
    func observed() async throws {
        let store = try store()
        let draft = store.draft()
        let observed = ObservedSections(
            of: Book.query().sorted(by: \.id), by: .property(\.title, .descending), in: store)
        let drafted = ObservedSections(of: Book.query(), by: .property(\.title), in: draft)
        #expect(observed.sections.keys == ["y", "x"] && observed.changes.isEmpty)
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = observed.sections.count
        } onChange: {
            signal.yield()
        }
        try save(store, (1, "z"))
        for await _ in signals { break }
        while observed.sections.count < 3 { await Task.yield() }
        #expect(
            observed.changes == SectionChanges(insertedSections: [0], deleted: [position(1, 0)]))
        #expect(observed.transaction == 2)
        try draft.edit { try Book(id: 9, title: "a").save(to: &$0) }
        while drafted.sections.count < 3 { await Task.yield() }
        #expect(drafted.sections.keys == ["a", "x", "y"])
    }
}
