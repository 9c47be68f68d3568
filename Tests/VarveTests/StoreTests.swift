import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Store")
struct StoreTests {
    /// A path for a store that is removed when the test ends.
    final class Place {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-test-\(UUID().uuidString).varve")

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    @Test("A new store is not reported as one that was not closed")
    func newStore() throws {
        let place = Place()
        let new = try Store(at: place.url, Author.self)
        #expect(new.recovery.isNewStore && new.recovery.endedCleanly)
        #expect("\(new.recovery)" == "a new store")
        try new.close()
        let again = try Store(at: place.url, Author.self)
        #expect(!again.recovery.isNewStore && again.recovery.endedCleanly)
        #expect("\(again.recovery)" == "closed cleanly at transaction 0")
    }

    @Test("What was written is there after closing and opening again")
    func reopening() throws {
        let place = Place()
        let before: String
        do {
            let store = try Store(at: place.url, Author.self)
            try store.write("Add") { context in
                try Author(
                    id: "a", name: "Ada", born: 1815, tags: ["x", "y"],
                    books: .relation([
                        Book(id: 1, title: "One", shelves: .ids(["s"])),
                        Book(id: 2, title: "Two"),
                    ])
                ).save(to: &context)
                try Shelf(id: "s", label: "top").save(to: &context)
            }
            try store.write("Change") { context in
                try Author(id: "a", name: "Ada L.", profile: .relation(Profile(id: "p", text: "t")))
                    .save(to: &context)
                try Book.delete(id: 1, from: &context)
            }
            before = describe(store.context)
            try store.close()
        }
        let store = try Store(at: place.url, Author.self)
        #expect(describe(store.context) == before)
        #expect(store.lastTransaction == 2)
        #expect(store.recovery.endedCleanly)
        #expect(
            Author.query("a").with(\.$books).resolve(in: store.context)?.books?.map(\.title) == [
                "Two"
            ])
        #expect(Deleted<Book>.query(1).resolve(in: store.context)?.entity.$author.id == "a")
        try store.write("Restore") { context in
            try Deleted<Book>.query(1).resolve(in: context)?.restore(in: &context)
        }
        #expect(Book.query().resolve(in: store.context).map(\.id) == [1, 2])
        store.context.checkInvariants()
    }

