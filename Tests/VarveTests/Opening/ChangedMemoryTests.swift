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

/// What was changed is in memory until a checkpoint releases it, which begins before there is too much.
@Suite("Memory of changed entities")
struct ChangedMemoryTests {
    private static let bound = 256 << 10

    private static func open(
        _ disk: any FileSystem, memory: MemoryBudget = .megabytes(1),
        compactsAutomatically: Bool = false
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: .readWrite, durability: .none,
            retention: .everything, compactsAutomatically: compactsAutomatically, memory: memory,
            types: [Leaf.self, Branch.self], waitingSlotsMin: 1)
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

    private static func hasCheckpoint(_ disk: SimulatedDisk) throws -> Bool {
        try !ScannedLog.scan(disk, mode: .readOnly, passesPromises: true).manifest.checkpoints
            .isEmpty
    }

    @Test("An empty store that is filled with more than its budget begins checkpoints")
    func filledFromEmpty() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk, compactsAutomatically: true)
        let count = 8_000
        for first in stride(from: 0, to: count, by: 500) {
            try Self.save(first..<first + 500, in: store)
            // One that is due has begun: this waits for it, so the bound holds whatever the threads do.
            try store.compactor?.holding {}
            let changes = store.statistics.memory.changes.rawValue
            #expect(changes < UInt64(3 * Self.bound), "behind \(first)")
        }
        #expect(try Self.hasCheckpoint(disk))
        #expect(try Self.table(store).isScanned)
        Self.expectLeaves(0..<count, in: store)
        try store.close()
        Self.expectLeaves(0..<count, in: try Self.open(disk, memory: .standard))
    }

    @Test("A store that fits its budget begins none, and counts what it takes")
    func fits() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk, memory: .megabytes(64), compactsAutomatically: true)
        for first in stride(from: 0, to: 8_000, by: 500) {
            try Self.save(first..<first + 500, in: store)
        }
        try store.compactor?.holding {}
        #expect(try !Self.hasCheckpoint(disk))
        try store.compact()
        let memory = store.statistics.memory
        #expect(memory.changes == .zero)
        #expect(memory.tables > .mebibytes(1) && memory.tables < .mebibytes(32))
        #expect(try Self.table(store).isFilled)
    }

    @Test("Changes of a table that does not fit are counted, and released by a compaction")
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
        for first in stride(from: 0, to: 3_000, by: 100) {
            try Self.save(first..<first + 100, change: 1, in: store)
            largest = max(largest, store.statistics.memory.changes.rawValue)
        }
        #expect(largest > 100_000)
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
        #expect(store.statistics.memory.changes > ByteCount(UInt64(Self.bound)))
        try store.compact()
        #expect(try Self.table(store).isScanned)
        #expect(store.statistics.memory.changes == .zero)
        #expect(store.statistics.memory.tables < before)
        Self.expectLeaves(0..<6_000, in: store)
    }

    // MARK: - Writers that wait

    /// A store whose compactions are held up by one that waits for `release`, and whose changes take twice what they may.
    private struct HeldUpStore {
        let store: Store
        let release = DispatchSemaphore(value: 0)
        let isDone = DispatchSemaphore(value: 0)

        init(inCallback: @escaping @Sendable (Store) -> Void = { _ in }) throws {
            let store = try ChangedMemoryTests.open(SimulatedDisk(), compactsAutomatically: true)
            self.store = store
            try ChangedMemoryTests.save(0..<10, in: store)
            let (release, isDone) = (release, isDone)
            let hasBegun = DispatchSemaphore(value: 0)
            let isFirst = Lock(true)
            Thread.detachNewThread {
                _ = try? store.compact { (_: CompactionProgress) in
                    guard
                        isFirst.withLock({ first in
                            defer { first = false }
                            return first
                        })
                    else { return }
                    hasBegun.signal()
                    release.wait()
                    inCallback(store)
                }
                isDone.signal()
            }
            hasBegun.wait()
            try ChangedMemoryTests.save(10..<6_000, in: store)
            // It is measured before the next one.
            try ChangedMemoryTests.save(6_000..<6_001, in: store)
        }

        func waitForWriter() {
            while store.writer?.stall.waitingCount == 0 { sched_yield() }
        }
    }

    @Test("A writer waits for the compaction that releases memory, and then goes on")
    func writerWaits() throws {
        let heldUp = try HeldUpStore { store in
            // A write of the compacting thread would wait for itself.
            try? ChangedMemoryTests.save(6_001..<6_002, in: store)
        }
        let store = heldUp.store
        let hasWritten = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? ChangedMemoryTests.save(6_002..<6_003, in: store)
            hasWritten.signal()
        }
        heldUp.waitForWriter()
        #expect(store.statistics.memory.changes > ByteCount(UInt64(2 * Self.bound)))
        // Readers wait for nothing.
        #expect(store.context.count(Leaf.self) == 6_001)
        heldUp.release.signal()
        heldUp.isDone.wait()
        hasWritten.wait()
        Self.expectLeaves(0..<6_003, in: store)
        try store.compactor?.holding {}
        #expect(store.statistics.memory.changes < ByteCount(UInt64(Self.bound)))
    }

    @Test("A writer that waits ends with the store")
    func closed() throws {
        let heldUp = try HeldUpStore()
        let store = heldUp.store
        let ended = Lock<Result<Void, any Error>?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let result = Result { try ChangedMemoryTests.save(6_002..<6_003, in: store) }
            ended.withLock { $0 = result }
            hasEnded.signal()
        }
        heldUp.waitForWriter()
        Thread.detachNewThread {
            while !store.isCompactionCancelled { sched_yield() }
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
