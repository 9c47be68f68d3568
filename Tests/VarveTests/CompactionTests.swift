import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Compaction")
struct CompactionTests {
    private static var configuration: LogConfiguration {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(8_192)
        configuration.frameBytesMax = ByteCount(1_024)
        return configuration
    }

    static func open(
        _ disk: any FileSystem, seed: UInt64 = 1, retention: Retention = .newestState,
        automatic: UInt64? = nil, durability: Durability = .commit, mode: Store.Mode = .readWrite
    ) throws -> Store {
        var configuration = configuration
        if let automatic {
            configuration.automaticCompactionBytesMin = ByteCount(automatic)
        }
        return try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), configuration: configuration,
            mode: mode, durability: durability, retention: retention,
            compactsAutomatically: automatic != nil, types: [Author.self, Shelf.self])
    }

    static func fill(_ store: Store, _ numbers: Range<Int>) throws {
        for number in numbers {
            try store.write("Add \(number)") { context in
                let books = (0..<4).map {
                    Book(
                        id: number * 4 + $0, title: "book \($0)",
                        text: (0..<20).map { "\(number * 7 + $0)" }.joined(separator: " "))
                }
                try Author(
                    id: "a\(number % 7)", name: "after \(number)",
                    books: .appending(relation: books)
                ).save(to: &context)
                if number % 5 == 4 { try Book.delete(id: number * 2, from: &context) }
                if number % 9 == 8 { try Author.delete(id: "a\(number % 4)", from: &context) }
            }
        }
    }

    /// The log grows, and the state does not.
    static func rewrite(_ store: Store, while goesOn: () throws -> Bool) throws {
        var round = 0
        while try goesOn() {
            round += 1
            try store.write { context in
                for id in 0..<10 {
                    let text = (0..<20).map { "\(round * 31 + id * $0)" }.joined()
                    try Book(id: id, title: "\(round)", text: text).save(to: &context)
                }
            }
        }
    }

    @Test("A compacted store opens from its checkpoint as it was, before and after more writes")
    func roundTrip() throws {
        let disk = SimulatedDisk()
        var store = try Self.open(disk)
        try Self.fill(store, 0..<40)
        for round in 0..<4 {
            let report = try store.compact()
            #expect(report.checkpoint == store.lastTransaction && report.leftover == nil)
            #expect(report.bytesAfter.rawValue > 0 && report.checkpointBytes != nil)
            #expect((report.growth != nil) == (report.bytesAfter > report.bytesBefore))
            let live = describe(store.context)
            #expect(difference(live, describe(try reopened(disk))) == nil)
            try Self.fill(store, (40 + round * 10)..<(50 + round * 10))
            let later = describe(store.context)
            try store.close()
            store = try Self.open(disk, seed: UInt64(round) + 5)
            #expect(store.recovery.checkpoint.rawValue == report.checkpoint.rawValue)
            #expect(difference(later, describe(store.context)) == nil)
            store.context.checkInvariants()
            #expect(try LogVerification.verify(disk).problems == [])
        }
        // The previous checkpoint and the newest, and the log from the previous one on.
        let names = disk.image.files.keys.filter { !$0.hasPrefix("segment") }.sorted()
        #expect(
            names == [
                "LOCK", "checkpoint-0000000003", "checkpoint-0000000004", "manifest-0000000005",
            ])
    }

    private func reopened(_ disk: SimulatedDisk) throws -> Context {
        try Self.open(SimulatedDisk(disk.image), seed: 77, mode: .readOnly).context
    }

    @Test(
        "State after opening is the live state, whatever was written and whenever it was compacted",
        arguments: 1...10 as ClosedRange<UInt64>)
    func replayEqualsLive(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        let law = ReplayLawTests()
        let retentions: [Retention] = [
            .newestState, .everything, .transactions(10), .age(seconds: 1),
        ]
        var store = try Self.open(disk, durability: .none)
        for _ in 0..<100 {
            try store.write("step") { context in
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    try law.change(&context, &random)
                }
            }
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                try store.compact(
                    retaining: retentions.randomElement(using: &random),
                    for: .random(using: &random))
                try store.flush()
                let live = describe(store.context)
                let copy = try reopened(disk)
                #expect(difference(live, describe(copy)) == nil, "seed \(seed)")
            case 2:
                let live = describe(store.context)
                try store.close()
                store = try Self.open(disk, seed: random.next(), durability: .none)
                #expect(difference(live, describe(store.context)) == nil, "seed \(seed)")
                store.context.checkInvariants()
            default: break
            }
        }
        #expect(try LogVerification.verify(disk).problems == [], "seed \(seed)")
    }

    @Test("Row 35: tombstones that no purge removed stay through compactions, and restore")
    func tombstones() throws {
        let disk = SimulatedDisk()
        var store = try Self.open(disk)
        try Self.fill(store, 0..<30)
        try store.write { try Author.delete(id: "a5", from: &$0) }
        let deleted = Deleted<Book>.query().resolve(in: store.context).count
        #expect(deleted > 0)
        for seed in 1...3 as ClosedRange<UInt64> {
            try store.compact()
            try store.write { try Shelf(id: "s\(seed)", label: nil).save(to: &$0) }
            try store.close()
            store = try Self.open(disk, seed: seed)
        }
        #expect(Deleted<Book>.query().resolve(in: store.context).count == deleted)
        #expect(Author.query("a5").resolve(in: store.context) == nil)
        try store.write { try Deleted<Author>.query("a5").resolve(in: $0)?.restore(in: &$0) }
        #expect(Author.query("a5").resolve(in: store.context) != nil)
        store.context.checkInvariants()
    }

    @Test(
        "Row 37: what is pinned is kept, whatever the retention says; what is not is below the floor"
    )
    func pins() throws {
        let store = try Self.open(SimulatedDisk())
        try Self.fill(store, 0..<30)
        let pin = try store.pin(11)
        try store.compact()
        try Self.fill(store, 30..<40)
        #expect(try store.compact().floor == 11)
        #expect(throws: StoreError.self) { try store.pin(10) }
        withExtendedLifetime(pin) {}
        let other = try store.pin(11)
        withExtendedLifetime(other) {}
        #expect(store.floor == 11)
    }

    @Test("Without a pin the floor is where the policy says, exactly")
    func floors() throws {
        let store = try Self.open(SimulatedDisk())
        try Self.fill(store, 0..<30)
        #expect(try store.compact(retaining: .everything).floor == 1)
        #expect(try store.compact(retaining: .transactions(12)).floor == 19)
        // It never goes down.
        #expect(try store.compact(retaining: .everything).floor == 19)
        #expect(try store.compact(retaining: Retention.newestState).floor == 31)
        do {
            _ = try store.pin(30)
            Issue.record("pinned")
        } catch StoreError.belowFloor(let transaction, let floor) {
            #expect(transaction == 30 && floor == 31)
        }
    }

    @Test("A compaction by itself keeps a store small whose content changes and does not grow")
    func automatic() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk, automatic: 16_384, durability: .none)
        for round in 0..<400 {
            try store.write { context in
                for id in 0..<10 {
                    try Book(
                        id: id, title: "\(round)",
                        text: (0..<20).map { "\(round * 31 + id * $0)" }.joined()
                    ).save(to: &context)
                }
            }
        }
        // The last one that started by itself, whenever it did, ends before this one begins, and what it
        // kept to fall back to goes with the next.
        try store.compact()
        try Self.fill(store, 20..<21)
        let number = disk.image.files.keys.compactMap {
            $0.hasPrefix("checkpoint-") ? Int($0.suffix(10)) : nil
        }.max()
        #expect(try #require(number) > 1, "some did before the first that was asked for")
        try store.compact()
        #expect(store.statistics.compactionFailure == nil)
        #expect(store.statistics.log.storedBytes.rawValue < 200_000)
        let live = describe(store.context)
        try store.close()
        let again = try Self.open(disk, seed: 3)
        #expect(again.recovery.checkpoint.rawValue > 0)
        #expect(difference(live, describe(again.context)) == nil)
    }

    @Test("Writers go on while a checkpoint is written, and none of their work is lost")
    func besideWriters() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk, durability: .none)
        try Self.fill(store, 0..<60)
        var written = 60
        // The callback runs between pages, in the middle of the compaction.
        try store.compact { progress in
            guard progress.phase != .finishing else { return }
            try? Self.fill(store, written..<(written + 3))
            written += 3
        }
        #expect(written > 66 && store.lastTransaction.rawValue == UInt64(written))
        let live = describe(store.context)
        try store.close()
        let again = try Self.open(disk, seed: 2)
        #expect(again.recovery.checkpoint.rawValue == 60)
        #expect(difference(live, describe(again.context)) == nil)
    }

    @Test("What cannot be compacted says so")
    func refusals() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk)
        #expect(try store.compact().checkpoint == 0)
        try Self.fill(store, 0..<2)
        try store.write { _ in
            #expect(throws: StoreError.self) { try store.compact() }
            #expect(throws: StoreError.self) { try store.close() }
        }
        try store.close()
        #expect(throws: StoreError.self) { try store.compact() }
        let reader = try Self.open(disk, mode: .readOnly)
        #expect(throws: StoreError.self) { try reader.compact() }
    }
}
