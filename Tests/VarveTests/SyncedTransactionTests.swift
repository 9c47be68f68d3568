import Foundation
import Testing
import VarveGraph
import VarveLog
import VarveTestSupport

@testable import Varve

/// Transactions that wait for the disk change the state in place as well, on top of others that wait. What is shown
/// is what is safe.
@Suite("Transactions in place that wait for the disk", .timeLimit(.minutes(5)))
struct SyncedTransactionTests {
    private struct Stop: Error {}

    /// With an index of each kind.
    @EntityModel("SyncedPaper")
    struct Paper: Equatable {
        @Unique<Self>(\.number, collisions: .upsert) private var uniqueNumber
        @Index<Self>(\.title, \.number.desc) private var titleIndex
        @HashIndex<Self>(\.title) private var titleHash
        @FullTextIndex<Self>(\.title, \.text) private var words

        let id: Int
        var number: Int
        var title: String
        var text: String

        static func change(
            _ context: inout Context, _ random: inout SeededGenerator
        ) throws {
            let id = Int.random(in: 0..<10, using: &random)
            guard Int.random(in: 0..<4, using: &random) > 0 else {
                try Paper.delete(id: id, from: &context)
                return
            }
            let words = ["lake", "sand", "clay", "ice"]
            try Paper(
                id: id, number: Int.random(in: 0..<15, using: &random),
                title: words.randomElement(using: &random)!,
                text: (0..<4).map { _ in words.randomElement(using: &random)! }
                    .joined(separator: " ")
            ).save(to: &context)
        }
    }

    /// All that is in a state, with what the indexes answer.
    private static func content(_ context: Context) -> String {
        var lines = [VarveTests.content(context)]
        lines += Paper.query().resolve(in: context).map {
            "\($0.id) \($0.number) \($0.title) \($0.text)"
        }
        for word in ["lake", "sand", "clay", "ice"] {
            let equal = Paper.filter(\.title == word).resolve(in: context).map(\.id)
            let above = Paper.filter(\.title > word).sorted(by: \.title)
                .resolve(in: context).map(\.id)
            let found = Paper.filter(.string(\.title, \.text, matches: word)).resolve(in: context)
                .map(\.id)
            lines.append("\(word) \(equal) \(above) \(found)")
        }
        for number in 0..<15 {
            let paper = Paper.filter(\.number == number).resolve(in: context).first
            lines.append("\(number) \(paper?.id ?? -1)")
        }
        return lines.joined(separator: "\n")
    }

    /// A store whose syncs end when the test says so, and what is to be shown of it.
    private final class Bench {
        let gate = GatedFileSystem(SimulatedDisk())
        let store: Store
        let writer: Writer
        /// The content behind each transaction that was appended and is not known to be safe.
        private(set) var waiting: [(transaction: TransactionID, content: String)] = []
        private(set) var shown: String
        /// The newest transaction of the sync that is under way.
        private var syncing: TransactionID?
        private let synced = DispatchSemaphore(value: 0)

        init() throws {
            store = try Store(
                in: gate, mode: .readWrite, durability: .none,
                types: [Author.self, Shelf.self, Paper.self])
            writer = try store.writing()
            shown = SyncedTransactionTests.content(store.context)
        }

        /// Appends without waiting. What the body is given to compare with is what is shown.
        func append(
            _ durability: Durability, _ body: (inout Context, String) throws -> Void
        ) throws {
            let before = describe(store.context)
            var after = ""
            let receipt = try writer.append("", WriteOptions(durability: durability)) { context in
                try body(&context, before)
                after = SyncedTransactionTests.content(context)
            }
            guard let transaction = receipt.appended else { return }
            waiting.append((transaction, after))
            if durability != .commit { show(through: transaction) }
        }

        /// Takes the newest step back, or the newest undo, without waiting.
        func move(_ direction: TimelineDirection) throws {
            do {
                let written = try writer.move(direction, UndoOptions(durability: .commit))
                guard let transaction = written.receipt.appended else { return }
                let head = writer.inTurn { $0.head.context }
                waiting.append((transaction, SyncedTransactionTests.content(head)))
            } catch StoreError.nothingToUndo, StoreError.nothingToRedo {}
        }

        var isSyncing: Bool { syncing != nil }

        func flush() throws {
            try store.flush()
            show(through: TransactionID(.max))
        }

        /// A sync begins, for everything that is appended by now.
        func beginSync() {
            guard let commits = commits, let newest = waiting.last?.transaction else { return }
            gate.closeGate()
            syncing = newest
            commits.whenSafe(newest) { [synced] failure in
                #expect(failure == nil)
                synced.signal()
            }
            gate.awaitSync()
        }

