import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Writers that share a sync", .timeLimit(.minutes(5)))
struct GroupCommitTests {
    private let disk = SimulatedDisk()
    private let gate: GatedFileSystem

    init() { gate = GatedFileSystem(disk) }

    private func open(
        _ durability: Durability = .commit, segmentBytesMax: UInt64 = 64 << 20
    ) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(segmentBytesMax)
        return try Store(
            in: gate, environment: SimulatedEnvironment(), configuration: configuration,
            mode: .readWrite, durability: durability, types: [Note.self])
    }

    private func reopened() throws -> Store {
        try Store(
            in: SimulatedDisk(disk.image), environment: SimulatedEnvironment(seed: 5),
            mode: .readWrite, durability: .commit, types: [Note.self])
    }

    /// Waits until so many transactions stand in the file.
    private func waitFor(transactions: UInt64, in store: Store) {
        while store.statistics.log.transactions < transactions {
            Thread.sleep(forTimeInterval: 0.0001)
        }
    }

    private func add(_ id: Int, to store: Store, _ options: WriteOptions = WriteOptions()) throws {
        try store.write(options: options) { try Note(id: id, text: "\(id)").save(to: &$0) }
    }

    /// One thread for each number, with what became of its write.
    private func start(
        _ numbers: ClosedRange<Int>, on store: Store
    ) -> (group: DispatchGroup, outcomes: Lock<[Int: StoreError?]>) {
        let group = DispatchGroup()
        let outcomes = Lock<[Int: StoreError?]>([:])
        for number in numbers {
            group.enter()
            Thread.detachNewThread {
                var failure: StoreError?
                do {
                    try store.write { try Note(id: number, text: "").save(to: &$0) }
                } catch {
                    failure = error as? StoreError
                }
                outcomes.withLock { [failure] in $0[number] = .some(failure) }
                group.leave()
            }
        }
        return (group, outcomes)
    }

    @Test("Each thread of a crowd is acknowledged, and what they wrote is safe")
    func crowd() throws {
        let store = try open()
        let group = DispatchGroup()
        let failures = Lock<[any Error]>([])
        for thread in 0..<24 {
            group.enter()
            Thread.detachNewThread {
                for number in 0..<40 {
                    do {
                        try add(thread * 40 + number, to: store)
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
                group.leave()
            }
        }
        group.wait()
        #expect(failures.withLock { $0.isEmpty })
        #expect(store.durableTransaction == 960)
        // Not closed: what is there is what was synced.
        #expect(Note.query().count(in: try reopened().context) == 960)
    }

    @Test("Threads that append during a sync share the next one, and are shown after it")
    func sharedSync() throws {
        let store = try open()
        let before = gate.syncs
        gate.closeGate()
        let first = start(1...1, on: store)
        gate.awaitSync()
        let others = start(2...9, on: store)
        waitFor(transactions: 9, in: store)
        #expect(store.lastTransaction == 0, "nothing is acknowledged yet")
        #expect(store.durableTransaction == 0)
        gate.openGate()
        first.group.wait()
        others.group.wait()
        #expect(gate.syncs - before == 2)
        #expect(store.lastTransaction == 9)
        #expect(store.durableTransaction == 9)
        #expect(others.outcomes.withLock { $0.values.allSatisfy { $0 == nil } })
        #expect(try reopened().context.count(Note.self) == 9)
    }

    @Test("Tasks share syncs too, and wait for the disk on no thread of the cooperative pool")
    func sharedSyncOfTasks() async throws {
        let store = try open()
        let before = gate.syncs
        gate.closeGate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try await store.write { try Note(id: 0, text: "").save(to: &$0) }
            }
            while store.statistics.log.transactions < 1 { await Task.yield() }
            for number in 1...64 {
                group.addTask {
                    _ = try await store.write { try Note(id: number, text: "").save(to: &$0) }
                }
            }
            // Were the pool blocked by 64 waiting writers, this task would not go on.
            while store.statistics.log.transactions < 65 { await Task.yield() }
            gate.openGate()
            try await group.waitForAll()
        }
        #expect(gate.syncs - before == 2)
        #expect(store.lastTransaction == 65)
        #expect(store.durableTransaction == 65)
    }

    @Test(
        "Row 19: a failed sync tells every writer of the batch that the outcome of his transaction is unknown, is not tried again, and ends the writing"
    )
    func failedSync() throws {
        let store = try open()
        try add(0, to: store)
        gate.closeGate()
        let first = start(1...1, on: store)
        gate.awaitSync()
        let others = start(2...5, on: store)
        waitFor(transactions: 6, in: store)
        disk.failNextSynchronize()
        let syncs = gate.syncs
        gate.openGate()
        first.group.wait()
        others.group.wait()
        var unknown: Set<UInt64> = []
        for outcome
            in (first.outcomes.withLock { $0 }.merging(others.outcomes.withLock { $0 }) { $1 })
            .values
        {
            guard case .outcomeUnknown(let transaction, .synchronizationFailed)? = outcome else {
                Issue.record("\(String(describing: outcome))")
                continue
            }
            unknown.insert(transaction.rawValue)
        }
        #expect(unknown == [2, 3, 4, 5, 6])
        #expect(gate.syncs == syncs, "it is not tried again")
        #expect(store.lastTransaction == 1)
        #expect(store.durableTransaction == 1)
        #expect(store.context.count(Note.self) == 1)
        #expect(!store.statistics.isWritable && store.statistics.isPoisoned)
        do {
            try add(9, to: store)
            Issue.record("a poisoned store took a transaction")
        } catch StoreError.log(.poisoned) {}
        #expect(throws: StoreError.self) { try store.flush() }
        try store.close()
        #expect(gate.syncs == syncs)
        let after = try reopened()
        #expect((1...6).contains(after.lastTransaction.rawValue))
        #expect(after.context.count(Note.self) == Int(after.lastTransaction.rawValue))
    }

    @Test("A body that throws while others wait leaves no trace, although they build on one state")
    func throwingBody() throws {
        struct Stop: Error {}
        let store = try open()
        gate.closeGate()
        let first = start(1...1, on: store)
        gate.awaitSync()
        #expect(throws: Stop.self) {
            try store.write { context in
                #expect(context.count(Note.self) == 1, "a body sees everything appended")
                try Note(id: 2, text: "").save(to: &context)
                throw Stop()
            }
        }
        let others = start(3...4, on: store)
        waitFor(transactions: 3, in: store)
        gate.openGate()
        first.group.wait()
        others.group.wait()
        #expect(store.lastTransaction == 3)
        #expect(Note.query().resolve(in: store.context).map(\.id).sorted() == [1, 3, 4])
        #expect(try reopened().context.count(Note.self) == 3)
    }

    @Test("A write that changes nothing waits for what it has seen")
    func unchangedWriteWaits() throws {
        let store = try open()
        gate.closeGate()
        let first = start(1...1, on: store)
        gate.awaitSync()
        let second = start(1...1, on: store)
        #expect(store.context.count(Note.self) == 0)
        disk.failNextSynchronize()
        // Whether it has come to wait or not: what it saw is never acknowledged.
        gate.openGate()
        first.group.wait()
        second.group.wait()
        let outcome = second.outcomes.withLock { $0[1] }
        guard case .some(.some(.outcomeUnknown)) = outcome else {
            Issue.record("it relied on what was lost: \(String(describing: outcome))")
            return
        }
    }

    @Test("A relaxed write is shown at once, and with it everything before")
    func relaxedWrite() throws {
        let store = try open(.none)
        let strict = WriteOptions(durability: .commit)
        gate.closeGate()
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            _ = try? store.write(options: strict) { try Note(id: 1, text: "").save(to: &$0) }
            group.leave()
        }
        gate.awaitSync()
        #expect(store.lastTransaction == 0)
        try add(2, to: store)
        #expect(store.lastTransaction == 2)
        #expect(store.durableTransaction == 0)
        gate.openGate()
        group.wait()
        #expect(store.durableTransaction == 1)
        #expect(store.lastTransaction == 2, "what is shown never goes backwards")
    }

    @Test("A single write can ask for more than the store's durability, not for less")
    func asksForMore() throws {
        let relaxed = try open(.none)
        try add(1, to: relaxed)
        #expect(relaxed.durableTransaction == 0)
        try add(2, to: relaxed, WriteOptions(durability: .commit))
        #expect(relaxed.durableTransaction == 2)
        try add(3, to: relaxed)
        try relaxed.close()
        #expect(relaxed.durableTransaction == 3)
        let strict = try open(.commit)
        try add(4, to: strict, WriteOptions(durability: Durability.none))
        #expect(strict.durableTransaction == 4)
    }

    @Test("With an interval, transactions become safe by themselves, and the log says so")
    func interval() throws {
        let store = try open(.interval(.milliseconds(1)))
        try add(1, to: store)
        #expect(store.lastTransaction == 1, "shown at once")
        while store.durableTransaction < 1 { Thread.sleep(forTimeInterval: 0.0001) }
        let reader = {
            try Store(
                in: disk, environment: SimulatedEnvironment(seed: 3), mode: .readOnly,
                durability: .none, types: [Note.self])
        }
        while try reader().context.count(Note.self) == 0 { Thread.sleep(forTimeInterval: 0.001) }
        try store.close()
    }

    @Test("After a failed sync that nobody waited for, the next write is refused")
    func failedIntervalSync() throws {
        let store = try open(.interval(.milliseconds(1)))
        disk.failNextSynchronize()
        try add(1, to: store)
        while store.statistics.isWritable { Thread.sleep(forTimeInterval: 0.0001) }
        #expect(throws: StoreError.self) { try add(2, to: store) }
        #expect(store.lastTransaction == 1)
        #expect(store.durableTransaction == 0)
    }

    @Test("A roll during somebody's sync waits for it, and both are acknowledged")
    func rollDuringSync() throws {
        let store = try open(segmentBytesMax: 700)
        for number in 0..<4 { try add(number, to: store) }
        let threads = (0..<4).map { lane in start(10 + lane * 20...29 + lane * 20, on: store) }
        for thread in threads { thread.group.wait() }
        #expect(store.statistics.log.segments > 4)
        #expect(store.lastTransaction == 84)
        #expect(store.durableTransaction == 84)
        try store.close()
        let after = try reopened()
        #expect(after.recovery.endedCleanly)
        #expect(after.context.count(Note.self) == 84)
    }

    @Test("Closing waits for the writers under way; all of them are acknowledged")
    func closingDuringSync() throws {
        let store = try open()
        gate.closeGate()
        let first = start(1...1, on: store)
        gate.awaitSync()
        let others = start(2...5, on: store)
        waitFor(transactions: 5, in: store)
        let closing = DispatchGroup()
        closing.enter()
        Thread.detachNewThread {
            #expect(throws: Never.self) { try store.close() }
            closing.leave()
        }
        gate.openGate()
        closing.wait()
        first.group.wait()
        others.group.wait()
        #expect(others.outcomes.withLock { $0.values.allSatisfy { $0 == nil } })
        #expect(store.lastTransaction == 5)
        #expect(throws: StoreError.self) { try add(6, to: store) }
        #expect(try reopened().recovery.endedCleanly)
    }

    @Test("Everything that would wait for itself inside a body is refused")
    func insideBody() throws {
        let store = try open()
        try store.write { context in
            for call in [store.flush, store.close, store.suspend, store.resume] {
                do {
                    try call()
                    Issue.record("it did not refuse")
                } catch StoreError.nestedWrite {}
            }
            #expect(context.count(Note.self) == 0)
        }
        try add(1, to: store)
    }

    @Test("What a dropped store wrote is synced when it is due, without anybody closing it")
    func intervalOfDroppedStore() throws {
        let hasSynced = DispatchSemaphore(value: 0)
        let isWatched = Lock(false)
        let hooked = HookedFileSystem(disk) { operation, name, _ in
            guard operation == .synchronize, name.hasPrefix("segment"),
                isWatched.withLock({ $0 })
            else { return }
            hasSynced.signal()
        }
        var store: Store? = try Store(
            in: hooked, environment: SimulatedEnvironment(), mode: .readWrite,
            durability: .interval(.milliseconds(200)), types: [Note.self])
        try store?.write { try Note(id: 1, text: "").save(to: &$0) }
        isWatched.withLock { $0 = true }
        store = nil
        // Far more than is due; only a failure waits so long.
        #expect(hasSynced.wait(timeout: .now() + 30) == .success)
    }
}
