import Foundation
import Testing
import VarveLog
import VarveTestSupport

@testable import Varve
@testable import VarveGraph

/// A value that asks the store, where it is 0, whenever it is stored.
private struct Nosy: RawRepresentable, Equatable, Sendable {
    static let asked = Lock<(@Sendable () -> Void)?>(nil)

    let value: Int

    init(value: Int) { self.value = value }

    init?(rawValue: Int) { value = rawValue }

    var rawValue: Int {
        if value == 0 { Nosy.asked.withLock { $0 }?() }
        return value
    }
}

@EntityModel
private struct Probe: Equatable {
    let id: Int
    var nosy: Nosy
}

/// Batches are logged while the next one's body runs. Nobody may notice, but by the clock.
@Suite("Imports in batches", .timeLimit(.minutes(5)))
struct BatchWriteTests {
    private struct Stop: Error {}

    /// A clock that stands still: times do not depend on who looks first.
    private struct StillEnvironment: LogEnvironment {
        func wallClockMicroseconds() -> Int64 { 1_700_000_000_000_000 }
        func randomSalt() -> UInt64 { 7 }
        func processID() -> Int32 { 4711 }
        func processName() -> String { "simulation" }
    }

    static func open(
        _ disk: any FileSystem, durability: Durability = .none, segmentBytesMax: UInt64 = 1 << 26
    ) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(segmentBytesMax)
        return try Store(
            in: disk, environment: StillEnvironment(), configuration: configuration,
            mode: .readWrite, durability: durability, compactsAutomatically: false,
            types: [Author.self, Shelf.self])
    }

    private static func segments(_ disk: SimulatedDisk) -> [String: [UInt8]] {
        disk.image.files.filter { $0.key.hasPrefix("segment") }
    }

    /// Books with authors: rows that fill leaves, and links to both new entities and those of earlier batches.
    static func insert(_ batch: Int, into context: inout Context, count: Int = 100) throws {
        try Author(id: "b\(batch)", name: "of \(batch)").save(to: &context)
        for number in batch * count..<(batch + 1) * count {
            let author = number % 3 == 0 ? "b\(batch)" : "b\(number % (batch + 1))"
            try Book(
                id: number, title: "book \(number)", text: "text \(number % 7)",
                author: .id(author)
            ).save(to: &context)
        }
    }

    /// How many batches were logged by another thread.
    private static func handedOver(_ store: Store) -> Int {
        store.writer?.inTurn { $0.handedOverCount } ?? 0
    }

    /// What a batch of a random import does.
    private enum Step: CaseIterable {
        case insert, insertMore, insertTwice, link, change, delete, restore, few, nothing
    }

    private static func apply(
        _ step: Step, _ batch: Int, _ random: inout SeededGenerator, to context: inout Context
    ) throws {
        let known = max(1, batch * 100)
        switch step {
        case .insert:
            for number in 0..<100 {
                try Book(
                    id: batch * 100 + number, title: "of \(batch)", author: .id("a\(number % 9)")
                )
                .save(to: &context)
            }
        case .insertMore:
            for number in 0..<100 {
                let shelf = Shelf(id: "s\(batch) \(number % 5)", label: nil)
                var book = Book(
                    id: batch * 100 + number, title: "of \(batch)", shelves: .relation([shelf]))
                book.$sequel = .id(Int.random(in: 0..<known + 100, using: &random))
                try book.save(to: &context)
            }
        case .insertTwice:
            for number in 0..<100 {
                let author = Author(id: "t\(batch) \(number % 9)", name: "\(number)")
                try Book(id: batch * 100 + number, title: "", author: .relation(author))
                    .save(to: &context)
            }
            if batch % 4 == 1 { try Author.delete(id: "t\(batch) 3", from: &context) }
        case .link:
            for number in 0..<40 {
                try Shelf(
                    id: "l\(batch) \(number)",
                    books: .appending(ids: [Int.random(in: 0..<known, using: &random)])
                ).save(to: &context)
            }
        case .change:
            // The latest batch among them, whose leaves are being packed.
            for _ in 0..<60 {
                let id = Int.random(in: max(0, known - 200)..<known, using: &random)
                guard var book: Book = context.find(id) else { continue }
                book.title = "changed by \(batch)"
                try book.save(to: &context)
            }
        case .delete:
            for _ in 0..<40 {
                try Book.delete(id: Int.random(in: 0..<known, using: &random), from: &context)
            }
        case .restore:
            for book in Deleted<Book>.query().resolve(in: context).prefix(20) {
                try book.restore(in: &context)
            }
        case .few: try Author(id: "few \(batch)", name: "few").save(to: &context)
        case .nothing: break
        }
    }

    private static func steps(_ random: inout SeededGenerator) -> [Step] {
        (0..<30).map { _ in
            Bool.random(using: &random) ? .insert : Step.allCases.randomElement(using: &random)!
        }
    }

    @Test("An import leaves the log that writes one by one leave, byte by byte", arguments: 1...12)
    func sameLog(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let steps = Self.steps(&random)
        let (disks, states) = (
            (SimulatedDisk(), SimulatedDisk()), (SeededGenerator(seed: seed), random)
        )
        let single = try Self.open(disks.0, segmentBytesMax: 40_000)
        var singleRandom = states.0
        for (batch, step) in steps.enumerated() {
            try single.write("Import") { try Self.apply(step, batch, &singleRandom, to: &$0) }
        }
        let imported = try Self.open(disks.1, segmentBytesMax: 40_000)
        var importRandom = states.0
        try imported.write(each: steps.enumerated(), "Import") { context, step in
            try Self.apply(step.element, step.offset, &importRandom, to: &context)
            if step.offset % 9 == 4 { context.checkInvariants() }
        }
        let shown = describe(imported.context)
        #expect(difference(describe(single.context), shown) == nil, "seed \(seed)")
        #expect(imported.lastTransaction == single.lastTransaction, "seed \(seed)")
        #expect(Self.handedOver(imported) >= 8, "seed \(seed)")
        imported.context.checkInvariants()
        try single.close()
        try imported.close()
        #expect(Self.segments(disks.0) == Self.segments(disks.1), "seed \(seed)")
        let again = try Self.open(disks.1)
        #expect(difference(shown, describe(again.context)) == nil, "seed \(seed)")
    }

    @Test("What a batch inserts is logged by another thread, and its leaves are packed")
    func packs() throws {
        let store = try Self.open(SimulatedDisk())
        try store.write(each: 0..<3) { try Self.insert($1, into: &$0) }
        let table = try #require(store.context.table(of: Book.self))
        let packed = stride(from: 0, to: 296, by: 8).filter { slot in
            table.settledPlace(at: Slot(slot))?.isPacked ?? false
        }
        // But for leaves that two batches share.
        #expect(packed.count >= 34)
        // The first one defines types.
        #expect(Self.handedOver(store) == 2)
        #expect(Book.query().count(in: store.context) == 300)
        store.context.checkInvariants()
    }

    @Test("A batch that changes what the one before it inserted is not undone by its packing")
    func changesWhileLogged() throws {
        let store = try Self.open(SimulatedDisk())
        try store.write(each: 0..<8) { context, batch in
            if batch.isMultiple(of: 2) { return try Self.insert(batch, into: &context) }
            for number in stride(from: (batch - 1) * 100, to: batch * 100, by: 3) {
                var book = try #require(context.find(number) as Book?)
                book.title = "changed"
                try book.save(to: &context)
            }
        }
        for number in [0, 3, 99, 200, 203, 600, 603, 699] {
            let book = try #require(store.context.find(number) as Book?)
            #expect(book.title == ((number % 200) % 3 == 0 ? "changed" : "book \(number)"))
        }
        #expect(Self.handedOver(store) == 3)
        store.context.checkInvariants()
    }

    @Test("When a body throws, the batches before it stay, and no further one is asked for")
    func bodyThrows() throws {
        let store = try Self.open(SimulatedDisk())
        var asked = 0
        let batches = sequence(first: 0) { $0 + 1 }.lazy.map { batch in
            asked += 1
            return batch
        }
        #expect(throws: Stop.self) {
            try store.write(each: batches) { context, batch in
                try Self.insert(batch, into: &context)
                if batch == 3 { throw Stop() }
            }
        }
        #expect(asked == 4)
        #expect(store.lastTransaction == 3)
        #expect(Book.query().count(in: store.context) == 300)
        store.context.checkInvariants()
        try store.write { try Self.insert(9, into: &$0) }
        #expect(store.lastTransaction == 4)
    }

    @Test(
        "A disk that is full at any moment ends the import behind a whole batch, and writing goes on"
    )
    func fullDisk() throws {
        var states = [""]
        let model = try Self.open(SimulatedDisk())
        states[0] = describe(model.context)
        for batch in 0..<6 {
            try model.write { try Self.insert(batch, into: &$0) }
            states.append(describe(model.context))
        }
        var failures = 0
        var refused = 0
        for operation in 0..<200 {
            let disk = SimulatedDisk()
            let probe = FaultyFileSystem(disk)
            let store = try Self.open(probe, segmentBytesMax: 6_000)
            let noSpace: Int32 = 28
            probe.setFault(
                .init(operation: probe.operations + operation, code: noSpace, isHalfDone: true))
            var finished = false
            var bodies = 0
            do {
                try store.write(each: 0..<6) {
                    bodies += 1
                    try Self.insert($1, into: &$0)
                }
                finished = true
            } catch StoreError.log {
                failures += 1
            }
            probe.setFault(nil)
            let reached = Int(store.lastTransaction.rawValue)
            #expect(!finished || reached == 6, "operation \(operation)")
            // The one that was refused, and one that was built on it.
            #expect(bodies - reached <= (finished ? 0 : 2), "operation \(operation)")
            if bodies - reached == 2 { refused += 1 }
            #expect(
                difference(states[reached], describe(store.context)) == nil,
                "operation \(operation)")
            store.context.checkInvariants()
            guard !finished else { break }
            guard store.statistics.isWritable else { continue }
            // The batches that are missing.
            try store.write(each: reached..<6) { try Self.insert($1, into: &$0) }
            #expect(difference(states[6], describe(store.context)) == nil, "operation \(operation)")
            try store.close()
            #expect(
                difference(states[6], describe(try Self.open(disk).context)) == nil,
                "operation \(operation)")
        }
        #expect(failures > 5)
        #expect(refused > 2)
    }

    @Test(
        "Whoever reads meanwhile, in a body or outside, sees whole batches, and bodies see all before them"
    )
    func reads() throws {
        let store = try Self.open(SimulatedDisk())
        var snapshots: [Context] = []
        let batches = (0..<12).lazy.map { batch in
            snapshots.append(store.context)
            return batch
        }
        try store.write(each: batches) { context, batch in
            #expect(Book.query().count(in: context) == batch * 100)
            #expect(Book.query().count(in: store.context) % 100 == 0)
            try Self.insert(batch, into: &context)
            if batch % 3 == 0 { snapshots.append(store.context) }
        }
        for snapshot in snapshots {
            let books = Book.query().resolve(in: snapshot)
            #expect(books.count % 100 == 0)
            #expect(books.map(\.id) == Array(0..<books.count))
            snapshot.checkInvariants()
        }
        #expect(Book.query().count(in: store.context) == 1_200)
    }

    @Test("Other writers come between two batches, and each builds on the one before")
    func otherWriters() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk)
        let batches = (0..<10).lazy.map { batch in
            // Not inside a transaction: this must not be refused.
            try! store.write { context in
                #expect(Book.query().count(in: context) == batch * 100)
                try Shelf(id: "s\(batch)").save(to: &context)
            }
            return batch
        }
        try store.write(each: batches) { context, batch in
            #expect(Shelf.query().count(in: context) == batch + 1)
            try Self.insert(batch, into: &context)
        }
        #expect(store.lastTransaction == 20)
        let shown = describe(store.context)
        try store.close()
        #expect(difference(shown, describe(try Self.open(disk).context)) == nil)
    }

    @Test("A body may look at the log while the batch before it is being written there")
    func history() throws {
        let store = try Self.open(SimulatedDisk())
        try store.write(each: 0..<12) { context, batch in
            try Self.insert(batch, into: &context)
            guard batch >= 2 else { return }
            // The batch before the one that may not show yet.
            let versions = try store.history(of: Book.self, id: (batch - 2) * 100)
            #expect(versions.map(\.transaction.id.rawValue) == [UInt64(batch - 1)])
        }
    }

    @Test("With synced commits everything is safe at the end, and a power cut leaves whole batches")
    func synced() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk, durability: .commit)
        try store.write(each: 0..<8) { try Self.insert($1, into: &$0) }
        #expect(store.durableTransaction == 8)
        #expect(Book.query().count(in: store.context) == 800)
        var random = SeededGenerator(seed: 5)
        for position in stride(from: 20, to: disk.operations.count, by: 3) {
            let point = disk.crashPoint(at: position)
            guard
                let survivals = disk.survivals(at: point, using: &random).randomElement(
                    using: &random)
            else { continue }
            let recovered = try Self.open(SimulatedDisk(disk.image(at: point, survivals)))
            let count = Book.query().count(in: recovered.context)
            #expect(count == Int(recovered.lastTransaction.rawValue) * 100, "at \(position)")
            recovered.context.checkInvariants()
        }
    }

    /// An import behind one batch ends with what is not known of a transaction, and shows nothing.
    private static func expectUnknownOutcome(of transaction: TransactionID, in store: Store) throws
    {
        do {
            try store.write(each: 1..<8) { try insert($1, into: &$0) }
            Issue.record("it was written")
        } catch StoreError.outcomeUnknown(let unknown, _) {
            #expect(unknown == transaction)
        }
        #expect(Book.query().count(in: store.context) == 100)
    }

    @Test("A failed sync ends the import, and nothing of what was not safe is shown")
    func failedSync() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk, durability: .commit)
        try store.write { try Self.insert(0, into: &$0) }
        disk.failNextSynchronize()
        // Of the first that was appended: it may be found there, or not.
        try Self.expectUnknownOutcome(of: 2, in: store)
        #expect(!store.statistics.isWritable)
    }

    @Test("Of a sync that fails late the first batch that waited for it is told, not a later one")
    func failedLate() throws {
        let disk = SimulatedDisk()
        let gate = GatedFileSystem(disk)
        let store = try Self.open(gate, durability: .commit)
        try store.write { try Self.insert(0, into: &$0) }
        gate.closeGate()
        disk.failNextSynchronize()
        let writer = try #require(store.writer)
        let opener = Thread {
            // The third one is handed over, and its caller waits for the first.
            while (writer.inTurnAsItIs { $0.handedOverCount } ?? 0) < 3 {
                Thread.sleep(forTimeInterval: 0.0001)
            }
            gate.openGate()
        }
        opener.start()
        try Self.expectUnknownOutcome(of: 2, in: store)
    }

    @Test(
        "A value that asks the store while it is being logged is refused a write, and nobody waits for ever"
    )
    func asking() throws {
        let store = try Store.inMemory(Probe.self)
        try store.write { try Probe(id: -1, nosy: Nosy(value: 1)).save(to: &$0) }
        let answers = Lock<[(isCaller: Bool, isRefused: Bool, versions: Int?)]>([])
        let caller = SystemEnvironment.threadNumber
        Nosy.asked.withLock {
            $0 = {
                var isRefused = false
                do { try store.write { _ in } } catch StoreError.nestedWrite {
                    isRefused = true
                } catch {}
                let versions = try? store.history(of: Probe.self, id: -1).count
                let isCaller = SystemEnvironment.threadNumber == caller
                answers.withLock { $0.append((isCaller, isRefused, versions)) }
            }
        }
        defer { Nosy.asked.withLock { $0 = nil } }
        try store.write(each: 0..<3) { context, batch in
            for number in 0..<80 {
                // One of them asks.
                try Probe(id: batch * 80 + number, nosy: Nosy(value: number == 7 ? 0 : 1))
                    .save(to: &context)
            }
        }
        let all = answers.withLock { $0 }
        #expect(all.contains { !$0.isCaller })
        #expect(all.allSatisfy { $0.isRefused && $0.versions == 1 })
        #expect(Probe.query().count(in: store.context) == 241)
    }

    @Test("An import in a group is one step to undo")
    func undo() throws {
        let store = try Self.open(SimulatedDisk())
        try store.group("Import") {
            try store.write(each: 0..<4) { try Self.insert($1, into: &$0) }
        }
        #expect(Book.query().count(in: store.context) == 400)
        try store.undo()
        #expect(Book.query().count(in: store.context) == 0)
        try store.redo()
        #expect(Book.query().count(in: store.context) == 400)
        store.context.checkInvariants()
    }

    @Test("A store that nobody has any more can be opened again right behind an import")
    func dropped() throws {
        let place = StoreTests.Place()
        for round in 0..<8 {
            let store = try Store(at: place.url, durability: .none, Author.self)
            try store.write(each: round * 3..<(round + 1) * 3) { try Self.insert($1, into: &$0) }
        }
        let store = try Store(at: place.url, Author.self)
        #expect(Book.query().count(in: store.context) == 2_400)
    }

    @Test("A refusal leaves nothing behind in what former states are made of")
    func refused() throws {
        let disk = SimulatedDisk()
        let probe = FaultyFileSystem(disk)
        let store = try Self.open(probe)
        try store.write { try Self.insert(0, into: &$0) }
        let noSpace: Int32 = 28
        var kept: [(Context, String)] = []
        let batches = (1..<6).lazy.map { batch in
            if batch == 3 {
                probe.setFault(.init(operation: probe.operations, code: noSpace, isHalfDone: true))
            }
            // Taken once: the batch before may be published meanwhile.
            let context = store.context
            kept.append((context, describe(context)))
            return batch
        }
        #expect(throws: StoreError.self) {
            try store.write(each: batches) { try Self.insert($1, into: &$0) }
        }
        probe.setFault(nil)
        let reached = Int(store.lastTransaction.rawValue)
        // More changes than are kept to be undone.
        try store.write { context in
            for number in 0..<4_200 { try Author(id: "m\(number)", name: "").save(to: &context) }
        }
        try store.write(each: reached..<reached + 3) { try Self.insert($1, into: &$0) }
        #expect(store.published.former.counts == (states: 0, changes: 0))
        for (context, description) in kept {
            #expect(describe(context) == description)
            context.checkInvariants()
        }
        let shown = describe(store.context)
        try store.close()
        #expect(difference(shown, describe(try Self.open(disk).context)) == nil)
    }

    @Test(
        "A large batch, past what is kept to be undone, is logged beside the next one as well")
    func large() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk)
        var counts: Set<Int> = []
        try store.write(each: 0..<4) { context, batch in
            try Self.insert(batch, into: &context, count: 3_000)
            counts.insert(Book.query().count(in: store.context) % 3_000)
        }
        #expect(Self.handedOver(store) == 3)
        #expect(counts == [0])
        let shown = describe(store.context)
        store.context.checkInvariants()
        try store.close()
        #expect(difference(shown, describe(try Self.open(disk).context)) == nil)
    }

    @Test("An import during which somebody begins and ceases to watch is told as any other")
    func watched() async throws {
        let store = try Self.open(SimulatedDisk())
        let query = Book.query().sorted(by: \.id)
        var watchers: [Task<[Int], Never>] = []
        let batches = (0..<12).lazy.map { batch in
            if batch == 4 || batch == 8 {
                watchers.append(
                    Task {
                        var counts: [Int] = []
                        for await update in store.results(of: query) {
                            counts.append(update.list.count)
                            if batch == 4 ? counts.count == 2 : update.list.count == 1_200 { break }
                        }
                        return counts
                    })
            }
            return batch
        }
        try await store.write(each: batches) { try Self.insert($1, into: &$0) }
        for watcher in watchers.dropFirst() {
            let counts = await watcher.value
            #expect(counts.last == 1_200)
            #expect(counts.allSatisfy { $0 % 100 == 0 } && counts == counts.sorted())
        }
        watchers.first?.cancel()
        store.context.checkInvariants()
    }

    @Test("An import of nothing does nothing, and fails where a write would")
    func empty() throws {
        let store = try Self.open(SimulatedDisk())
        try store.write(each: [Int]()) { try Self.insert($1, into: &$0) }
        #expect(store.lastTransaction == 0)
        try store.close()
        #expect(throws: StoreError.self) {
            try store.write(each: [Int]()) { try Self.insert($1, into: &$0) }
        }
    }
}
