import Foundation
import Testing
import Varve
import VarveGraph
import VarveLog
import VarveTestSupport

/// Transactions change the state in place where nobody watches. Nobody may notice.
@Suite("Transactions in place")
struct InPlaceTransactionTests {
    private struct Stop: Error {}

    private static func makeStore() throws -> Store {
        try Store.inMemory(Author.self, Shelf.self)
    }

    /// The identities of the tables that are shown: they change when a table is copied.
    private static func identities(_ store: Store) -> [ObjectIdentifier] {
        store.context.tables.tables.unfilled.map { ObjectIdentifier($0) }
    }

    @Test("A write copies no table that no reader holds")
    func copiesNothing() throws {
        let store = try Self.makeStore()
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        let before = Self.identities(store)
        for number in 0..<100 {
            try store.write {
                try Book(id: number, title: "t", author: .id("a")).save(to: &$0)
            }
        }
        try store.write { try Book.delete(id: 7, from: &$0) }
        #expect(Array(Self.identities(store).prefix(before.count)) == before)
        #expect(Book.query().count(in: store.context) == 99)
    }

    @Test("A snapshot stays as it was when a write changes the state behind it")
    func snapshotsStay() throws {
        let store = try Self.makeStore()
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        let snapshot = store.context
        try store.write { try Author(id: "a", name: "Bea").save(to: &$0) }
        #expect(Author.query("a").resolve(in: snapshot)?.name == "Ann")
        #expect(Author.query("a").resolve(in: store.context)?.name == "Bea")
        snapshot.checkInvariants()
    }

    /// What a body does with the store and its context, besides changing it.
    enum Disturbance: CaseIterable {
        case none, read, readElsewhere, keepCopy, exchangeForCopy, changeCopy, readTwice
    }

    /// State that outlives a body.
    struct Kept {
        var snapshots: [(context: Context, description: String)] = []
    }

