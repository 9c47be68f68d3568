import Foundation
import Observation
import Testing
import VarveLog
import VarveTestSupport

@testable import Varve

/// One live query, held against the query asked anew after every transaction.
private final class Follower: StoreFollowing {
    private let check: (Store, String) -> Void
    private let checkNow: (Store, String) -> Void

    init<E: EntityModelProtocol>(_ store: Store, _ name: String, _ query: QueryList<E>) {
        var updates = store.results(of: query).makeAsyncIterator()
        var model: [E] = []
        var list: ResultList<E>?
        func same(_ first: [E], _ second: [E]) -> Bool {
            first.count == second.count && zip(first, second).allSatisfy { $0.isIdentical(to: $1) }
        }
        check = { store, place in
            while let update = updates.poll() {
                model = update.changes.apply(to: model) { update.list[$0] }
                list = update.list
                #expect(same(model, update.list.entities), "\(name): the batch, \(place)")
                let ids = update.list.indices.map { "\(update.list.id(at: $0))" }
                #expect(ids == model.map { "\($0.id)" }, "\(name): ids, \(place)")
            }
        }
        checkNow = { store, place in
            let fresh = query.resolve(in: store.context)
            #expect(same(model, fresh), "\(name): a fresh query, \(place)")
            #expect(list?.count == fresh.count, "\(name), \(place)")
        }
    }

    func follow(_ store: Store, _ place: String) {
        check(store, place)
        checkNow(store, place)
    }
}

@Suite("Live results")
struct LiveResultsTests {
    private func followers(_ store: Store) -> [Follower] {
        [
            Follower(store, "all", Author.query()),
            Follower(store, "filter", Book.filter(\.id > 9)),
            Follower(store, "sort", Author.query().sorted(by: \.name)),
            Follower(store, "filter, sort", Book.filter(\.title >= "x").sorted(by: \.title.desc)),
            Follower(store, "two sorts", Book.query().sorted(by: \.title).sorted(by: \.text)),
            Follower(store, "updated", Author.query().sorted(by: .updatedAt)),
            Follower(store, "limit", Book.query().sorted(by: \.title).limit(4, offset: 1)),
            Follower(store, "both", Book.filter(\.id > 3).and(Book.filter(\.title != "x"))),
            Follower(store, "union", Book.filter(\.id < 5).or(\.title == "x")),
            Follower(
                store, "sorted union",
                Book.filter(\.id < 9).or(\.title == "x").sorted(by: \.title.desc)),
            Follower(
                store, "union of sorted queries",
                Book.filter(\.id < 9).sorted(by: \.title)
                    .or(Book.filter(\.text == "" || \.id > 20).sorted(by: \.id.desc))
                    .filter(\.id != 7)),
            Follower(
                store, "page of a union",
                Book.filter(\.id > 15).or(\.title == "é").sorted(by: \.title).limit(3, offset: 2)),
            Follower(
                store, "intersection of unions",
                Book.filter(\.id > 9).or(\.title == "").and(
                    Book.filter(\.id < 20).or(\.title == "x"))),
            Follower(store, "first", Book.query().limit(3)),
            Follower(store, "page of a page", Book.query().sorted(by: \.title).limit(9).limit(2)),
            Follower(store, "nothing", Book.query().limit(0)),
            Follower(store, "ids", Book.query([7, 3, 7, 1])),
            Follower(store, "related", Author.query("a1").related(\.$books)),
            Follower(store, "shape", Author.query().sorted(by: \.name).with(\.$books)),
            Follower(store, "link ids", Book.query().id(\.$author)),
            Follower(store, "trash", Deleted<Book>.query()),
        ]
    }

    @Test(
        "After every transaction a live query shows what a fresh one finds, and its batches lead there",
        arguments: TestSize.choose(1...4, nightly: 1...12 as ClosedRange<UInt64>))
    func equalsFreshQueries(seed: UInt64) throws {
        try LiveRun(seed: seed, steps: 80).follow(by: followers)
    }

