import Foundation
import Testing
import VarveGraph

private enum Log {
    @EntityModel
    struct Entry {
        let id: String
        var text = ""
        @Relationship(inverse: \.entries) var book: Book?
    }

    @EntityModel
    struct Book {
        let id: String
        @Relationship(inverse: \.book) var entries: [Entry]?
        @Relationship var authors: [Author]? = nil
    }

    @EntityModel
    struct Author {
        let id: String
    }
}

private typealias Entry = Log.Entry
private typealias Book = Log.Book

/// Waits until the clock shows another microsecond.
private func tick() {
    let start = Date()
    while Date().timeIntervalSince(start) < 0.000_01 {}
}

@Suite("Metadata")
struct MetadataConformanceTests {
    @Test("SM-59: updatedAt is the time of the entity's own last save, and goes with it")
    func updatedAt() throws {
        var context = Context()
        let before = Date().addingTimeInterval(-1)
        try Book(id: "b", entries: .relation([Entry(id: "1")])).save(to: &context)
        let first = try #require(Book(id: "b").updatedAt(in: context))
        #expect(first >= before && first <= Date().addingTimeInterval(1))
        tick()
        try Entry(id: "1", text: "new").save(to: &context)
        #expect(Book(id: "b").updatedAt(in: context) == first)
        #expect(try #require(Entry(id: "1").updatedAt(in: context)) > first)
        tick()
        try Entry.delete(id: "1", from: &context)
        #expect(Entry(id: "1").updatedAt(in: context) == nil)
        let deleted = try #require(Deleted<Entry>.query("1").resolve(in: context))
        #expect(try #require(deleted.updatedAt(in: context)) > first)
        #expect(Entry(id: "unknown").updatedAt(in: context) == nil)
    }

    @Test("one save gives everything that it takes along one time")
    func oneTime() throws {
        var context = Context()
        try Book(id: "b", entries: .relation([Entry(id: "1"), Entry(id: "2")])).save(to: &context)
        let times = Set(
            [Entry(id: "1").updatedAt(in: context), Entry(id: "2").updatedAt(in: context)]
                + [Book(id: "b").updatedAt(in: context)])
        #expect(times.count == 1)
    }

    @Test("SM-60: with nested, the latest of what this value has loaded")
    func nested() throws {
        var context = Context()
        try Book(id: "b", entries: .relation([Entry(id: "1"), Entry(id: "2")])).save(to: &context)
        try Log.Author(id: "a").save(to: &context)
        let old = Book(id: "b").updatedAt(in: context)
        tick()
        try Entry(id: "2").save(to: &context)
        let new = Entry(id: "2").updatedAt(in: context)
        #expect(new != old)
        let bare = try #require(Book.query("b").resolve(in: context))
        #expect(bare.updatedAt(in: context, withNested: true) == old)
        let loaded = try #require(Book.query("b").with(\.$entries).resolve(in: context))
        #expect(loaded.updatedAt(in: context, withNested: true) == new)
        #expect(loaded.updatedAt(in: context, withNested: false) == old)
        #expect(loaded.updatedAt(in: context, withNested: \.$authors) == old)
        #expect(loaded.updatedAt(in: context, withNested: \.$authors, \.$entries) == new)
        #expect(loaded.updatedAt(\.$entries, in: context) == new)
        #expect(loaded.updatedAt(\.$authors, in: context) == nil)
        let ids = try #require(Book.query("b").id(\.$entries).resolve(in: context))
        #expect(ids.updatedAt(\.$entries, in: context) == new)
    }
}
