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

    private static func bytesForAnotherAttempt(
        bytes: UInt64, steps: UInt64 = 0, behind checkpoint: UInt64 = 0, replacedAssets: UInt64 = 0,
        bytesMin: ByteCount = .mebibytes(4)
    ) -> UInt64 {
        CompactionFigures(
            CompactionFigures.Growth(bytes: bytes, replaySteps: steps),
            behind: ByteCount(checkpoint), replacedAssetBytes: replacedAssets, bytesMin: bytesMin
        ).bytesForAnotherAttempt
    }

    @Test("Where bytes were the reason, another attempt waits for as many as the checkpoint has")
    func retryForBytes() {
        let (mebibyte, next) = (Self.mebibyte, Self.bytesForAnotherAttempt)
        #expect(next(50 * mebibyte, 0, 50 * mebibyte, 0, .mebibytes(4)) == 100 * mebibyte)
        // The fault lasts: the distance does not grow with the log.
        #expect(next(200 * mebibyte, 0, 50 * mebibyte, 0, .mebibytes(4)) == 250 * mebibyte)
        #expect(next(5 * mebibyte, 0, 0, 0, .mebibytes(4)) == 9 * mebibyte)
    }

    @Test("Where steps were the reason, another attempt comes when the log is twice as large")
    func retryForSteps() {
        let next = Self.bytesForAnotherAttempt(
            bytes: 62 * Self.mebibyte, steps: 2_000_000, behind: 200 * Self.mebibyte)
        #expect(next == 124 * Self.mebibyte)
    }

    @Test("Where assets were the reason, another attempt waits for the least log that is compacted")
    func retryForAssets() {
        let next = Self.bytesForAnotherAttempt(
            bytes: 1, behind: 200 * Self.mebibyte, replacedAssets: 256 * Self.mebibyte)
        #expect(next == 4 * Self.mebibyte + 1)
        #expect(Self.bytesForAnotherAttempt(bytes: 1, bytesMin: .max) == .max)
    }

    @Test("Of a log that has less than what the checkpoint was noted with, nothing is behind it")
    func crossing() {
        #expect(ReplaySteps(logged: 3, inCheckpoint: 5).behindCheckpoint == 0)
        #expect(ReplaySteps(logged: 5, inCheckpoint: 3).behindCheckpoint == 2)
    }

    @Test("What an opening has to replay is counted alike by the writer and by the next opening")
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

    @Test("A migration that an opening logs is counted alike")
    func countingMigration() throws {
        let disk = SimulatedDisk()
        func open(
            _ types: [any EntityModelProtocol.Type], _ migrations: [Migration]
        ) throws -> Store {
            try Store(
                in: disk, mode: .readWrite, durability: .commit, compactsAutomatically: false,
                migrations: migrations, types: types)
        }
        var store = try open(Migrations.formerTypes, [])
        try Migrations.fill(store)
        let before = try Self.growth(of: store).replaySteps
        try store.close()
        store = try open(Migrations.types, Migrations.all)
        let migrated = try Self.growth(of: store).replaySteps
        #expect(migrated > before + 3)
        try store.close()
        store = try open(Migrations.types, Migrations.all)
        #expect(try Self.growth(of: store).replaySteps == migrated)
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
