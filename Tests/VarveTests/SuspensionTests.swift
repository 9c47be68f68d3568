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

    @Test("A write that comes the moment resuming lets it in stays shown")
    func writeWhileResuming() throws {
        let store = try Store(
            in: disk, environment: SimulatedEnvironment(), mode: .readWrite, durability: .none,
            compactsAutomatically: false, types: [Note.self])
        for round in 0..<100 {
            try store.suspend()
            let other = try open(process: 2)
            try add(2 * round, to: other)
            try other.close()
            let written = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while true {
                    do {
                        try self.add(2 * round + 1, to: store)
                        break
                    } catch StoreError.suspended {
                        continue
                    } catch {
                        Issue.record("\(error)")
                        break
                    }
                }
                written.signal()
            }
            try store.resume()
            written.wait()
            #expect(store.context.count(Note.self) == 2 * round + 2)
        }
    }

    @Test("What is pinned stays so while a store is suspended and resumed")
    func pins() throws {
        let store = try open()
        for number in 0..<10 { try add(number, to: store) }
        let pin = try store.pin(5)
        try store.suspend()
        try store.resume()
        for number in 10..<20 { try add(number, to: store) }
        try store.compact(retaining: Retention.newestState)
        #expect(store.floor == 5)
        #expect(try store.context(asOf: .transaction(5)).count(Note.self) == 5)
        withExtendedLifetime(pin) {}
    }

    @Test("What another process dropped meanwhile is below the floor, pinned or not")
    func pinsOfWhatIsGone() throws {
        let store = try open()
        for number in 0..<10 { try add(number, to: store) }
        let pin = try store.pin(5)
        try store.suspend()
        let other = try open(process: 2)
        try other.compact(retaining: Retention.newestState)
        let floor = other.floor
        try other.close()
        try store.resume()
        #expect(floor > 5 && store.floor == floor)
        #expect(throws: StoreError.self) { try store.pin(5) }
        withExtendedLifetime(pin) {}
    }

    @Test("A feed that idles while its store is suspended misses nothing afterwards")
    func idleFeed() async throws {
        let store = try open()
        for number in 0..<3 { try store.writing { try Note(id: number, text: "").save(to: &$0) } }
        var feed = store.changes().makeAsyncIterator()
        for _ in 0..<3 { _ = try await feed.next() }
        try store.suspend()
        try store.resume()
        for number in 3..<9 { try store.writing { try Note(id: number, text: "").save(to: &$0) } }
        try store.dropHistory()
        for number in 3..<9 {
            guard case .transaction(let change)? = try await feed.next() else {
                return #expect(Bool(false), "a gap before \(number)")
            }
            #expect(change.info.id.rawValue == UInt64(number + 1))
        }
    }
}
