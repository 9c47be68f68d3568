import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// What a consumer makes of a feed: the entities, from changes alone.
private struct Mirror {
    var authors: [String: Author] = [:]
    var books: [Int: Book] = [:]
    var token: ChangeToken?

    mutating func take(_ event: StoreChangeEvent?) throws {
        let event = try #require(event)
        token = event.token
        switch event {
        case .transaction(let change):
            try Self.apply(try change.changes(of: Author.self), to: &authors)
            try Self.apply(try change.changes(of: Book.self), to: &books)
        case .rewound: break
        case .gap(let gap):
            authors = Dictionary(uniqueKeysWithValues: Self.all(gap.context).map { ($0.id, $0) })
            books = Dictionary(uniqueKeysWithValues: Self.all(gap.context).map { ($0.id, $0) })
        }
    }

    private static func all<E: EntityModelProtocol>(_ context: Context) -> [E] {
        E.query().resolve(in: context)
    }

    private static func apply<E: EntityModelProtocol>(
        _ changes: [LoggedChange<E>], to entities: inout [E.ID: E]
    ) throws {
        for change in changes {
            switch change {
            case .inserted(let entity): entities[entity.id] = entity
            case .updated(let update):
                let old = try #require(entities[update.id])
                entities[update.id] = try update.applied(to: old)
            case .deleted(let entity):
                let old = entities.removeValue(forKey: entity.id)
                #expect(
                    old?.isIdentical(to: entity) == true, "a deletion carries the entity as it was")
            case .linked, .purged, .unreadable: break
            }
        }
    }

    func check(_ context: Context, _ place: String) {
        func same<E: EntityModelProtocol>(_ entities: [E.ID: E]) -> Bool {
            let all = E.query().resolve(in: context)
            return all.count == entities.count
                && all.allSatisfy { entities[$0.id]?.isIdentical(to: $0) ?? false }
        }
        #expect(same(authors), "authors, \(place)")
        #expect(same(books), "books, \(place)")
    }
}

