import Foundation
import Testing
import VarveLog
import VarveTestSupport

@testable import Varve
@testable import VarveGraph

extension BatchWriteTests {
    /// An import of batches that are still to come.
    private static func importing(
        into store: Store
    ) -> (task: Task<Void, any Error>, more: AsyncStream<Int>.Continuation) {
        let (batches, more) = AsyncStream.makeStream(of: Int.self)
        let task = Task {
            try await store.write(each: batches) { try Self.insert($1, into: &$0) }
        }
        return (task, more)
    }

    @Test("What was logged shows although the next batch does not come")
    func stalled() async throws {
        let store = try Self.open(SimulatedDisk())
        let (task, more) = Self.importing(into: store)
        for batch in 0..<3 {
            more.yield(batch)
            while Book.query().count(in: store.context) < (batch + 1) * 100 { await Task.yield() }
        }
        more.finish()
        try await task.value
        #expect(store.lastTransaction == 3)
    }

    @Test("Cancelled, an import ends behind a whole batch")
    func cancelled() async throws {
        let store = try Self.open(SimulatedDisk(), durability: .commit)
        let task = Task {
            try await store.write(each: 0..<1_000_000) { try Self.insert($1, into: &$0) }
        }
        while store.lastTransaction < 3 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let count = Book.query().count(in: store.context)
        #expect(count == Int(store.lastTransaction.rawValue) * 100)
        try await store.write { try Author(id: "a", name: "after").save(to: &$0) }
        store.context.checkInvariants()
    }

    @Test("Cancelled while it waits for a batch, an import does not look as if that had been all")
    func cancelledWaiting() async throws {
        let store = try Self.open(SimulatedDisk())
        let (task, more) = Self.importing(into: store)
        more.yield(0)
        while store.lastTransaction < 1 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(Book.query().count(in: store.context) == 100)
    }

    @Test("Imports and other writes at once leave a store that opens to the same")
    func atOnce() async throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk, durability: .none)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in [0, 1_000, 2_000] {
                group.addTask {
                    try await store.write(each: first..<first + 12) {
                        try Self.insert($1, into: &$0)
                    }
                }
            }
            group.addTask {
                for number in 0..<60 {
                    try await store.write { try Shelf(id: "s\(number)").save(to: &$0) }
                }
            }
            group.addTask {
                for _ in 0..<40 { store.context.checkInvariants() }
            }
            try await group.waitForAll()
        }
        #expect(store.lastTransaction == 96)
        #expect(Book.query().count(in: store.context) == 3_600)
        let shown = describe(store.context)
        store.context.checkInvariants()
        try store.close()
        #expect(difference(shown, describe(try Self.open(disk).context)) == nil)
    }

    @Test("Closing in the middle of an import keeps whole batches and ends it with an error")
    func closing() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk)
        let batches = (0..<10).lazy.map { batch in
            if batch == 4 { try! store.close() }
            return batch
        }
        #expect(throws: StoreError.self) {
            try store.write(each: batches) { try Self.insert($1, into: &$0) }
        }
        #expect(Book.query().count(in: store.context) == 400)
        #expect(Book.query().count(in: try Self.open(disk).context) == 400)
    }
}
