import Foundation
import Testing
import VarveGraph
import VarveLog
import VarveTestSupport

@testable import Varve

/// What is rebuilt from other files if a checkpoint changes under stored tables, and the error if nothing can be rebuilt.
@Suite("Repair under stored tables", .timeLimit(.minutes(5)))
struct LateRepairTests {
    private typealias Base = LateDamageTests

    /// A store behind transactions that no sync has covered, and their number.
    private static func openUnpromised(
        _ disk: SimulatedDisk
    ) throws -> (store: Store, newest: TransactionID) {
        let store = try Base.open(disk, durability: .none)
        try CompactionTests.fill(store, 34..<38)
        let promised = try ScannedLog.scan(disk, mode: .readOnly).lastSequence
        #expect(promised.rawValue < store.lastTransaction.rawValue)
        return (store, store.lastTransaction)
    }

    // MARK: - Ways to a state

    @Test("A state of the past is made again of transactions that no sync has covered")
    func unpromisedPast() throws {
        let disk = try Base.makeDisk()
        let (store, newest) = try Self.openUnpromised(disk)
        let point = HistoryPoint.transaction(TransactionID(newest.rawValue - 1))
        let expected = describe(try store.context(asOf: point, .back))
        let past = try store.context(asOf: point, .forth)
        #expect(Base.waitingCount(past) > 2)
        try Base.damage(Base.newest, in: disk)
        #expect(difference(describe(past), expected) == nil)
        past.checkInvariants()
        #expect(!store.health.damages.isEmpty)
    }