@Suite("The change feed", .timeLimit(.minutes(5)))
struct ChangeFeedTests {
    private func open(
        _ disk: SimulatedDisk, seed: UInt64, mode: Store.Mode = .readWrite,
        durability: Durability = .commit, retention: Retention = .everything
    ) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(16_384)
        configuration.frameBytesMax = ByteCount(2_048)
        return try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), configuration: configuration,
            mode: mode, durability: durability, retention: retention, compactsAutomatically: false,
            types: [Author.self, Shelf.self])
    }

    @Test(
        "Changes lead to what the store holds, across reopening, compaction and pauses",
        arguments: 1...8 as ClosedRange<UInt64>)
    func equalsTheStore(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        var store = try open(disk, seed: seed)
        var mirror = Mirror()
        var feed = store.changes().makeAsyncIterator()
        for step in 0..<70 {
            let place = "seed \(seed) step \(step)"
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<14:
                try store.writing { context in
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        try ReplayLawTests().change(&context, &random)
                    }
                }
            case 14: try store.undoing()
            case 15: try store.dropHistory()
            case 16:
                // The token survives a relaunch.
                let token = try JSONDecoder().decode(
                    ChangeToken?.self, from: try JSONEncoder().encode(mirror.token))
                try store.close()
                store = try open(disk, seed: seed &+ UInt64(step))
                feed = store.changes(after: token).makeAsyncIterator()
            default:
                // A consumer that was slow, sometimes very.
                while (mirror.token?.transaction ?? 0) < store.lastTransaction {
                    try mirror.take(try await feed.next())
                }
                mirror.check(store.context, place)
            }
        }
        while (mirror.token?.transaction ?? 0) < store.lastTransaction {
            try mirror.take(try await feed.next())
        }
        mirror.check(store.context, "seed \(seed)")
    }

    @Test("A follower is told what its writer has promised")
    func follower() async throws {
        let disk = SimulatedDisk()
        let writer = try open(disk, seed: 1)
        let reader = try open(disk, seed: 2, mode: .readOnly)
        var random = SeededGenerator(seed: 3)
        var mirror = Mirror()
        var feed = reader.changes(lookingEvery: .milliseconds(1)).makeAsyncIterator()
        for step in 0..<42 {
            try writer.writing { try ReplayLawTests().change(&$0, &random) }
            guard step % 7 == 6 else { continue }
            try writer.flush()
            while (mirror.token?.transaction ?? 0) < writer.lastTransaction {
                try mirror.take(try await feed.next())
            }
            mirror.check(writer.context, "step \(step)")
            #expect(reader.lastTransaction >= mirror.token?.transaction ?? 0)
        }
        // A token of the writer's own feed fits its follower's.
        let token = try writer.changeToken()
        #expect(token == mirror.token)
    }

    @Test("Old and new values, links and whole entities")
    func content() async throws {
        let store = try Store.inMemory(Author.self)
        let start = try store.changeToken()
        try store.writing("Add") { context in
            try Author(id: "1", name: "x", born: 3, books: .relation([Book(id: 7, title: "t")]))
                .save(to: &context)
        }
        try store.writing { try Author(id: "1", name: "y", born: 3).save(to: &$0) }
        var feed = store.changes(after: start).makeAsyncIterator()
        guard case .transaction(let added)? = try await feed.next(),
            case .transaction(let renamed)? = try await feed.next()
        else { return #expect(Bool(false), "two transactions") }
        #expect(added.info.label == "Add")
        #expect(Set(try added.types()) == ["Author", "Book"])
        #expect(try added.changes(of: Shelf.self).isEmpty)
        var links: [String] = []
        for change in try added.changes(of: Author.self) {
            if case .linked(let linked) = change {
                links += [linked.relation] + linked.inserted.map(\.idText)
                #expect(try linked.inserted.map { try $0.id(as: Book.self) } == [7])
            }
        }
        #expect(links == ["books", "7"])
        let changes = try renamed.changes(of: Author.self)
        guard changes.count == 1, case .updated(let update) = changes[0] else {
            return #expect(Bool(false), "one update: \(changes)")
        }
        #expect(update.changedProperties == ["name"])
        #expect(try update.old(\.name) == "x")
        #expect(try update.new(\.name) == "y")
        #expect(try update.new(\.born) == nil, "it has not changed")
    }

    @Test("A forged token of the last number there is is ahead of the log, not a trap")
    func forgedToken() async throws {
        let store = try Store.inMemory(Author.self)
        try store.writing { try Author(id: "1", name: "x").save(to: &$0) }
        let token = try store.changeToken()
        let encoded = try JSONEncoder().encode(token)
        let forged = String(decoding: encoded, as: UTF8.self)
            .replacingOccurrences(of: ":1,", with: ":\(UInt64.max),")
            .replacingOccurrences(of: ":1}", with: ":\(UInt64.max)}")
        let last = try JSONDecoder().decode(ChangeToken.self, from: Data(forged.utf8))
        try #require(last.transaction.rawValue == UInt64.max, "\(forged)")
        var feed = store.changes(after: last).makeAsyncIterator()
        guard case .rewound(let found)? = try await feed.next() else {
            return #expect(Bool(false), "rewound")
        }
        #expect(found == token)
    }

    @Test("A change of a long text is applied to the text before, and to no other")
    func splices() async throws {
        let store = try Store.inMemory(Author.self)
        let text = String(repeating: "line of text ", count: 200)
        try store.writing { try Book(id: 1, title: "t", text: text).save(to: &$0) }
        var feed = store.changes(after: try store.changeToken()).makeAsyncIterator()
        try store.writing { try Book(id: 1, title: "t", text: text + "end").save(to: &$0) }
        guard case .transaction(let change)? = try await feed.next(),
            case .updated(let update)? = try change.changes(of: Book.self).first
        else { return #expect(Bool(false), "an update") }
        #expect(update.properties.map(\.isSplice) == [true])
        #expect(try update.new(\.text) == nil)
        #expect(try update.applied(to: Book(id: 1, title: "t", text: text)).text == text + "end")
        #expect {
            _ = try update.applied(to: Book(id: 1, title: "t", text: "other"))
        } throws: { error in
            if case StoreError.notTheFormerVersion = error { true } else { false }
        }
    }

    @Test(
        "A token of another store is refused; one from before the floor finds a gap with the state")
    func tokens() async throws {
        let disk = SimulatedDisk()
        let store = try open(disk, seed: 1)
        let other = try open(SimulatedDisk(), seed: 2)
        try store.writing { try Author(id: "1", name: "x").save(to: &$0) }
        let old = try store.changeToken()
        var foreign = other.changes(after: old).makeAsyncIterator()
        await #expect {
            _ = try await foreign.next()
        } throws: { error in
            if case StoreError.foreignToken = error { true } else { false }
        }
        for number in 2..<6 {
            try store.writing { try Author(id: "\(number)", name: "x").save(to: &$0) }
        }
        try store.dropHistory()
        try store.dropHistory()
        var late = store.changes(after: old).makeAsyncIterator()
        guard case .gap(let gap)? = try await late.next() else {
            return #expect(Bool(false), "a gap")
        }
        #expect(gap.floor == store.floor)
        #expect(gap.context.count(Author.self) == 5)
        #expect(gap.token.transaction == store.lastTransaction)
        try store.writing { try Author(id: "9", name: "x").save(to: &$0) }
        guard case .transaction(let next)? = try await late.next() else {
            return #expect(Bool(false), "a transaction")
        }
        #expect(next.id == store.lastTransaction)
    }

    @Test(
        "A log that was restored from a backup rewinds the feed; one that went another way is a gap"
    )
    func rewinding() async throws {
        let disk = SimulatedDisk()
        let store = try open(disk, seed: 1)
        try store.writing { try Author(id: "1", name: "x").save(to: &$0) }
        try store.flush()
        let backup = disk.image
        try store.writing { try Author(id: "2", name: "x").save(to: &$0) }
        let token = try store.changeToken()
        let restored = try open(SimulatedDisk(backup), seed: 7)
        var feed = restored.changes(after: token).makeAsyncIterator()
        guard case .rewound(let place)? = try await feed.next() else {
            return #expect(Bool(false), "rewound")
        }
        #expect(place.transaction == 1)
        try restored.writing { try Author(id: "3", name: "y").save(to: &$0) }
        guard case .transaction(let change)? = try await feed.next() else {
            return #expect(Bool(false), "the next")
        }
        #expect(change.id == 2)
        var again = restored.changes(after: token).makeAsyncIterator()
        guard case .gap? = try await again.next() else {
            return #expect(Bool(false), "another transaction 2")
        }
    }

    @Test("A feed keeps what it has not told from compactions, and ends when the store is closed")
    func pinning() async throws {
        let disk = SimulatedDisk()
        let store = try open(disk, seed: 1)
        var feed = store.changes().makeAsyncIterator()
        try store.writing { try Author(id: "0", name: "x").save(to: &$0) }
        _ = try await feed.next()
        for number in 1..<30 {
            try store.writing { try Author(id: "\(number)", name: "x").save(to: &$0) }
            if number % 5 == 0 { try store.dropHistory() }
        }
        for number in 2...30 {
            guard case .transaction(let change)? = try await feed.next() else {
                return #expect(Bool(false), "transaction \(number)")
            }
            #expect(change.id.rawValue == UInt64(number))
        }
        try store.close()
        #expect(try await feed.next() == nil)
    }

    @Test("A feed that begins behind a compaction gets the state it left, without what is unsafe")
    func beginsBehindCompaction() async throws {
        let disk = SimulatedDisk()
        let store = try open(disk, seed: 1, durability: .none)
        for number in 0..<5 {
            try store.writing { try Author(id: "\(number)", name: "x").save(to: &$0) }
        }
        try store.dropHistory()
        let safe = store.lastTransaction
        // Shown, and not durable: nothing of it may be told.
        try store.writing { try Author(id: "9", name: "x").save(to: &$0) }
        #expect(store.durableTransaction == safe && store.floor.rawValue == safe.rawValue + 1)
        let reader = try open(disk, seed: 2, mode: .readOnly)
        var feeds = [
            store.changes().makeAsyncIterator(),
            reader.changes(lookingEvery: .milliseconds(1)).makeAsyncIterator(),
        ]
        var mirrors = [Mirror(), Mirror()]
        for number in feeds.indices {
            let gap = try await feeds[number].next()
            guard case .gap? = gap else { return #expect(Bool(false), "feed \(number): a gap") }
            try mirrors[number].take(gap)
            #expect(mirrors[number].token?.transaction == safe, "feed \(number)")
            #expect(mirrors[number].authors.count == 5, "feed \(number)")
        }
        try store.flush()
        for number in feeds.indices {
            try mirrors[number].take(try await feeds[number].next())
            mirrors[number].check(store.context, "feed \(number), flushed")
        }
    }
}
