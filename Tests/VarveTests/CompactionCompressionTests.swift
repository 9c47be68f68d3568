import Foundation
import Testing
import VarveReplay
import VarveTables
import VarveTestSupport

@testable import Varve
@testable import VarveLog

@Suite("How compactions compress", .timeLimit(.minutes(5)))
struct CompactionCompressionTests {
    /// How many blocks the newest checkpoint has, and how many of them were compressed thoroughly.
    private static func blocks(on disk: SimulatedDisk) throws -> (all: Int, thorough: Int) {
        let scanned = try ScannedLog.scan(SimulatedDisk(disk.image), mode: .readOnly)
        let newest = try #require(scanned.manifest.checkpoints.first)
        let image = try #require(try scanned.open(newest).load().image)
        return (image.blockCount, image.thoroughBlockCount)
    }

    @Test("Blocks are compressed thoroughly where a compaction is asked for, and quickly by itself")
    func speeds() async throws {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk, automatic: 20_000, durability: .none)
        try CompactionTests.rewrite(store) { store.statistics.checkpoint == nil }
        // Suspending ends one that may have begun since.
        try store.suspend()
        let automatic = try Self.blocks(on: disk)
        #expect(automatic.all > 0 && automatic.thorough == 0)
        try store.resume()
        try Self.compactHere(store)
        let asked = try Self.blocks(on: disk)
        #expect(asked.all > 0 && asked.thorough == asked.all)
        try CompactionTests.fill(store, 20..<21)
        try await store.compact()
        let later = try Self.blocks(on: disk)
        #expect(later.all > 0 && later.thorough == later.all)
    }

    @Test("One that is asked for right behind an automatic one writes the checkpoint again, once")
    func upToDate() throws {
        let disk = SimulatedDisk()
        var store = try CompactionTests.open(disk)
        try CompactionTests.fill(store, 0..<6)
        try store.compact()
        try CompactionTests.fill(store, 6..<12)
        try store.close()
        store = try CompactionTests.open(disk, seed: 2, automatic: 1 << 30)
        store.compactor?.startRepair()
        while store.statistics.checkpoint?.transaction != 12 {
            Thread.sleep(forTimeInterval: 0.001)
        }
        #expect(try Self.blocks(on: disk).thorough == 0)
        let live = describe(store.context)
        #expect(try store.compact().checkpointBytes != nil)
        let blocks = try Self.blocks(on: disk)
        #expect(blocks.thorough == blocks.all)
        #expect(try store.compact().checkpointBytes == nil)
        // The one that it replaced went, and the one before that stays.
        let names = disk.image.files.keys.filter { $0.hasPrefix("checkpoint") }.sorted()
        #expect(names == ["checkpoint-0000000001", "checkpoint-0000000003"])
        #expect(try LogVerification.verify(disk).problems == [])
        try store.close()
        disk.corrupt("checkpoint-0000000003") { $0[$0.count / 2] ^= 4 }
        let again = try CompactionTests.open(disk, seed: 3)
        #expect(again.recovery.checkpoint == LogSequence(6))
        #expect(difference(live, describe(again.context)) == nil)
    }

    /// From where `await` is possible.
    private static func compactHere(_ store: Store) throws { try store.compact() }
}