    @Test("A reader's state is made again beside a writer that has just begun")
    func readerBesideNewWriter() throws {
        let live = try Base.makeDisk()
        let (writer, newest) = try Self.openUnpromised(live)
        // The writer ends without a word, and a reader shows every whole transaction.
        let disk = SimulatedDisk(live.image)
        withExtendedLifetime(writer) {}
        let expected = try Base.content(of: disk)
        let reader = try Base.open(disk, .readOnly)
        #expect(reader.lastTransaction == newest)
        let lock = try DirectoryLock.acquire(in: disk, environment: SimulatedEnvironment(seed: 2))
        #expect(
            try ScannedLog.scan(disk, mode: .readOnly).lastSequence.rawValue < newest.rawValue)
        try Base.damage(Base.newest, in: disk)
        #expect(difference(describe(reader.context), expected) == nil)
        withExtendedLifetime(lock) {}
    }

    @Test("A compaction makes states of the past again before the last way to them goes")
    func pastUnderCompaction() throws {
        let disk = try Base.makeDisk(retention: .everything)
        let store = try Base.open(disk, retention: .everything)
        let checkpoints = try ScannedLog.scan(disk, mode: .readOnly).manifest.checkpoints
        let older = try #require(checkpoints.last)
        let point = HistoryPoint.transaction(TransactionID(older.sequence.rawValue + 1))
        let expected = describe(try store.context(asOf: point, .back))
        let past = try store.context(asOf: point, .forth)
        let files = past.tables.tables.unfilled.compactMap(\.sourceFile)
        #expect(files.count > 2 && Set(files) == [Base.older])
        try Base.damage(Base.older, in: disk)
        try store.compact(retaining: .newestState)
        #expect(disk.image.files[Base.older] == nil)
        #expect(Base.waitingCount(past) == files.count)
        #expect(difference(describe(past), expected) == nil)
        past.checkInvariants()
    }

    // MARK: - Where there is no way

    @Test("An attempt that failed is made once, however many tables wait")
    func failedAttempt() throws {
        let disk = try Base.makeDisk()
        let files = HookedFileSystem(disk)
        let store = try Base.open(files)
        #expect(Base.waitingCount(store.context) > 2)
        try Base.damage(Base.older, Base.newest, in: disk)
        let count = Lock(0)
        files.setHook { operation, name, _ in
            guard operation == .open, name == Base.older else { return }
            count.withLock { $0 += 1 }
        }
        for table in store.context.tables.tables.unfilled where count.withLock({ $0 }) == 0 {
            table.fillAhead()
        }
        let first = count.withLock { $0 }
        #expect(first > 0)
        for _ in 0..<2 {
            try store.suspend()
            try store.resume()
        }
        files.setHook(nil)
        #expect(count.withLock { $0 } == first && Base.waitingCount(store.context) > 2)
    }

    @Test("Once a table could not be filled, what writes throws, with file and offset")
    func throwing() throws {
        let disk = try Base.makeDisk()
        let store = try Base.open(disk)
        try Base.damage(Base.older, Base.newest, in: disk)
        let before = store.lastTransaction
        try store.suspend()
        try store.resume()
        func expectDamage(_ body: () throws -> Void) {
            let error = #expect(throws: StoreError.self) { try body() }
            guard case .log(.checkpointDamaged(Base.newest, .some, _))? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        expectDamage { try store.write { try Author(id: "new", name: "new").save(to: &$0) } }
        expectDamage { try store.undo() }
        expectDamage {
            let point = HistoryPoint.transaction(TransactionID(before.rawValue - 1))
            _ = try store.context(asOf: point, .back)
        }
        let draft = store.draft("Draft")
        expectDamage { _ = try draft.edit { try Author.delete(id: "a1", from: &$0) } }
        #expect(store.lastTransaction == before)
        #expect(store.health.damages.contains { $0.file == Base.newest && $0.repair == .none })
    }

    @Test("What the system refused for a while is forgotten when it does so no more")
    func refusedForAWhile() throws {
        let disk = try Base.makeDisk()
        let files = HookedFileSystem(disk)
        let store = try Base.open(files)
        files.refuseReads { $0.hasPrefix("checkpoint") }
        try store.suspend()
        try store.resume()
        #expect(throws: StoreError.self) {
            try store.write { try Author(id: "new", name: "new").save(to: &$0) }
        }
        files.setHook(nil)
        try store.write { try Author(id: "new", name: "new").save(to: &$0) }
        #expect(Author.query("new").resolve(in: store.context)?.name == "new")
        store.context.checkInvariants()
    }

    @Test("A store whose newest checkpoint turned out damaged is resumed without reading it again")
    func resumedBehindDamage() throws {
        let disk = try Base.makeDisk()
        let files = HookedFileSystem(disk)
        let store = try Base.open(files)
        try Base.damage(Base.newest, in: disk)
        let before = describe(store.context)
        try store.checkFiles()
        let count = Lock(0)
        files.setHook { operation, name, _ in
            guard operation == .read, name.hasPrefix("checkpoint") else { return }
            count.withLock { $0 += 1 }
        }
        try store.suspend()
        try store.resume()
        files.setHook(nil)
        #expect(count.withLock { $0 } == 0)
        #expect(difference(describe(store.context), before) == nil)
        try store.compact()
        #expect(store.health.isSound && disk.image.files[Base.newest] == nil)
    }

    // MARK: - The repair of the store

    @Test("A repair that a suspension kept from being done is done when the store is resumed")
    func interruptedRepair() throws {
        let disk = try Base.makeDisk()
        let (log, ended) = Base.logOfCompactions()
        let store = try Base.open(disk, compactsAutomatically: true, log: log)
        let point = HistoryPoint.transaction(TransactionID(store.lastTransaction.rawValue - 1))
        let past = try store.context(asOf: point, .forth)
        let expected = describe(try store.context(asOf: point, .back))
        try store.suspend()
        try Base.damage(Base.newest, in: disk)
        #expect(difference(describe(past), expected) == nil)
        #expect(!store.health.isSound && ended.wait(timeout: .now()) == .timedOut)
        try store.resume()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(store.health.isSound && !store.health.damages.isEmpty)
        try store.close()
        #expect(try LogVerification.verify(disk).problems == [])
    }
}
