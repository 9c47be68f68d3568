import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Compaction for size", .timeLimit(.minutes(5)))
struct CompactionForSizeTests {
    private func reopened(_ disk: SimulatedDisk) throws -> Context {
        try CompactionTests.open(SimulatedDisk(disk.image), seed: 77, mode: .readOnly).context
    }

    @Test(
        "A compaction for size leaves one checkpoint and no log, as the same state, again and again"
    )
    func smallest() throws {
        let disk = SimulatedDisk()
        var store = try CompactionTests.open(disk)
        try CompactionTests.fill(store, 0..<40)
        try store.compact()
        try CompactionTests.fill(store, 40..<50)
        let quick = try #require(try store.compact().checkpointBytes)
        let live = describe(store.context)
        for number in 3...4 {
            // The second time nothing was written since: only a compaction for safety has nothing to do.
            let report = try store.compact(for: .size)
            #expect(report.checkpoint == 50 && report.floor == 51 && report.leftover == nil)
            #expect(try #require(report.checkpointBytes) < quick)
            #expect(try store.compact().checkpointBytes == nil)
            let names = disk.image.files.keys.filter { $0.hasPrefix("checkpoint") }
            #expect(names == ["checkpoint-000000000\(number)"])
            #expect(store.statistics.log.segments == 1)
            #expect(difference(live, describe(try reopened(disk))) == nil)
            #expect(try LogVerification.verify(disk).problems == [])
        }
        try CompactionTests.fill(store, 50..<60)
        let later = describe(store.context)
        // The next one for safety keeps it, and the log since, to fall back to.
        try store.compact()
        try store.close()
        let newest = "checkpoint-0000000005"
        var image = disk.image
        let count = try #require(image.files[newest]?.count)
        image.files[newest]?[count / 2] ^= 0x10
        store = try CompactionTests.open(SimulatedDisk(image), seed: 9)
        #expect(store.recovery.checkpoint == LogSequence(50))
        #expect(store.recovery.checkpointProblems.map(\.file) == [newest])
        #expect(difference(later, describe(store.context)) == nil)
    }

    @Test("The history that is to be kept stays, and can be undone, and nothing else of the log")
    func history() throws {
        let disk = SimulatedDisk()
        var store = try CompactionTests.open(disk)
        try CompactionTests.fill(store, 0..<140)
        try store.setSavepoint("before the rest")
        try CompactionTests.fill(store, 140..<150)
        try store.compact(retaining: .everything)
        let middle = describe(try store.context(asOf: .transaction(135)))
        let last = store.lastTransaction
        let before = TransactionID(last.rawValue - 1)
        let former = try store.context(asOf: .transaction(before))
        let kept = try store.compact(retaining: .transactions(20), for: .size)
        #expect(kept.floor.rawValue == last.rawValue - 19 && kept.transactionsDropped > 0)
        try store.close()
        store = try CompactionTests.open(disk, seed: 2)
        #expect(disk.image.files.keys.count { $0.hasPrefix("checkpoint") } == 1)
        #expect(
            difference(middle, describe(try store.context(asOf: .transaction(135)))) == nil)
        #expect(throws: StoreError.self) { try store.context(asOf: .transaction(120)) }
        // What a savepoint names is kept, whatever is asked for.
        let pinned = try store.compact(retaining: Retention.newestState, for: .size)
        #expect(pinned.floor.rawValue > 139 && pinned.floor <= last)
        #expect(
            difference(describe(former), describe(try store.context(asOf: .transaction(before))))
                == nil)
        try store.undo()
        #expect(store.context.count(Book.self) == former.count(Book.self))
        #expect(
            Author.query().resolve(in: store.context) == Author.query().resolve(in: former))
    }

    @Test("Where nothing leads back any more, a compaction for safety keeps no log for it either")
    func safetyBehindIt() throws {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk)
        try CompactionTests.fill(store, 0..<150)
        #expect(try store.compact(retaining: .transactions(60), for: .size).segmentsDropped > 0)
        let report = try store.compact(retaining: Retention.newestState)
        #expect(report.floor == 151 && report.checkpointBytes == nil)
        #expect(report.segmentsDropped > 0 && store.statistics.log.segments == 1)
    }

    @Test("Its only checkpoint damaged, a store is refused, and left as it is")
    func damaged() throws {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk)
        try CompactionTests.fill(store, 0..<20)
        try store.compact(for: .size)
        try store.close()
        disk.corrupt("checkpoint-0000000001") { $0[$0.count / 2] ^= 4 }
        let before = disk.image.files
        #expect(throws: StoreError.self) { try CompactionTests.open(disk, seed: 2) }
        #expect(disk.image.files.filter { $0.key != "LOCK" } == before.filter { $0.key != "LOCK" })
    }

    @Test(
        "Whenever it removes what a reader is looking at, the reader looks again",
        arguments: 0..<24)
    func underReaders(operation: Int) async throws {
        let disk = SimulatedDisk()
        let writer = try CompactionTests.open(disk)
        try Self.fill(writer, 0..<20)
        let hooked = HookedFileSystem(disk)
        let reader = try CompactionTests.open(hooked, seed: 8, mode: .readOnly)
        let token = try reader.changeToken()
        let left = Lock(operation / 2)
        hooked.setHook { done, _, _ in
            guard done == .open || done == .read else { return }
            let isNow = left.withLock { left in
                left -= 1
                return left == -1
            }
            guard isNow else { return }
            do {
                try Self.fill(writer, 20..<24)
                try writer.compact(for: .size)
            } catch {
                Issue.record("\(error)")
            }
        }
        if operation % 2 == 0 {
            try Self.fill(writer, 24..<25)
            try writer.flush()
            var changes = reader.changes(after: token, lookingEvery: .milliseconds(1))
                .makeAsyncIterator()
            _ = try await changes.next()
        } else {
            try Self.fill(writer, 24..<25)
            try writer.flush()
            var transactions = reader.transactions(after: 20, lookingEvery: .milliseconds(1))
                .makeAsyncIterator()
            _ = try await transactions.next()
        }
        try reader.refresh()
        hooked.setHook(nil)
        try reader.refresh()
        #expect(difference(describe(writer.context), describe(reader.context)) == nil)
    }

    /// From where `await` is possible.
    private static func fill(_ store: Store, _ numbers: Range<Int>) throws {
        try CompactionTests.fill(store, numbers)
    }
}