    static func disturb(
        _ store: Store, _ context: inout Context, expecting before: String,
        _ random: inout SeededGenerator, _ kept: inout Kept
    ) throws {
        let readElsewhere = {
            let found = Lock("")
            let thread = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                found.withLock { $0 = describe(store.context) }
                thread.signal()
            }
            thread.wait()
            return found.withLock { $0 }
        }
        switch Disturbance.allCases.randomElement(using: &random)! {
        case .none: break
        case .read: #expect(difference(before, describe(store.context)) == nil)
        case .readTwice:
            let shown = store.context
            #expect(difference(before, describe(shown)) == nil)
            shown.checkInvariants()
            kept.snapshots.append((shown, before))
        case .readElsewhere: #expect(difference(before, readElsewhere()) == nil)
        case .keepCopy: kept.snapshots.append((context, describe(context)))
        case .exchangeForCopy:
            var copy = context
            try ReplayLawTests().change(&copy, &random)
            context = copy
        case .changeCopy:
            var copy = context
            try ReplayLawTests().change(&copy, &random)
            #expect(difference(before, describe(store.context)) == nil)
        }
    }

    @Test(
        "Readers see the state before a write until it ends, whatever the body does",
        arguments: TestSize.choose(1...8, nightly: 1...24 as ClosedRange<UInt64>))
    func former(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Self.makeStore()
        var kept = Kept()
        for _ in 0..<60 {
            let before = describe(store.context)
            let fails = Int.random(in: 0..<5, using: &random) == 0
            // Without times: rows that were saved as they were get theirs back at the end.
            var after = content(store.context)
            do {
                try store.write { context in
                    for _ in 0..<Int.random(in: 0...6, using: &random) {
                        try ReplayLawTests().change(&context, &random)
                        try Self.disturb(store, &context, expecting: before, &random, &kept)
                    }
                    if fails { throw Stop() }
                    after = content(context)
                }
            } catch is Stop {}
            #expect(difference(after, content(store.context)) == nil, "seed \(seed)")
            if fails { #expect(difference(before, describe(store.context)) == nil) }
            store.context.checkInvariants()
            if kept.snapshots.count > 4 {
                for snapshot in kept.snapshots {
                    #expect(difference(snapshot.description, describe(snapshot.context)) == nil)
                }
                kept.snapshots = []
            }
        }
    }

    @Test("A context that a body throws away leaves the state as it was")
    func foreignContext() throws {
        let store = try Self.makeStore()
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        let before = describe(store.context)
        #expect(throws: StoreError.self) {
            try store.write { context in
                try Author(id: "a", name: "Bea").save(to: &context)
                try Book(id: 1, title: "t", author: .id("a")).save(to: &context)
                context = Context()
                #expect(difference(before, describe(store.context)) == nil)
            }
        }
        #expect(difference(before, describe(store.context)) == nil)
        store.context.checkInvariants()
        try store.write { try Author(id: "b", name: "Cid").save(to: &$0) }
        #expect(Author.query().count(in: store.context) == 2)
    }

    @Test("A context that a body keeps for itself leaves the state as it was")
    func stolenContext() throws {
        let store = try Self.makeStore()
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        let before = describe(store.context)
        var stolen = Context()
        #expect(throws: StoreError.self) {
            try store.write { context in
                try Author(id: "a", name: "Bea").save(to: &context)
                swap(&stolen, &context)
            }
        }
        #expect(difference(before, describe(store.context)) == nil)
        #expect(Author.query("a").resolve(in: stolen)?.name == "Bea")
        try store.write { try Author(id: "a", name: "Cid").save(to: &$0) }
        #expect(Author.query("a").resolve(in: stolen)?.name == "Bea")
    }

    @Test("A context of an earlier write is none of a later one, and changes nothing")
    func contextOfEarlierWrite() throws {
        let store = try Self.makeStore()
        var kept = Context()
        try store.write { context in
            try Author(id: "a", name: "Ann").save(to: &context)
            kept = context
        }
        // What a write leaves for the next one must not be of the kept one's.
        for id in ["b", "c"] { try store.write { try Author(id: id, name: "").save(to: &$0) } }
        let before = describe(store.context)
        #expect(throws: StoreError.self) {
            try store.write { context in
                try Author(id: "d", name: "Dan").save(to: &context)
                context = kept
            }
        }
        #expect(difference(before, describe(store.context)) == nil)
        #expect(Author.query().count(in: kept) == 1)
    }

    @Test("A context that outlives its write is one of its own, and keeps no table alive")
    func escapedContext() throws {
        let store = try Self.makeStore()
        try store.write { context in
            try Author(id: "a", name: "Ann").save(to: &context)
            try Book(id: 0, title: "t").save(to: &context)
        }
        let before = Self.identities(store)
        do {
            var escaped = try store.write { context in
                try Author(id: "b", name: "Bea").save(to: &context)
                return context
            }
            try Book(id: 1, title: "t", author: .id("a")).save(to: &escaped)
            try Author(id: "c", name: "Cid").save(to: &escaped)
            #expect(Author.query().count(in: escaped) == 3)
            #expect(Author.query().count(in: store.context) == 2)
        }
        // Were the table still held by anything, this would copy it.
        try store.write { try Book(id: 2, title: "t").save(to: &$0) }
        let position = try #require(
            store.context.tables.tables.unfilled.firstIndex { $0.descriptor === Book._descriptor })
        #expect(Self.identities(store)[position] == before[position])
    }

    @Test("A transaction larger than any journal that is kept for readers is invisible too")
    func large() throws {
        let store = try Self.makeStore()
        try store.write { context in
            for number in 0..<1_000 { try Book(id: number, title: "old").save(to: &context) }
        }
        let before = describe(store.context)
        try store.write { context in
            for number in 0..<6_000 { try Book(id: number, title: "new").save(to: &context) }
            #expect(difference(before, describe(store.context)) == nil)
        }
        #expect(Book.query().count(in: store.context) == 6_000)
        #expect(Book.query(0).resolve(in: store.context)?.title == "new")
        store.context.checkInvariants()
    }

    @Test("A log that takes nothing leaves the state as it was")
    func failedAppend() throws {
        let files = FaultyFileSystem(MemoryFileSystem())
        let store = try Store(in: files, mode: .readWrite, durability: .none, types: [Author.self])
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        let before = describe(store.context)
        files.setFault(.init(operation: files.operations, count: 1_000, code: ENOSPC))
        #expect(throws: StoreError.self) {
            try store.write { try Author(id: "a", name: "Bea").save(to: &$0) }
        }
        #expect(difference(before, describe(store.context)) == nil)
        store.context.checkInvariants()
    }

    @Test("A write that comes to nothing leaves no trace, not even of its ids")
    func leavesNothing() throws {
        let store = try Self.makeStore()
        try store.write { context in
            for number in 0..<50 {
                try Book(id: number, title: "t", author: .id("a\(number)")).save(to: &context)
            }
        }
        let slots = { store.context.tables.tables.unfilled.map(\.slotCount) }
        let before = slots()
        for round in 0..<200 {
            #expect(throws: Stop.self) {
                try store.write { context in
                    try Book(id: 1_000 + round, title: "t", author: .id("b\(round)"))
                        .save(to: &context)
                    try Book(id: -round - 1, title: "t").save(to: &context)
                    try Book.delete(id: 1_000 + round, from: &context)
                    try Deleted<Book>.delete(id: 1_000 + round, from: &context)
                    throw Stop()
                }
            }
        }
        #expect(Array(slots().prefix(before.count)) == before)
        store.context.checkInvariants()
        try store.write { try Book(id: 1_001, title: "new").save(to: &$0) }
        #expect(Book.query(1_001).resolve(in: store.context)?.title == "new")
        #expect(Book.query().count(in: store.context) == 51)
        store.context.checkInvariants()
    }

    @Test("Other threads always see a whole state, whatever bodies do with their contexts")
    func threads() throws {
        let store = try Self.makeStore()
        try store.write { context in
            for number in 0..<20 { try Book(id: number, title: "0").save(to: &context) }
        }
        let isOver = Lock(false)
        let readers = DispatchGroup()
        for _ in 0..<3 {
            readers.enter()
            Thread.detachNewThread {
                while !isOver.withLock({ $0 }) {
                    let titles = Set(Book.query().resolve(in: store.context).map(\.title))
                    #expect(titles.count == 1)
                    let preview = try? store.preview { context in
                        try Book(id: 3, title: "p").save(to: &context)
                    }
                    #expect(preview != nil)
                }
                readers.leave()
            }
        }
        var random = SeededGenerator(seed: 1)
        for round in 1...400 {
            try? store.write { context in
                let kind = Int.random(in: 0..<6, using: &random)
                for number in 0..<20 {
                    try Book(id: number, title: "\(round)").save(to: &context)
                    if kind == 1, number == 10 {
                        let copy = Lock<Context?>(context)
                        Thread.detachNewThread { copy.withLock { $0 = nil } }
                    }
                }
                if kind == 2 { context = Context() }
                if kind == 3 { throw Stop() }
            }
        }
        isOver.withLock { $0 = true }
        readers.wait()
        store.context.checkInvariants()
    }

    @Test("Results that are asked for inside a write follow it")
    func watchedMidway() async throws {
        let store = try Self.makeStore()
        var results = try watchedInside(store)
        #expect(await results.next()?.list.count == 1)
        #expect(await results.next()?.list.count == 2)
    }

    private func watchedInside(_ store: Store) throws -> LiveResults<Author>.Iterator {
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        return try store.write { context in
            try Author(id: "b", name: "Bea").save(to: &context)
            return store.results(of: Author.query()).makeAsyncIterator()
        }
    }
}