    @Test("A body that throws leaves no trace, in the context or in the log")
    func rollback() throws {
        struct Stop: Error {}
        let store = try Store.temporary(Author.self)
        try store.write { try Author(id: "a", name: "Ada").save(to: &$0) }
        let before = describe(store.context)
        #expect(throws: Stop.self) {
            try store.write { context in
                try Author(id: "b", name: "Bob").save(to: &context)
                try Author.delete(id: "a", from: &context)
                throw Stop()
            }
        }
        #expect(describe(store.context) == before)
        #expect(store.lastTransaction == 1)
        try store.write { try Author(id: "c", name: "Cy").save(to: &$0) }
        #expect(store.lastTransaction == 2)
    }

    @Test("A save of equal bytes writes no event, and a transaction without events no bytes")
    func nothingChanged() throws {
        let store = try Store.temporary(Author.self)
        try store.write { try Author(id: "a", name: "Ada", books: .ids([1])).save(to: &$0) }
        let bytes = store.statistics.log.storedBytes
        let time = Author.query("a").resolve(in: store.context)?.updatedAt(in: store.context)
        try store.write { context in
            try Author(id: "a", name: "Ada", books: .ids([1])).save(to: &context)
            try Author(id: "a", name: "Other").save(to: &context)
            try Author(id: "a", name: "Ada").save(to: &context)
        }
        #expect(store.lastTransaction == 1)
        #expect(store.statistics.log.storedBytes == bytes)
        #expect(Author.query("a").resolve(in: store.context)?.updatedAt(in: store.context) == time)
    }

    @Test("Snapshots stay as they were while the store goes on")
    func snapshots() throws {
        let store = try Store.inMemory(Author.self)
        try store.write { try Author(id: "a", name: "Ada").save(to: &$0) }
        let snapshot = store.context
        try store.write { try Author(id: "a", name: "Changed").save(to: &$0) }
        #expect(Author.query("a").resolve(in: snapshot)?.name == "Ada")
        #expect(Author.query("a").resolve(in: store.context)?.name == "Changed")
    }

    @Test("write inside write is refused, not waited for")
    func nestedWrite() throws {
        let store = try Store.inMemory(Author.self)
        try store.write { context in
            #expect(throws: StoreError.self) { try store.write { _ in } }
            try Author(id: "a", name: "Ada").save(to: &context)
        }
        #expect(store.context.count(Author.self) == 1)
    }

    @Test("Asynchronous writes run one after the other and return their results")
    func asynchronousWrites() async throws {
        let store = try Store.inMemory(Author.self)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await store.write { context in
                        try Author(id: "\(number)", name: "n").save(to: &context)
                        return context.count(Author.self)
                    }
                }
            }
            var counts: Set<Int> = []
            for try await count in group { counts.insert(count) }
            #expect(counts == Set(1...50))
        }
        #expect(store.lastTransaction == 50)
    }

    @Test("A second opener is told who holds the store; a reader gets in")
    func secondOpener() throws {
        let place = Place()
        let store = try Store(at: place.url, Author.self)
        try store.write { try Author(id: "a", name: "Ada").save(to: &$0) }
        try store.flush()
        do {
            _ = try Store(at: place.url, Author.self)
            Issue.record("a second writer got in")
        } catch StoreError.log(.locked(_, let holder)) {
            #expect(holder.processID == ProcessInfo.processInfo.processIdentifier)
        }
        let reader = try Store(at: place.url, mode: .readOnly, Author.self)
        #expect(reader.context.count(Author.self) == 1)
        #expect(throws: StoreError.self) { try reader.write { _ in } }
        try store.close()
        #expect(throws: StoreError.self) { try store.write { _ in } }
        _ = try Store(at: place.url, Author.self)
    }

    @Test("Types that were not named when opening stay in the log and come back")
    func unregisteredTypes() throws {
        let place = Place()
        do {
            let store = try Store(at: place.url, Author.self, Note.self)
            try store.write {
                try Author(id: "a", name: "Ada").save(to: &$0)
                try Note(id: 1, text: "kept").save(to: &$0)
            }
            try store.close()
        }
        do {
            let store = try Store(at: place.url, Author.self)
            #expect(throws: StoreError.self, "its rows were not read") {
                try store.write { try Note(id: 2, text: "late").save(to: &$0) }
            }
            try store.write { try Author(id: "b", name: "Bob").save(to: &$0) }
            try store.close()
        }
        let store = try Store(at: place.url, Note.self, Author.self)
        #expect(Note.query(1).resolve(in: store.context)?.text == "kept")
        #expect(store.context.count(Author.self) == 2)
    }

    @Test("A type that no log knows registers itself with its first save")
    func lateRegistration() throws {
        let place = Place()
        do {
            let store = try Store(at: place.url, Author.self)
            try store.write { try Note(id: 1, text: "late").save(to: &$0) }
            try store.close()
        }
        let store = try Store(at: place.url, Note.self)
        #expect(Note.query(1).resolve(in: store.context)?.text == "late")
    }

    @Test("A property without a stored form is refused at opening, by name")
    func unsupportedProperty() throws {
        do {
            _ = try Store.inMemory(Odd.self)
            Issue.record("it opened")
        } catch StoreError.schema(let problems) {
            #expect(problems.map(\.property) == ["thing"])
        }
    }

    @Test("An opened store that was empty and stays unused can be opened again")
    func emptyStore() throws {
        let place = Place()
        try Store(at: place.url, Author.self).close()
        let store = try Store(at: place.url, Author.self)
        #expect(store.lastTransaction == 0)
        #expect(store.context.count(Author.self) == 0)
    }
}

@EntityModel
struct Note: Equatable {
    let id: Int
    var text: String
}

@EntityModel
struct Odd {
    struct Thing: Sendable { var number = 0 }

    let id: Int
    var thing: Thing
}
