import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Asynchronous writes", .timeLimit(.minutes(5)))
struct AsyncWriteTests {
    private let gate = GatedFileSystem(SimulatedDisk())

    private func open() throws -> Store {
        try Store(
            in: gate, environment: SimulatedEnvironment(), mode: .readWrite, durability: .commit,
            types: [Note.self])
    }

    @Test("Cancelled before it starts, a write does not happen")
    func cancelledBefore() async throws {
        let store = try open()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await store.write { try Note(id: 1, text: "").save(to: &$0) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(store.lastTransaction == 0)
        #expect(store.statistics.log.transactions == 0)
    }

    @Test("Cancelled while it waits for its turn, a write ends at once and does not happen")
    func cancelledWaiting() async throws {
        let store = try open()
        let isInside = Lock(false)
        let mayLeave = DispatchSemaphore(value: 0)
        let first = Task {
            try await store.write { context in
                isInside.withLock { $0 = true }
                mayLeave.wait()
                try Note(id: 1, text: "").save(to: &context)
            }
        }
        while !isInside.withLock({ $0 }) { await Task.yield() }
        let second = Task {
            try await store.write { try Note(id: 2, text: "").save(to: &$0) }
        }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        mayLeave.signal()
        try await first.value
        try await store.write { try Note(id: 3, text: "").save(to: &$0) }
        #expect(Note.query().resolve(in: store.context).map(\.id) == [1, 3])
    }

    @Test("Cancelled while its body runs, a write leaves no trace")
    func cancelledInside() async throws {
        let store = try open()
        let task = Lock<Task<Void, any Error>?>(nil)
        let started = Task {
            while task.withLock({ $0 }) == nil { await Task.yield() }
            try await store.write { context in
                try Note(id: 1, text: "").save(to: &context)
                task.withLock { $0 }?.cancel()
            }
        }
        task.withLock { $0 = started }
        await #expect(throws: CancellationError.self) { try await started.value }
        #expect(store.statistics.log.transactions == 0)
        try await store.write { try Note(id: 2, text: "").save(to: &$0) }
        #expect(Note.query().resolve(in: store.context).map(\.id) == [2])
    }

    @Test("Cancelled after the append, a write completes")
    func cancelledAfter() async throws {
        let store = try open()
        gate.closeGate()
        let task = Task {
            try await store.write { context in
                try Note(id: 1, text: "").save(to: &context)
                return "done"
            }
        }
        while store.statistics.log.transactions < 1 { await Task.yield() }
        task.cancel()
        gate.openGate()
        #expect(try await task.value == "done")
        #expect(store.durableTransaction == 1)
    }

    @Test("A body's error comes back, and a read-only store refuses")
    func errors() async throws {
        struct Stop: Error {}
        let store = try open()
        await #expect(throws: Stop.self) { try await store.write { _ in throw Stop() } }
        try store.close()
        await #expect(throws: StoreError.self) { try await store.write { _ in } }
    }
}
