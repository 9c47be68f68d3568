import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Stores on failing disks")
struct DiskTests {
    /// Small limits, so that a few transactions span frames and roll segments.
    private static var configuration: LogConfiguration {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(8_192)
        configuration.frameBytesMax = ByteCount(1_024)
        return configuration
    }

    private func open(
        _ disk: any FileSystem, seed: UInt64 = 1, durability: Durability = .commit,
        configuration: LogConfiguration = DiskTests.configuration
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), configuration: configuration,
            mode: .readWrite, durability: durability, types: [Author.self])
    }

    private func add(_ number: Int, to store: Store) throws {
        try store.write("Add \(number)") { context in
            let books = (0..<5).map {
                Book(
                    id: number * 5 + $0, title: "book \($0)",
                    text: (0..<40).map { "\(number * 7 + $0)" }.joined(separator: " "))
            }
            try Author(
                id: "a\(number % 3)", name: "after \(number)", books: .appending(relation: books)
            )
            .save(to: &context)
            if number % 5 == 4 { try Book.delete(id: number * 2, from: &context) }
        }
    }

    @Test("Transactions larger than a frame and logs of several segments come back whole")
    func spanningAndRolling() throws {
        let disk = SimulatedDisk()
        let store = try open(disk)
        for number in 0..<60 { try add(number, to: store) }
        #expect(store.statistics.log.segments >= 3)
        let live = describe(store.context)
        try store.close()
        let again = try open(disk, seed: 2)
        #expect(difference(live, describe(again.context)) == nil)
        #expect(again.lastTransaction == 60)
    }

    @Test(
        "A power cut at any moment leaves a prefix that holds everything acknowledged",
        arguments: [1, 2, 3] as [UInt64])
    func powerCuts(seed: UInt64) throws {
        let disk = SimulatedDisk()
        var acknowledged: [(operations: Int, transactions: UInt64)] = []
        var states = ["": UInt64(0)]
        let store = try open(disk)
        states[describe(store.context)] = 0
        for number in 0..<14 {
            try add(number, to: store)
            acknowledged.append((disk.operations.count, store.lastTransaction.rawValue))
            states[describe(store.context)] = store.lastTransaction.rawValue
        }
        var random = SeededGenerator(seed: seed)
        let first = acknowledged[0].operations / 2
        for _ in 0..<60 {
            let position = Int.random(in: first...disk.operations.count, using: &random)
            let point = disk.crashPoint(at: position)
            guard
                let survivals = disk.survivals(at: point, using: &random).randomElement(
                    using: &random)
            else { continue }
            let recovered: Store
            do {
                recovered = try open(SimulatedDisk(disk.image(at: point, survivals)), seed: 9)
            } catch {
                Issue.record("seed \(seed), operation \(position): \(error)")
                continue
            }
            let promised = acknowledged.last { $0.operations <= position }?.transactions ?? 0
            let state = states[describe(recovered.context)]
            #expect(state == recovered.lastTransaction.rawValue, "seed \(seed), at \(position)")
            #expect(recovered.lastTransaction.rawValue >= promised, "seed \(seed), at \(position)")
            try add(99, to: recovered)
        }
    }

    @Test("After a failed sync nothing is published, and nothing is written until reopening")
    func failedSync() throws {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try add(0, to: store)
        let before = describe(store.context)
        disk.failNextSynchronize()
        #expect(throws: StoreError.self) { try add(1, to: store) }
        #expect(describe(store.context) == before)
        #expect(store.lastTransaction == 1)
        #expect(!store.statistics.isWritable)
        #expect(throws: StoreError.self) { try add(2, to: store) }
        try store.close()
    }

    @Test("A full disk refuses the write and changes nothing; with room again, writing goes on")
    func fullDisk() throws {
        let disk = SimulatedDisk()
        let probe = FaultyFileSystem(disk)
        let store = try open(probe)
        try add(0, to: store)
        let before = describe(store.context)
        let noSpace: Int32 = 28
        probe.setFault(.init(operation: probe.operations, code: noSpace, isHalfDone: true))
        #expect(throws: StoreError.self) { try add(1, to: store) }
        #expect(describe(store.context) == before)
        try add(2, to: store)
        #expect(store.lastTransaction == 2)
        let live = describe(store.context)
        try store.close()
        #expect(difference(live, describe(try open(disk, seed: 3).context)) == nil)
    }

    @Test("Damage below a promise refuses to open, names the place and changes nothing")
    func damage() throws {
        let disk = SimulatedDisk()
        let store = try open(disk)
        for number in 0..<3 { try add(number, to: store) }
        try store.close()
        disk.corrupt("segment-0000000001") { $0[400] ^= 0x10 }
        let segments = disk.image.files.filter { $0.key.hasPrefix("segment") }
        do {
            _ = try open(disk, seed: 4)
            Issue.record("it opened")
        } catch StoreError.log(.damaged(let damage)) {
            #expect(damage.segment.rawValue == 1)
            #expect(damage.offset.rawValue <= 400)
        }
        #expect(disk.image.files.filter { $0.key.hasPrefix("segment") } == segments)
        #expect(!disk.image.files.keys.contains { $0.hasPrefix("lost") })
    }
}
