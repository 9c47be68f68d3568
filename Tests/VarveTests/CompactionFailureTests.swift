import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Stores whose compaction fails")
struct CompactionFailureTests {
    @Test(
        "A power cut at any moment of a life with compactions leaves a prefix that holds everything acknowledged",
        arguments: [1, 2, 3] as [UInt64])
    func powerCuts(seed: UInt64) throws {
        let disk = SimulatedDisk()
        var acknowledged: [(operations: Int, transactions: UInt64)] = []
        var states: [String: UInt64] = [:]
        var store = try CompactionTests.open(disk)
        for number in 0..<18 {
            try CompactionTests.fill(store, number..<(number + 1))
            acknowledged.append((disk.operations.count, store.lastTransaction.rawValue))
            states[describe(store.context)] = store.lastTransaction.rawValue
            if number % 4 == 3 { try store.compact() }
            if number == 10 {
                try store.close()
                store = try CompactionTests.open(disk, seed: 8)
            }
        }
        var random = SeededGenerator(seed: seed)
        for _ in 0..<120 {
            let position = Int.random(
                in: acknowledged[0].operations...disk.operations.count, using: &random)
            let point = disk.crashPoint(at: position)
            guard
                let survivals = disk.survivals(at: point, using: &random).randomElement(
                    using: &random)
            else { continue }
            let place = "seed \(seed), operation \(position)"
            do {
                let copy = SimulatedDisk(disk.image(at: point, survivals))
                let recovered = try CompactionTests.open(copy, seed: 9)
                let promised = acknowledged.last { $0.operations <= position }?.transactions ?? 0
                #expect(
                    states[describe(recovered.context)] == recovered.lastTransaction.rawValue,
                    "\(place)")
                #expect(recovered.lastTransaction.rawValue >= promised, "\(place)")
                #expect(recovered.recovery.checkpointProblems.isEmpty, "\(place)")
                try CompactionTests.fill(recovered, 99..<100)
                try recovered.compact()
            } catch {
                Issue.record("\(place): \(error)")
            }
        }
    }

    @Test("Row 21: an I/O error at any step leaves a store that serves, and goes on where it can")
    func errors() throws {
        let count = try operationCount()
        for step in stride(from: 0, to: count, by: 2) {
            let disk = SimulatedDisk()
            let faulty = FaultyFileSystem(disk)
            let store = try CompactionTests.open(faulty)
            try CompactionTests.fill(store, 0..<12)
            let live = describe(store.context)
            faulty.setFault(.init(operation: faulty.operations + step, code: 28))
            // Some errors come too late to matter.
            do { _ = try store.compact() } catch { #expect(error is StoreError, "\(error)") }
            faulty.setFault(nil)
            #expect(describe(store.context) == live, "step \(step)")
            if store.statistics.isWritable {
                try CompactionTests.fill(store, 12..<13)
                try store.compact()
            }
            let last = describe(store.context)
            try store.close()
            let again = try CompactionTests.open(disk, seed: 4)
            #expect(difference(last, describe(again.context)) == nil, "step \(step)")
        }
    }

    private func operationCount() throws -> Int {
        let faulty = FaultyFileSystem(SimulatedDisk())
        let store = try CompactionTests.open(faulty)
        try CompactionTests.fill(store, 0..<12)
        let before = faulty.operations
        try store.compact()
        return faulty.operations - before
    }

    @Test(
        "Row 57: a damaged newest checkpoint is reported, and the next compaction mends the store")
    func damaged() throws {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk)
        try CompactionTests.fill(store, 0..<12)
        try store.compact()
        try CompactionTests.fill(store, 12..<20)
        try store.compact()
        try CompactionTests.fill(store, 20..<25)
        let live = describe(store.context)
        try store.close()
        disk.corrupt("checkpoint-0000000002") { $0[$0.count / 2] ^= 4 }
        let again = try CompactionTests.open(disk, seed: 2)
        #expect(difference(live, describe(again.context)) == nil)
        #expect(again.recovery.checkpoint == LogSequence(12))
        #expect(again.recovery.checkpointProblems.map(\.file) == ["checkpoint-0000000002"])
        #expect("\(again.recovery)".contains("checkpoint-0000000002 is unusable"))
        try again.compact()
        try again.close()
        let last = try CompactionTests.open(disk, seed: 3)
        #expect(last.recovery.checkpointProblems.isEmpty)
        #expect(difference(live, describe(last.context)) == nil)
    }

    @Test("A compaction that suspending gives up did not fail, and runs when the store goes on")
    func suspending() throws {
        let isWaiting = DispatchSemaphore(value: 0)
        let held = Lock<Store?>(nil)
        let base = SimulatedDisk()
        let disk = HookedFileSystem(base) { operation, name, _ in
            guard operation == .open, name.hasPrefix("checkpoint"),
                let store = held.withLock({ $0 })
            else { return }
            held.withLock { $0 = nil }
            isWaiting.signal()
            while !store.isCompactionCancelled { Thread.sleep(forTimeInterval: 0.001) }
        }
        let store = try CompactionTests.open(disk, automatic: 20_000, durability: .none)
        held.withLock { $0 = store }
        for number in 0..<200 where held.withLock({ $0 }) != nil {
            try CompactionTests.fill(store, number..<(number + 1))
        }
        // Only a failure waits so long.
        try #require(isWaiting.wait(timeout: .now() + 60) == .success)
        try store.suspend()
        #expect(store.statistics.compactionFailure == nil)
        #expect(store.statistics.checkpoint == nil)
        try store.resume()
        // Behind the one that resuming started, without a write between them, and which compressed quickly.
        let reports = try (0..<2).map { _ in try store.compact() }
        #expect(reports.map { $0.checkpointBytes == nil } == [false, true])
        #expect(
            base.image.files.keys.filter { $0.hasPrefix("checkpoint") } == [
                "checkpoint-0000000002"
            ])
        #expect(store.statistics.compactionFailure == nil)
    }

    @Test(
        "An error behind the manifest of a compaction is told as what it left, not as its failure")
    func errorAtTheEnd() throws {
        let isInForce = Lock(false)
        let disk = HookedFileSystem(SimulatedDisk()) {
            operation, name, _ throws(FileSystemError) in
            if operation == .rename, name.hasPrefix("manifest-0000000002") {
                isInForce.withLock { $0 = true }
            }
            // Files are measured behind the manifest.
            if operation == .status, isInForce.withLock({ $0 }) {
                throw FileSystemError(.status, file: name, reason: .system(code: 5))
            }
        }
        let store = try CompactionTests.open(disk)
        try CompactionTests.fill(store, 0..<12)
        let report = try store.compact()
        #expect(report.leftover != nil && report.bytesAfter > ByteCount.zero)
        #expect(report.checkpoint == store.lastTransaction)
    }

    @Test("Closing gives up a compaction that is running")
    func closing() throws {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk, durability: .none)
        try CompactionTests.fill(store, 0..<40)
        let live = describe(store.context)
        let closer = Thread { try? store.close() }
        var hasStarted = false
        do {
            try store.compact { progress in
                guard progress.phase == .writing else { return }
                if !hasStarted { closer.start() }
                hasStarted = true
                // Until the other thread has asked: cancellation is seen at the next page.
                while !store.isCompactionCancelled { Thread.sleep(forTimeInterval: 0.001) }
            }
            Issue.record("it was not given up")
        } catch StoreError.log(.compactionCancelled) {
        }
        while store.statistics.isWritable { Thread.sleep(forTimeInterval: 0.001) }
        #expect(!disk.image.files.keys.contains { $0.hasPrefix("checkpoint") })
        let again = try CompactionTests.open(disk, seed: 3)
        #expect(difference(live, describe(again.context)) == nil)
    }
}
