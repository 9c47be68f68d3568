import Foundation
import Testing
import VarveGraph
import VarveLog
import VarveTestSupport

@testable import Varve

@EntityModel
private struct Leaf: Equatable {
    @Index<Self>(\.rank) private var byRank

    let id: Int
    var rank = 0
    var text = ""
    @Relationship(deleteRule: .nullify, inverse: \.leaves) var branch: Branch?

    init(_ number: Int, change: Int = 0) {
        id = number
        rank = number % 300
        text = "leaf \(number), change \(change) " + String(repeating: "x", count: number % 40)
    }
}

@EntityModel
private struct Branch: Equatable {
    let id: Int
    @Relationship(inverse: \.branch) var leaves: [Leaf]?
}

/// What was changed is in memory until tables are renewed, before there is too much.
@Suite("Memory of changed entities")
struct ChangedMemoryTests {
    private static let bound = 256 << 10
    /// Where each renewal ended before the next write. Changes are measured before a write, so those of the last one come
    /// on top.
    private static let boundBehindRenewals = ByteCount(UInt64(bound + bound / 4))

    private static func open(
        _ disk: any FileSystem, memory: MemoryBudget = .megabytes(1),
        compactsAutomatically: Bool = false, waitingSlotsMin: Int = 1,
        comparedImageMax: ByteCount = .mebibytes(4)
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: .readWrite, durability: .none,
            retention: .everything, compactsAutomatically: compactsAutomatically, memory: memory,
            types: [Leaf.self, Branch.self], waitingSlotsMin: waitingSlotsMin,
            comparedImageMax: comparedImageMax)
    }

    private static func save(
        _ numbers: some Sequence<Int>, change: Int = 0, in store: Store
    ) throws {
        try store.write { context in
            for number in numbers { try Leaf(number, change: change).save(to: &context) }
        }
    }

    private static func table(_ store: Store) throws -> AnyTable {
        let tables = store.context.tables.tables.unfilled
        return try #require(tables.first { $0.descriptor.name == "Leaf" })
    }

    private static func expectLeaves(
        _ range: Range<Int>, change: (Int) -> Int = { _ in 0 }, in store: Store
    ) {
        let context = store.context
        for number in range {
            let found: Leaf? = context.find(number)
            #expect(found == Leaf(number, change: change(number)))
        }
        #expect(context.count(Leaf.self) == range.count)
    }

    /// A renewal that is due has begun: this waits for it, so bounds hold whatever the threads do.
    private static func waitForRenewal(_ store: Store) { store.writer?.renewal.wait() }

    private static func hasCheckpoint(_ disk: SimulatedDisk) throws -> Bool {
        try !ScannedLog.scan(disk, mode: .readOnly, passesPromises: true).manifest.checkpoints
            .isEmpty
    }

    @Test("An empty store that is filled beyond its budget reads its log, without a checkpoint")
    func filledFromEmpty() throws {
        let disk = SimulatedDisk()
        // However few slots an opening reads at once.
        let store = try Self.open(disk, waitingSlotsMin: 100_000)
        let count = 8_000
        for first in stride(from: 0, to: count, by: 500) {
            try Self.save(first..<first + 500, in: store)
            Self.waitForRenewal(store)
            let changes = store.statistics.memory.changes.rawValue
            #expect(changes < UInt64(3 * Self.bound), "behind \(first)")
        }
        #expect(try !Self.hasCheckpoint(disk))
        #expect(try Self.table(store).isScanned)
        Self.expectLeaves(0..<count, in: store)
        try store.close()
        Self.expectLeaves(0..<count, in: try Self.open(disk, memory: .standard))
    }

    @Test("Tables of a store that fits its budget are not renewed, and what it takes is counted")
    func fits() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk, memory: .megabytes(64), compactsAutomatically: true)
        for first in stride(from: 0, to: 8_000, by: 500) {
            try Self.save(first..<first + 500, in: store)
        }
        Self.waitForRenewal(store)
        #expect(store.writer?.renewal.runCount == 0)
        try store.compact()
        let memory = store.statistics.memory
        #expect(memory.changes == .zero)
        #expect(memory.tables > .mebibytes(1) && memory.tables < .mebibytes(32))
        #expect(try Self.table(store).isFilled)
    }

    @Test("Changes of a table that does not fit are counted, and released")
    func released() throws {
        let disk = SimulatedDisk()
        do {
            let store = try Self.open(disk)
            try Self.save(0..<6_000, in: store)
            try store.compact()
            try store.close()
        }
        let store = try Self.open(disk)
        #expect(try Self.table(store).isScanned)
        #expect(store.statistics.memory.changes == .zero)
        var largest: UInt64 = 0
        for first in stride(from: 0, to: 2_900, by: 100) {
            try Self.save(first..<first + 100, change: 1, in: store)
            largest = max(largest, store.statistics.memory.changes.rawValue)
        }
        #expect(largest > 100_000)
        // What was written beside the last renewal may make another one due.
        Self.waitForRenewal(store)
        try Self.save(2_900..<3_000, change: 1, in: store)
        Self.waitForRenewal(store)
        #expect(store.writer?.renewal.runCount ?? 0 > 0)
        #expect(store.statistics.memory.changes < Self.boundBehindRenewals)
        try store.compact()
        #expect(store.statistics.memory.changes == .zero)
        Self.expectLeaves(0..<6_000, change: { $0 < 3_000 ? 1 : 0 }, in: store)
        try store.undo()
        Self.expectLeaves(
            0..<6_000, change: { $0 < 2_900 ? 1 : 0 }, in: store)
    }

    @Test("A table that fitted reads the files when it has grown beyond the budget")
    func grown() throws {
        let disk = SimulatedDisk()
        do {
            let store = try Self.open(disk)
            try Self.save(0..<500, in: store)
            try store.compact()
            try store.close()
        }
        let store = try Self.open(disk)
        #expect(try !Self.table(store).isScanned)
        #expect(store.context.count(Leaf.self) == 500)
        let before = store.statistics.memory.tables
        try Self.save(500..<600, in: store)
        try store.compact()
        #expect(store.statistics.memory.tables > before)
        #expect(try !Self.table(store).isScanned)
        for first in stride(from: 600, to: 6_000, by: 100) {
            try Self.save(first..<first + 100, in: store)
        }
        Self.waitForRenewal(store)
        #expect(try Self.table(store).isScanned)
        try store.compact()
        #expect(try Self.table(store).isScanned)
        #expect(store.statistics.memory.changes == .zero)
        #expect(store.statistics.memory.tables < before)
        Self.expectLeaves(0..<6_000, in: store)
    }

    @Test("Links stay where they lead, though the slots there are in another order than a replay's")
    func otherOrder() throws {
        let disk = SimulatedDisk()
        do {
            let store = try Self.open(disk, memory: .megabytes(0))
            try Self.save(0..<100, in: store)
            try store.compact()
            try store.close()
        }
        let store = try Self.open(disk, memory: .megabytes(0))
        try store.write { context in
            // A replay gives slots to the ids of rows first.
            try Branch(id: 1, leaves: .ids([9_001, 9_002])).save(to: &context)
            try Leaf(9_000).save(to: &context)
        }
        for round in 1...10 {
            try Self.save(0..<50, change: round, in: store)
            Self.waitForRenewal(store)
        }
        #expect(store.writer?.renewal.runCount ?? 0 > 0)
        let branch = try #require(Branch.query(1).id(\.$leaves).resolve(in: store.context))
        #expect(branch.$leaves.heldIDs == [9_001, 9_002])
        try store.close()
        let reopened = try Self.open(disk, memory: .standard)
        let read = try #require(Branch.query(1).id(\.$leaves).resolve(in: reopened.context))
        #expect(read.$leaves.heldIDs == [9_001, 9_002])
    }

    @Test("Tables are renewed again and again, with spilled pages and evicted blocks")
    func spilled() throws {
        let directory = try TemporaryDirectory()
        let disk = POSIXFileSystem(directory.url.path)
        let store = try Self.open(disk, memory: .megabytes(0))
        var changes = [Int: Int](uniqueKeysWithValues: (0..<4_000).map { ($0, 0) })
        for first in stride(from: 0, to: 4_000, by: 500) {
            try Self.save(first..<first + 500, in: store)
        }
        var generator = SeededGenerator(seed: 11)
        for round in 1...24 {
            let numbers = (0..<400).map { _ in generator.below(4_000) }
            try Self.save(numbers, change: round, in: store)
            for number in numbers { changes[number] = round }
            if round % 5 == 0 {
                try store.undo()
                try store.redo()
            }
            Self.waitForRenewal(store)
            // Some rounds begin with a new checkpoint, and its blocks.
            if round % 9 == 0 { try store.compact() }
            let number = generator.below(4_000)
            #expect(store.context.find(number) == Leaf(number, change: changes[number] ?? 0))
        }
        #expect(store.writer?.renewal.runCount ?? 0 > 5)
        #expect(store.statistics.memory.spilled > .zero)
        Self.expectLeaves(0..<4_000, change: { changes[$0] ?? 0 }, in: store)
        try store.close()
        Self.expectLeaves(
            0..<4_000, change: { changes[$0] ?? 0 }, in: try Self.open(disk, memory: .standard))
    }

    @Test("Damage that a renewal meets is read of other files", arguments: 0..<16)
    func damaged(part: Int) throws {
        let disk = SimulatedDisk()
        do {
            let store = try Self.open(disk)
            try Self.save(0..<6_000, in: store)
            try store.compact()
            try store.close()
        }
        let name = try #require(disk.image.files.keys.first { $0.hasPrefix("checkpoint") })
        disk.corrupt(name) { bytes in
            // All but the root, which an opening reads.
            let start = 512 + part * (bytes.count / 20)
            for offset in start..<start + 64 { bytes[offset] ^= 0x5A }
        }
        let store = try Self.open(disk, comparedImageMax: .zero)
        for first in stride(from: 0, to: 3_000, by: 100) {
            try Self.save(first..<first + 100, change: 1, in: store)
            Self.waitForRenewal(store)
        }
        #expect(store.writer?.renewal.runCount ?? 0 > 0)
        #expect(store.statistics.memory.changes < Self.boundBehindRenewals)
        Self.expectLeaves(0..<6_000, change: { $0 < 3_000 ? 1 : 0 }, in: store)
        try store.close()
    }

    // MARK: - Writers that wait

    /// A store whose tables are renewed behind `release`, and whose changes take twice what they may.
    private struct HeldUpStore {
        let store: Store
        let release = DispatchSemaphore(value: 0)

        init() throws {
            let release = release
            store = try ChangedMemoryTests.open(SimulatedDisk())
            let writer = try #require(store.writer)
            writer.renewal.start {
                writer.stall.begin()
                release.wait()
                writer.renewTables()
                writer.stall.end()
            }
            try ChangedMemoryTests.save(0..<6_000, in: store)
            // It is measured before the next one.
            try ChangedMemoryTests.save(6_000..<6_001, in: store)
        }

        func waitForWriter() {
            while store.writer?.stall.waitingCount == 0 { sched_yield() }
        }
    }

    @Test("A writer waits for the renewal that releases memory, and then goes on")
    func writerWaits() throws {
        let heldUp = try HeldUpStore()
        let store = heldUp.store
        let hasWritten = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? ChangedMemoryTests.save(6_001..<6_002, in: store)
            hasWritten.signal()
        }
        heldUp.waitForWriter()
        #expect(store.statistics.memory.changes > ByteCount(UInt64(2 * Self.bound)))
        // Readers wait for nothing.
        #expect(store.context.count(Leaf.self) == 6_001)
        heldUp.release.signal()
        hasWritten.wait()
        Self.expectLeaves(0..<6_002, in: store)
        Self.waitForRenewal(store)
        #expect(store.statistics.memory.changes < ByteCount(UInt64(Self.bound)))
    }

    @Test("An async write waits without keeping the store's own thread, and can be cancelled")
    func asyncWriterWaits() async throws {
        let heldUp = try HeldUpStore()
        let store = heldUp.store
        let waiting = Task {
            try await store.write { context in try Leaf(6_001).save(to: &context) }
        }
        // A test that spins keeps a thread of the pool, and the write needs one.
        while store.writer?.stall.waitingCount == 0 { await Task.yield() }
        // What runs there goes on.
        await withCheckedContinuation { continuation in
            store.writer?.bodies.async { continuation.resume() }
        }
        let cancelled = Task {
            try await store.write { context in try Leaf(9_000).save(to: &context) }
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        heldUp.release.signal()
        _ = try await waiting.value
        Self.expectLeaves(0..<6_002, in: store)
    }

    @Test("Tables are renewed while a compaction waits for a writer")
    func manualCompaction() throws {
        let store = try Self.open(SimulatedDisk(), compactsAutomatically: true)
        try Self.save(0..<10, in: store)
        let isFirst = Lock(true)
        try store.compact { (_: CompactionProgress) in
            guard
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return }
            // Another thread, as that of an app's interface, whose writes take more than memory has.
            let hasWritten = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                for first in stride(from: 10, to: 6_010, by: 1_000) {
                    try? ChangedMemoryTests.save(first..<first + 1_000, in: store)
                }
                hasWritten.signal()
            }
            hasWritten.wait()
            Self.waitForRenewal(store)
            #expect(store.writer?.renewal.runCount ?? 0 > 0)
            #expect(store.statistics.memory.changes < ByteCount(UInt64(2 * Self.bound)))
        }
        Self.waitForRenewal(store)
        #expect(store.statistics.memory.changes < ByteCount(UInt64(Self.bound)))
        Self.expectLeaves(0..<6_010, in: store)
    }

    @Test(
        "A table whose slots a replay would give in another order stays, and is tried once")
    func otherSlots() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk)
        try store.write { context in
            try Branch(id: 1, leaves: .ids(Array((0..<6_000).reversed()))).save(to: &context)
            for number in 0..<6_000 { try Leaf(number).save(to: &context) }
        }
        try Self.save(0..<1, change: 1, in: store)
        Self.waitForRenewal(store)
        #expect(store.writer?.renewal.runCount == 1)
        try Self.save(0..<1, change: 2, in: store)
        #expect(store.statistics.memory.changes < ByteCount(UInt64(Self.bound)))
        #expect(store.statistics.memory.exceeding > ByteCount(UInt64(2 * Self.bound)))
        for change in 3..<20 { try Self.save(0..<300, change: change, in: store) }
        Self.waitForRenewal(store)
        #expect(store.writer?.renewal.runCount == 1)
        let held = try #require(
            Branch.query(1).with(\.$leaves).resolve(in: store.context)?.leaves?.map(\.id))
        #expect(held == Array((0..<6_000).reversed()))
        try store.close()
        let opened = try Self.open(disk, memory: .standard)
        Self.expectLeaves(0..<6_000, change: { $0 < 300 ? 19 : 0 }, in: opened)
    }

    @Test("A writer that waits ends with the store")
    func closed() throws {
        let heldUp = try HeldUpStore()
        let store = heldUp.store
        let ended = Lock<Result<Void, any Error>?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let result = Result { try ChangedMemoryTests.save(6_001..<6_002, in: store) }
            ended.withLock { $0 = result }
            hasEnded.signal()
        }
        heldUp.waitForWriter()
        Thread.detachNewThread {
            while store.writer?.renewal.isCancelled == false { sched_yield() }
            heldUp.release.signal()
        }
        try store.close()
        hasEnded.wait()
        switch ended.withLock({ $0 }) {
        // It came before the log was closed.
        case .success: break
        case .failure(StoreError.closed): break
        case let other: Issue.record("\(String(describing: other))")
        }
    }
}
