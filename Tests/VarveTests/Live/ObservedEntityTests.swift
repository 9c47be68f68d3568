import Observation
import Testing
import VarveLog

@testable import Varve

/// Another executor than the main one.
private actor Screen {
    private(set) var names: [String?] = []

    /// Observes an entity here, and notes what it was when it is notified of a change.
    func watch(_ observed: ObservedEntity<Author>, _ signal: AsyncStream<Void>.Continuation) {
        names.append(observed.entity?.name)
        withObservationTracking {
            _ = observed.entity
        } onChange: { [weak self] in
            self?.preconditionIsolated("observers are notified on the chosen actor")
            signal.yield()
        }
    }
}

@MainActor
@Suite("Observed entities and relations (SD-33, SD-37)", .timeLimit(.minutes(5)))
struct ObservedEntityTests {
    private func store() throws -> Store {
        let store = try Store.inMemory(Author.self)
        try store.writing { context in
            try Author(id: "a", name: "Ann").save(to: &context)
            try Author(id: "b", name: "Bob").save(to: &context)
            try Book(id: 1, title: "One", author: .id("a")).save(to: &context)
        }
        return store
    }

    /// Runs a body and returns when the observers of a value were notified.
    private func notified<Value>(
        of read: () -> Value, after body: () throws -> Void
    ) async throws {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = read()
        } onChange: {
            MainActor.preconditionIsolated("observers are notified on the main actor")
            signal.yield()
        }
        try body()
        for await _ in signals { break }
    }

    @Test("An entity is there at once, follows its changes, and is nil while there is none")
    func follows() async throws {
        let store = try store()
        let observed = ObservedEntity(Author.query("a"), in: store)
        let later = ObservedEntity(Author.query("z"), in: store)
        #expect(observed.entity?.name == "Ann" && later.entity == nil)
        #expect(observed.transaction == 1)
        try await notified(of: { observed.entity }) {
            try store.writing { try Author(id: "a", name: "Anna").save(to: &$0) }
        }
        #expect(observed.entity?.name == "Anna" && observed.transaction == 2)
        try await notified(of: { observed.entity }) {
            try store.writing { _ = try Author.delete(id: "a", from: &$0) }
        }
        #expect(observed.entity == nil)
        try await notified(of: { observed.entity }) { try store.undoing() }
        #expect(observed.entity?.name == "Anna")
        try await notified(of: { later.entity }) {
            try store.writing { try Author(id: "z", name: "Zoe").save(to: &$0) }
        }
        #expect(later.entity?.name == "Zoe" && observed.transaction == 4)
    }

    @Test("Observers are notified once of several changes that one transaction makes")
    func atOnce() async throws {
        let store = try store()
        let observed = ObservedEntity(Author.query("a").with(\.$books), in: store)
        try await notified(of: { observed.entity }) {
            try store.writing { context in
                for name in ["x", "y", "z"] { try Author(id: "a", name: name).save(to: &context) }
                try Book(id: 2, title: "Two", author: .id("a")).save(to: &context)
                _ = try Author.delete(id: "b", from: &context)
            }
        }
        #expect(observed.entity?.name == "z" && observed.entity?.books?.map(\.id) == [1, 2])
        // Nothing was pending: the next notification is of the next transaction.
        try await notified(of: { observed.entity }) {
            try store.writing { try Book(id: 2, title: "New").save(to: &$0) }
        }
        #expect(observed.entity?.books?.map(\.title) == ["One", "New"])
    }

    @Test("A relation to one, a relation to many and the first of an order are observed, too")
    func relations() async throws {
        let store = try store()
        let author = ObservedEntity(Book.query(1).related(\.$author), in: store)
        let books = ObservedResults(of: Author.query("b").related(\.$books), in: store)
        let first = ObservedEntity(Author.query().sorted(by: \.name).first(), in: store)
        #expect(author.entity?.id == "a" && books.list.isEmpty && first.entity?.id == "a")
        try await notified(of: { author.entity }) {
            try store.writing { context in
                try Book(id: 1, title: "One", author: .id("b")).save(to: &context)
            }
        }
        #expect(author.entity?.id == "b")
        while books.list.isEmpty { await Task.yield() }
        #expect(books.list.map(\.id) == [1] && books.changes == ResultChanges(inserted: [0]))
        try await notified(of: { author.entity }) {
            try store.writing { context in
                try Author(id: "b", name: "Abe").save(to: &context)
            }
        }
        #expect(author.entity?.name == "Abe")
        while first.entity?.id != "b" { await Task.yield() }
    }

    @Test("A draft's entity is observed as the store's")
    func draft() async throws {
        let store = try store()
        let draft = store.draft()
        let observed = ObservedEntity(Author.query("a"), in: draft)
        try await notified(of: { observed.entity }) {
            _ = try draft.edit { try Author(id: "a", name: "Anna").save(to: &$0) }
        }
        #expect(observed.entity?.name == "Anna")
        try await notified(of: { observed.entity }) { try draft.revert() }
        #expect(observed.entity?.name == "Ann")
    }

    @Test("Observers are notified on the actor that was chosen")
    func chosenActor() async throws {
        let store = try store()
        let screen = Screen()
        let observed = ObservedEntity(Author.query("a"), in: store, on: screen)
        for name in ["x", "y"] {
            let (signals, signal) = AsyncStream.makeStream(of: Void.self)
            await screen.watch(observed, signal)
            try store.writing { try Author(id: "a", name: name).save(to: &$0) }
            for await _ in signals { break }
        }
        #expect(await screen.names == ["Ann", "x"])
    }

    @Test("An object that is dropped goes at once, and its store after it")
    func dropped() async throws {
        weak var dropped: ObservedEntity<Author>?
        weak var droppedStore: Store?
        do {
            let store = try store()
            let observed = ObservedEntity(Author.query("a"), in: store)
            #expect(observed.entity != nil)
            (dropped, droppedStore) = (observed, store)
        }
        #expect(dropped == nil)
        while droppedStore != nil { await Task.yield() }
    }

    @Test("An object outlives its store, shows what came last, and keeps nothing of the store")
    func closed() async throws {
        weak var closed: Store?
        var observed: [ObservedEntity<Author>] = []
        do {
            let store = try store()
            observed.append(ObservedEntity(Author.query("a"), in: store))
            try store.writing { try Author(id: "a", name: "last").save(to: &$0) }
            try store.close()
            observed.append(ObservedEntity(Author.query("b"), in: store))
            closed = store
        }
        while closed != nil { await Task.yield() }
        #expect(observed.map(\.entity?.name) == ["last", "Bob"])
    }
}