        func endSync() {
            guard let through = syncing else { return }
            gate.openGate()
            synced.wait()
            syncing = nil
            show(through: through)
        }

        private var commits: GroupCommit? {
            try? writer.inTurn { try $0.openLog().commits }
        }

        private func show(through transaction: TransactionID) {
            while let next = waiting.first, next.transaction <= transaction {
                shown = next.content
                waiting.removeFirst()
            }
        }

        func check(_ seed: UInt64 = 0) {
            let context = store.context
            #expect(
                difference(shown, SyncedTransactionTests.content(context)) == nil, "seed \(seed)")
            context.checkInvariants()
        }
    }

    private static func identities(_ context: Context) -> [ObjectIdentifier] {
        context.tables.tables.unfilled.map { ObjectIdentifier($0) }
    }

    @Test("Writes that wait for the disk copy no table that no reader holds")
    func copiesNothing() throws {
        let store = try Store(
            in: MemoryFileSystem(), mode: .readWrite, durability: .commit,
            types: [Author.self, Shelf.self])
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        let before = Self.identities(store.context)
        for number in 0..<50 {
            try store.write { try Book(id: number, title: "t", author: .id("a")).save(to: &$0) }
        }
        #expect(Array(Self.identities(store.context).prefix(before.count)) == before)
        #expect(Book.query().count(in: store.context) == 50)
    }

    @Test("Writes that wait for one sync copy no table either")
    func copiesNothingWaiting() throws {
        let bench = try Bench()
        try bench.append(.none) { context, _ in
            try Author(id: "a", name: "Ann").save(to: &context)
            try Book(id: 0, title: "t", author: .id("a")).save(to: &context)
        }
        let before = Self.identities(bench.store.context)
        for number in 1..<20 {
            try bench.append(.commit) { context, _ in
                try Book(id: number, title: "t", author: .id("a")).save(to: &context)
            }
        }
        bench.beginSync()
        try bench.append(.commit) { context, _ in
            try Book.delete(id: 3, from: &context)
        }
        #expect(throws: Stop.self) {
            try bench.append(.commit) { context, _ in
                try Author(id: "b", name: "Bea").save(to: &context)
                throw Stop()
            }
        }
        bench.endSync()
        bench.beginSync()
        bench.endSync()
        #expect(bench.store.published.former.counts == (0, 0))
        // The write that failed has copied the table that it changed.
        let now = Self.identities(bench.store.context)
        #expect(zip(now, before).filter { $0 != $1 }.count == 1)
        #expect(Book.query().count(in: bench.store.context) == 19)
        bench.check()
    }

    @Test(
        "What is shown is what is safe, whatever waits behind it",
        arguments: TestSize.choose(1...8, nightly: 1...24 as ClosedRange<UInt64>))
    func shownIsSafe(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bench = try Bench()
        var kept = InPlaceTransactionTests.Kept()
        var watching: LiveResults<Author>.Iterator?
        for _ in 0..<120 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: watching = bench.store.results(of: Author.query()).makeAsyncIterator()
            case 1: watching = nil
            case 2, 3, 4: if !bench.isSyncing { bench.beginSync() }
            case 5, 6: bench.endSync()
            case 7, 8: bench.check(seed)
            case 9: if !bench.isSyncing { try bench.flush() }
            case 10: try bench.move(Bool.random(using: &random) ? .undo : .redo)
            default: try append(to: bench, &random, &kept)
            }
            if kept.snapshots.count > 4 {
                for snapshot in kept.snapshots {
                    #expect(difference(snapshot.description, describe(snapshot.context)) == nil)
                }
                kept.snapshots = []
            }
        }
        bench.endSync()
        bench.check(seed)
        bench.beginSync()
        bench.endSync()
        bench.check(seed)
        withExtendedLifetime(watching) {}
    }

    private func append(
        to bench: Bench, _ random: inout SeededGenerator,
        _ kept: inout InPlaceTransactionTests.Kept
    ) throws {
        let fails = Int.random(in: 0..<5, using: &random) == 0
        let durability: Durability =
            Int.random(in: 0..<12, using: &random) == 0 ? .none : .commit
        do {
            try bench.append(durability) { context, before in
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    if Bool.random(using: &random) {
                        try Paper.change(&context, &random)
                    } else {
                        try ReplayLawTests().change(&context, &random)
                    }
                    guard Bool.random(using: &random) else { continue }
                    try InPlaceTransactionTests.disturb(
                        bench.store, &context, expecting: before, &random, &kept)
                }
                if fails { throw Stop() }
            }
        } catch is Stop {}
    }

    @Test("A failed sync leaves what was shown, for good")
    func failedSync() throws {
        let files = FaultyFileSystem(MemoryFileSystem())
        let store = try Store(
            in: files, mode: .readWrite, durability: .commit, types: [Author.self])
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        let before = describe(store.context)
        let writer = try store.writing()
        var waiting: [Writer.Receipt] = []
        for name in ["Bea", "Cid"] {
            waiting.append(
                try writer.append("", WriteOptions()) { context in
                    try Author(id: "a", name: name).save(to: &context)
                })
        }
        files.setFault(.init(operation: files.operations, count: 1_000, code: EIO))
        for receipt in waiting {
            let awaited = try #require(receipt.awaited)
            #expect(throws: StoreError.self) {
                try awaited.commits.wait(for: awaited.transaction)
            }
        }
        #expect(throws: StoreError.self) {
            try store.write { try Author(id: "b", name: "Dan").save(to: &$0) }
        }
        #expect(difference(before, describe(store.context)) == nil)
        try? store.close()
        #expect(difference(before, describe(store.context)) == nil)
        store.context.checkInvariants()
    }

    @Test("More changes than anybody should wait for are kept beforehand")
    func many() throws {
        let bench = try Bench()
        try bench.append(.none) { context, _ in
            for number in 0..<1_500 { try Book(id: number, title: "0").save(to: &context) }
        }
        for round in 1...5 {
            try bench.append(.commit) { context, _ in
                for number in 0..<1_500 {
                    try Book(id: number, title: "\(round)").save(to: &context)
                }
            }
            if round == 2 { bench.beginSync() }
        }
        #expect(Book.query(7).resolve(in: bench.store.context)?.title == "0")
        bench.endSync()
        #expect(Book.query(7).resolve(in: bench.store.context)?.title == "2")
        bench.check()
        bench.beginSync()
        bench.endSync()
        #expect(Book.query(7).resolve(in: bench.store.context)?.title == "5")
        bench.check()
    }

    @Test("A large write that fails leaves it known how much waits")
    func manyAndFailed() throws {
        let bench = try Bench()
        try bench.append(.commit) { context, _ in
            for number in 0..<1_000 { try Book(id: number, title: "0").save(to: &context) }
        }
        let before = bench.store.published.former.counts.changes
        #expect(before >= 1_000)
        #expect(throws: Stop.self) {
            try bench.append(.commit) { context, _ in
                for number in 0..<5_000 { try Book(id: number, title: "1").save(to: &context) }
                throw Stop()
            }
        }
        #expect(bench.store.published.former.counts.changes >= before)
        bench.check()
        try bench.flush()
        #expect(bench.store.published.former.counts == (0, 0))
        bench.check()
    }

    @Test("A context that outlives a write that waits is one of its own")
    func escaped() throws {
        let bench = try Bench()
        var escaped = Context()
        try bench.append(.commit) { context, _ in
            for number in 0..<5 { try Book(id: number, title: "0").save(to: &context) }
            escaped = context
        }
        try Book(id: 1, title: "escaped").save(to: &escaped)
        try bench.append(.commit) { context, _ in
            try Book(id: 1, title: "1").save(to: &context)
            try Book(id: 2, title: "escaped").save(to: &escaped)
        }
        for number in 0..<5_000 { try Book(id: number, title: "escaped").save(to: &escaped) }
        bench.check()
        try bench.flush()
        bench.check()
        #expect(Book.query(1).resolve(in: bench.store.context)?.title == "1")
        #expect(Book.query(1).resolve(in: escaped)?.title == "escaped")
        escaped.checkInvariants()
    }

    @Test("A store that ends with writes that were never safe leaves nothing behind")
    func ends() throws {
        weak var former: FormerTables?
        do {
            let bench = try Bench()
            former = bench.store.published.former
            try bench.append(.commit) { context, _ in
                try Book(id: 1, title: "0").save(to: &context)
            }
            bench.check()
        }
        #expect(former == nil)
    }

    @Test("What waits when a compaction begins is shown as it was, and as it became")
    func compaction() throws {
        let bench = try Bench()
        for round in 0..<4 {
            for number in 0..<5 {
                try bench.append(.commit) { context, _ in
                    try Book(id: number, title: "\(round)").save(to: &context)
                }
            }
            bench.check()
            _ = try bench.store.compact()
            bench.check()
            try bench.flush()
            bench.check()
            #expect(Book.query(4).resolve(in: bench.store.context)?.title == "\(round)")
            #expect(Book.query().count(in: bench.store.context) == 5)
        }
    }
}
