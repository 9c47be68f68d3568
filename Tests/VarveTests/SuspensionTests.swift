import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Suspended stores")
struct SuspensionTests {
    private let disk = SimulatedDisk()

    private func open(process: Int32 = 1, mode: Store.Mode = .readWrite) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: UInt64(process), process: process),
            mode: mode, durability: .commit, types: [Note.self])
    }

    private func add(_ id: Int, to store: Store) throws {
        try store.write { try Note(id: id, text: "\(id)").save(to: &$0) }
    }

    @Test("Row 47: a suspended store holds no lock; it reads on, refuses writes, and resumes")
    func suspending() throws {
        let store = try open()
        try add(1, to: store)
        try store.suspend()
        try store.suspend()
        #expect(try !DirectoryLock.isHeld(in: disk))
        #expect(store.context.count(Note.self) == 1)
        #expect(!store.statistics.isWritable)
        do {
            try add(2, to: store)
            Issue.record("it took a transaction")
        } catch StoreError.suspended {}
        try store.resume()
        try store.resume()
        #expect(try DirectoryLock.isHeld(in: disk))
        try add(2, to: store)
        #expect(store.durableTransaction == 2)
        try store.close()
        #expect(try open().context.count(Note.self) == 2)
    }

    @Test("What another process wrote meanwhile is there after resuming")
    func writtenMeanwhile() throws {
        let store = try open()
        try add(1, to: store)
        try store.suspend()
        let other = try open(process: 2)
        try add(2, to: other)
        #expect(throws: StoreError.self, "the other has the lock") { try store.resume() }
        try other.close()
        try store.resume()
        #expect(store.lastTransaction == 2)
        #expect(store.context.count(Note.self) == 2)
        try add(3, to: store)
        try store.close()
        #expect(try open().context.count(Note.self) == 3)
    }

    @Test("Another store in its place is not taken for it")
    func replaced() throws {
        let store = try open()
        try add(1, to: store)
        try add(2, to: store)
        try store.suspend()
        let fresh = SimulatedDisk()
        do {
            let other = try Store(
                in: fresh, environment: SimulatedEnvironment(seed: 77), mode: .readWrite,
                durability: .commit, types: [Note.self])
            try add(1, to: other)
            try other.close()
        }
        for (name, bytes) in fresh.image.files { disk.corrupt(name) { $0 = bytes } }
        do {
            try store.resume()
            Issue.record("it resumed")
        } catch StoreError.replacedWhileSuspended {}
        #expect(store.lastTransaction == 2)
    }

    @Test("A poisoned store gives its lock back, and is opened again, not resumed")
    func poisoned() throws {
        let store = try open()
        try add(1, to: store)
        disk.failNextSynchronize()
        #expect(throws: StoreError.self) { try add(2, to: store) }
        try store.suspend()
        #expect(try !DirectoryLock.isHeld(in: disk))
        #expect(throws: StoreError.self) { try store.resume() }
        #expect(try open().lastTransaction.rawValue >= 1)
    }

    @Test("A suspended store can be closed; then it stays closed")
    func closing() throws {
        let store = try open()
        try store.suspend()
        try store.close()
        #expect(throws: StoreError.self) { try store.resume() }
        #expect(throws: StoreError.self) { try add(1, to: store) }
    }
}