    @Test(
        "A page is followed although most rows lie behind what is known of its order",
        arguments: TestSize.choose(1...2, nightly: 1...6 as ClosedRange<UInt64>))
    func pages(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store.inMemory(Profile.self)
        func text() -> String { "\(Int.random(in: 0..<500, using: &random))" }
        func save(_ number: Int, _ context: inout Context) throws {
            try Profile(id: "p\(number)", text: text()).save(to: &context)
        }
        try store.write { context in
            for number in 0..<600 { try save(number, &context) }
        }
        let live = [
            Follower(store, "top", Profile.query().sorted(by: \.text).limit(5)),
            Follower(store, "second page", Profile.query().sorted(by: \.text).limit(7, offset: 7)),
            Follower(store, "last page", Profile.query().sorted(by: \.id).limit(90, offset: 560)),
            Follower(
                store, "selection",
                Profile.filter(\.text > "3").sorted(by: \.text.desc).limit(4, offset: 1)),
            Follower(store, "insertion order", Profile.query().limit(10)),
        ]
        for number in 0..<150 {
            let number = "seed \(seed) step \(number)"
            try store.write { context in
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    if Int.random(in: 0..<3, using: &random) == 0 {
                        try save(Int.random(in: 0..<700, using: &random), &context)
                    } else {
                        // What the pages show goes, until what is known of the order runs dry.
                        let top = Profile.query().sorted(by: \.text).limit(9).resolve(in: context)
                        guard let gone = top.randomElement(using: &random) else { continue }
                        try Profile.delete(id: gone.id, from: &context)
                    }
                }
            }
            for follower in live { follower.follow(store, number) }
            guard Int.random(in: 0..<6, using: &random) == 0 else { continue }
            try store.undo()
            for follower in live { follower.follow(store, "undo, \(number)") }
        }
    }

    @Test("A transaction that a query cannot see wakes nobody")
    func irrelevant() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        var updates = store.results(of: Author.filter(\.name == "x")).makeAsyncIterator()
        #expect(updates.poll()?.isEmpty == true, "the first list comes at once, empty or not")
        try store.write { try Shelf(id: "s", label: "1").save(to: &$0) }
        try store.write { try Author(id: "a", name: "y").save(to: &$0) }
        #expect(updates.poll() == nil)
        try store.write { try Author(id: "a", name: "x").save(to: &$0) }
        let polled = updates.poll()
        let update = try #require(polled)
        #expect(update.changes == ResultChanges(inserted: [0]))
        #expect(update.transaction == 3)
    }

    @Test("Batches say what was inserted, deleted, moved and updated")
    func batches() throws {
        let store = try Store.inMemory(Author.self)
        try store.write { context in
            for name in ["b", "d", "f", "h"] { try Author(id: name, name: name).save(to: &context) }
        }
        var updates = store.results(of: Author.query().sorted(by: \.name)).makeAsyncIterator()
        #expect(updates.poll()?.changes == ResultChanges(inserted: [0, 1, 2, 3]))
        try store.write { try Author(id: "b", name: "g").save(to: &$0) }
        let polled = updates.poll()
        let moved = try #require(polled)
        #expect(moved.changes.moved.map { [$0.from, $0.to] } == [[0, 2]])
        #expect(moved.list.map(\.name) == ["d", "f", "g", "h"])
        try store.write { try Author(id: "d", name: "d", born: 3).save(to: &$0) }
        #expect(updates.poll()?.changes == ResultChanges(updated: [0]))
        try store.write { try Author(id: "d", name: "e").save(to: &$0) }
        #expect(
            updates.poll()?.changes == ResultChanges(updated: [0]), "another key, the same place")
        try store.write { context in
            try Author.delete(id: "f", from: &context)
            try Author(id: "i", name: "i").save(to: &context)
        }
        #expect(updates.poll()?.changes == ResultChanges(deleted: [1], inserted: [3]))
        try store.undo()
        #expect(updates.poll()?.changes == ResultChanges(deleted: [3], inserted: [1]))
    }

    @Test("One entity, and one property, are observed without repeats")
    func values() async throws {
        let store = try Store.inMemory(Author.self)
        var names = store.values(of: Author.self, id: "1", \.name).makeAsyncIterator()
        var authors = store.values(of: Author.self, id: "1").makeAsyncIterator()
        #expect(await names.next() == .some(nil))
        #expect(await authors.next() == .some(nil))
        try store.writing { try Author(id: "1", name: "x").save(to: &$0) }
        try store.writing { try Author(id: "2", name: "z").save(to: &$0) }
        try store.writing { try Author(id: "1", name: "x", born: 5).save(to: &$0) }
        try store.writing { try Author(id: "1", name: "y", born: 5).save(to: &$0) }
        try store.writing { try Author.delete(id: "1", from: &$0) }
        #expect(await names.next() == "x")
        #expect(await names.next() == "y")
        #expect(await names.next() == .some(nil))
        #expect(await authors.next()??.born == .some(nil))
        #expect(await authors.next()??.born == 5)
        #expect(await authors.next()??.name == "y")
        #expect(await authors.next() == .some(nil))
    }

    @Test(
        "Sequences end when the store is closed, behind what came before, and begin and end behind that"
    )
    func closing() async throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Author.self)
        let query = Author.query().sorted(by: \.id)
        let counts = Task {
            var counts: [Int] = []
            for await update in store.results(of: query) { counts.append(update.list.count) }
            return counts
        }
        let sections = Task {
            var last = 0
            for await update in store.results(of: query, sectionedBy: .property(\.name)) {
                last = update.sections.count
            }
            return last
        }
        let name = Task {
            var last: String??
            for await value in store.values(of: Author.self, id: "a", \.name) { last = value }
            return last
        }
        try store.writing { try Author(id: "a", name: "x").save(to: &$0) }
        try store.writing { try Author(id: "b", name: "y").save(to: &$0) }
        try store.close()
        #expect(await counts.value.last == 2)
        #expect(await sections.value == 2)
        #expect(await name.value == "x")
        var later = store.results(of: query).makeAsyncIterator()
        #expect(await later.next()?.list.count == 2)
        #expect(await later.next() == nil)
    }

    @Test("A sequence waits for the next transaction, and ends with its task")
    func waiting() async throws {
        let store = try Store.inMemory(Author.self)
        let task = Task {
            var counts: [Int] = []
            for await update in store.results(of: Author.query()) {
                counts.append(update.list.count)
                if update.list.count == 3 { break }
            }
            return counts
        }
        for number in 0..<3 {
            try store.writing { try Author(id: "\(number)", name: "x").save(to: &$0) }
        }
        #expect(await task.value.last == 3)
        let endless = Task {
            for await _ in store.results(of: Author.query()) {}
            return true
        }
        endless.cancel()
        #expect(await endless.value)
    }

    @MainActor
    @Test("An observed object shows results at once and tells its observers of others")
    func observed() async throws {
        let store = try Store.inMemory(Author.self)
        try store.writing { try Author(id: "1", name: "x").save(to: &$0) }
        let results = ObservedResults(of: Author.query(), in: store)
        #expect(results.list.map(\.id) == ["1"])
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = results.list.count
        } onChange: {
            change.yield()
        }
        try store.writing { try Author(id: "2", name: "y").save(to: &$0) }
        for await _ in changes { break }
        while results.list.count < 2 { await Task.yield() }
        #expect(results.changes == ResultChanges(inserted: [1]))
        #expect(results.transaction == 2)
    }
}

extension ResultUpdate {
    fileprivate var isEmpty: Bool { list.isEmpty && changes.isEmpty }
}
