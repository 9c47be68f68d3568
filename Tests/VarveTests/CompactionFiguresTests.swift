import Testing
import VarveLog
import VarveTestSupport

@testable import Varve

@Suite("When a compaction is due")
struct CompactionFiguresTests {
    private static let mebibyte: UInt64 = 1 << 20

    private static func isDue(
        bytes: UInt64 = 5 << 20, steps: UInt64 = 0, behind checkpoint: UInt64 = 0,
        replacedAssets: UInt64 = 0
    ) -> Bool {
        CompactionFigures(
            CompactionFigures.Growth(bytes: bytes, replaySteps: steps),
            behind: ByteCount(checkpoint), replacedAssetBytes: replacedAssets,
            bytesMin: .mebibytes(4)
        ).isDue
    }

    @Test("The log behind a checkpoint may take as much room as the checkpoint")
    func room() {
        #expect(Self.isDue(bytes: 50 * Self.mebibyte, behind: 50 * Self.mebibyte))
        #expect(!Self.isDue(bytes: 50 * Self.mebibyte - 1, behind: 50 * Self.mebibyte))
        #expect(Self.isDue(), "there is no checkpoint")
    }

    @Test("A log that replays for long makes a compaction due before it is as large")
    func replay() {
        #expect(Self.isDue(steps: 2_000_000, behind: 50 * Self.mebibyte))
        #expect(!Self.isDue(steps: 1_999_999, behind: 50 * Self.mebibyte))
    }

    @Test("A large checkpoint is not written again for a few events")
    func largeCheckpoint() {
        let checkpoint: UInt64 = 1_280_000_000
        #expect(Self.isDue(steps: 10_000_000, behind: checkpoint))
        #expect(!Self.isDue(steps: 9_999_999, behind: checkpoint))
    }

    @Test("A small log waits, but not for assets that could go")
    func smallLog() {
        #expect(!Self.isDue(bytes: 4 * Self.mebibyte - 1, steps: 2_000_000))
        #expect(!Self.isDue(bytes: 1, replacedAssets: 256 * Self.mebibyte - 1))
        #expect(Self.isDue(bytes: 1, replacedAssets: 256 * Self.mebibyte))
    }

    @Test("What an opening has to replay is counted alike by who writes it, and by who opens it")
    func counting() throws {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk, durability: .none)
        try CompactionTests.fill(store, 0..<20)
        let written = try Self.growth(of: store)
        #expect(written.replaySteps > 20)
        #expect(try Self.reopened(disk, store).replaySteps == written.replaySteps)
    }

    @Test("Behind a compaction counts what was written since it began")
    func countingBesideCompaction() throws {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk, durability: .none)
        try CompactionTests.fill(store, 0..<20)
        var hasWritten = false
        try store.compact { _ in
            guard !hasWritten else { return }
            hasWritten = true
            try? CompactionTests.fill(store, 20..<30)
        }
        let behind = try Self.growth(of: store)
        #expect(behind.replaySteps > 10)
        #expect(try Self.reopened(disk, store).replaySteps == behind.replaySteps)
    }

    @Test("A store that goes on, and finds what others wrote, counts what it read")
    func countingOthers() throws {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk, durability: .none)
        try CompactionTests.fill(store, 0..<5)
        let before = try Self.growth(of: store).replaySteps
        try store.suspend()
        try store.resume()
        #expect(try Self.growth(of: store).replaySteps == before)
        try store.suspend()
        let other = try CompactionTests.open(disk, seed: 4)
        try CompactionTests.fill(other, 5..<10)
        let after = try Self.growth(of: other).replaySteps
        try other.close()
        try store.resume()
        #expect(after > before)
        #expect(try Self.growth(of: store).replaySteps == after)
    }

    private static func growth(of store: Store) throws -> CompactionFigures.Growth {
        try #require(store.writer).figures.withLock { $0.compaction.growth }
    }

    private static func reopened(
        _ disk: SimulatedDisk, _ store: Store
    ) throws -> CompactionFigures.Growth {
        try store.close()
        return try growth(of: CompactionTests.open(disk, seed: 2))
    }
}
