import Foundation
import Testing
import VarveLog
import VarveTestSupport

@testable import Varve

@Suite("Compactions behind one that failed", .timeLimit(.minutes(5)))
struct CompactionRetryTests {
    /// A disk that refuses checkpoints for a while.
    private struct Refusing {
        let disk: HookedFileSystem
        let isOn: Lock<Bool>

        init(_ base: SimulatedDisk) {
            let isOn = Lock(true)
            self.isOn = isOn
            disk = HookedFileSystem(base) { operation, name, _ throws(FileSystemError) in
                guard operation == .open, name.hasPrefix("checkpoint"), isOn.withLock({ $0 })
                else { return }
                throw FileSystemError(.open, file: name, reason: .system(code: 5))
            }
        }

        func end() { isOn.withLock { $0 = false } }
    }

    private static func figures(of store: Store) throws -> CompactionFigures {
        try #require(store.writer).figures.withLock { $0.compaction }
    }

    private static func waits(until isThere: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<60_000 {
            if try isThere() { return true }
            Thread.sleep(forTimeInterval: 0.001)
        }
        return false
    }

    /// A store whose compactions have failed, behind some log.
    private static func failedStore(on refusing: Refusing) throws -> Store {
        let store = try CompactionTests.open(refusing.disk, automatic: 20_000, durability: .none)
        try CompactionTests.rewrite(store) { try figures(of: store).growth.bytes < 100_000 }
        #expect(waits { store.statistics.compactionFailure != nil })
        return store
    }

    @Test("One that is asked for and succeeds ends the failure, and the next starts as ever")
    func askedFor() throws {
        let refusing = Refusing(SimulatedDisk())
        let store = try Self.failedStore(on: refusing)
        #expect(throws: StoreError.self) { try store.compact() }
        #expect(store.statistics.compactionFailure != nil)
        refusing.end()
        try store.compact()
        #expect(store.statistics.compactionFailure == nil)
        let newest = store.statistics.checkpoint?.transaction
        try CompactionTests.rewrite(store) {
            try store.statistics.checkpoint?.transaction == newest
                && !Self.figures(of: store).isDue
        }
        #expect(try Self.figures(of: store).growth.bytes < 80_000)
        #expect(Self.waits { store.statistics.checkpoint?.transaction != newest })
    }

    @Test("What failed is not held against a log that another process has continued")
    func readAgain() throws {
        let base = SimulatedDisk()
        let refusing = Refusing(base)
        let store = try Self.failedStore(on: refusing)
        try store.suspend()
        #expect(store.statistics.compactionFailure != nil)
        refusing.end()
        let other = try CompactionTests.open(base, seed: 4)
        try CompactionTests.fill(other, 20..<21)
        try other.compact()
        try other.close()
        try store.resume()
        #expect(try !Self.figures(of: store).isDue)
        #expect(store.statistics.compactionFailure == nil)
    }
}
