import Foundation
import Testing
import VarveGraph
import VarveLog
import VarveReplay
import VarveTestSupport

@testable import Varve

/// What an opening of a large checkpoint leaves to be compared with its checksums behind it.
@Suite("A look at the checkpoint behind an opening", .timeLimit(.minutes(5)))
struct CheckpointLookTests {
    private static let older = "checkpoint-0000000001"
    private static let newest = "checkpoint-0000000002"

    /// - Parameters:
    ///   - isLarge: whether each image counts as a large one.
    ///   - isWaiting: whether tables wait.
    private static func open(
        _ disk: any FileSystem, _ mode: Store.Mode = .readWrite, isLarge: Bool = true,
        isWaiting: Bool = true, retention: Retention = .newestState,
        compactsAutomatically: Bool = false, log: StoreLog? = nil
    ) throws -> Store {
        var configuration = LogConfiguration()
        configuration.automaticCompactionBytesMin = ByteCount(1 << 40)
        return try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1), configuration: configuration,
            mode: mode, durability: .commit, retention: retention,
            compactsAutomatically: compactsAutomatically, loading: .whenRead, log: log,
            types: [Author.self, Shelf.self], waitingSlotsMin: isWaiting ? 0 : .max,
            comparedImageMax: isLarge ? .zero : CheckpointFile.smallImageBytes)
    }

    /// A store with two images, the log between them, and some log behind, if any.
    private static func makeDisk(
        retention: Retention = .newestState, behind tail: Range<Int> = 30..<34
    ) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk, retention: retention)
        try CompactionTests.fill(store, 0..<20)
        try store.compact()
        try CompactionTests.fill(store, 20..<30)
        try store.compact()
        try CompactionTests.fill(store, tail)
        try store.close()
        return disk
    }

    private static func content(of disk: SimulatedDisk) throws -> String {
        describe(try open(disk, .readOnly, isLarge: false, isWaiting: false).context)
    }

    /// Changes a bit in blocks of an image: in all, or in one.
    private static func damage(
        _ file: String, _ number: Int? = nil, in disk: SimulatedDisk
    ) throws {
        let blocks = try blocks(of: file, in: disk)
        disk.corrupt(file) { bytes in
            for (position, block) in blocks.enumerated() where position == number ?? position {
                bytes[block + 50] ^= 0x10
            }
        }
    }

    private static func blocks(of file: String, in disk: SimulatedDisk) throws -> [Int] {
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        let reference = try #require(
            scanned.manifest.checkpoints.first { $0.file.text == file })
        return try scanned.open(reference).pages.filter { $0.key.kind == 7 }
            .map { Int($0.offset.rawValue) }
    }

    private static func waitingCount(_ store: Store) -> Int {
        store.context.tables.tables.unfilled.count { !$0.isFilled }
    }

    /// From where `await` is possible.
    private func suspend(_ store: Store) throws { try store.suspend() }

    private func wait(for end: DispatchSemaphore) { end.wait() }

    // MARK: Which openings leave it

    @Test("The opening of a small store compares all, and leaves nothing")
    func small() throws {
        let disk = try Self.makeDisk()
        #expect(try Self.open(disk, isLarge: false).checkpointLook == nil)
        try Self.damage(Self.newest, 0, in: disk)
        let store = try Self.open(disk, .readOnly, isLarge: false)
        #expect(store.checkpointLook == nil)
        #expect(store.recovery.checkpointProblems.map(\.file) == [Self.newest])
    }

    @Test("The opening of a large one reads no block")
    func large() throws {
        let disk = try Self.makeDisk(behind: 0..<0)
        let image = disk.image
        try Self.damage(Self.newest, in: disk)
        let store = try Self.open(disk)
        #expect(store.recovery.checkpointProblems.isEmpty && store.health.isSound)
        #expect(store.checkpointLook != nil)
        let sound = try Self.open(SimulatedDisk(image))
        sound.finishCheckpointLook()
        #expect(sound.health == StoreHealth())
        #expect(Self.waitingCount(sound) > 2)
    }

    // MARK: Damage

    @Test(
        "Damage is noted, and tables that wait are filled from the checkpoint before",
        arguments: [Store.Mode.readWrite, .readOnly])
    func checkpointBefore(mode: Store.Mode) throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let store = try Self.open(disk, mode)
        try Self.damage(Self.newest, in: disk)
        store.finishCheckpointLook()
        #expect(Self.waitingCount(store) == 0)
        #expect(!store.health.damages.isEmpty)
        for damage in store.health.damages {
            #expect(damage.file == Self.newest && damage.offset != nil)
            #expect(damage.repair == .rebuilt(from: Self.older))
        }
        #expect(difference(describe(store.context), expected) == nil)
        store.context.checkInvariants()
    }

    @Test(
        "Whichever block is damaged, it is noted, and what the store shows is the same",
        arguments: [false, true])
    func eachBlock(isWaiting: Bool) throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let count = try Self.blocks(of: Self.newest, in: disk).count
        #expect(count > 3)
        for block in 0..<count {
            let store = try Self.open(disk, .readOnly, isWaiting: isWaiting)
            try Self.damage(Self.newest, block, in: disk)
            store.finishCheckpointLook()
            #expect(store.health.damages.contains { $0.file == Self.newest && $0.offset != nil })
            #expect(Self.waitingCount(store) == 0)
            #expect(difference(describe(store.context), expected) == nil)
            try Self.damage(Self.newest, block, in: disk)
        }
    }

    @Test("A read that fails is noted and repaired like damage")
    func failedReads() throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let files = HookedFileSystem(disk)
        let store = try Self.open(files)
        files.setHook { operation, name, _ throws(FileSystemError) in
            guard operation == .read, name == Self.newest else { return }
            throw FileSystemError(.read, file: name, reason: .system(code: EIO))
        }
        store.finishCheckpointLook()
        #expect(store.health.damages.map(\.repair) == [.rebuilt(from: Self.older)])
        #expect(difference(describe(store.context), expected) == nil)
        files.setHook(nil)
    }

    @Test("Where no other file leads to the state, damage is noted, and what is sound is filled")
    func nothingLeads() throws {
        let disk = try Self.makeDisk()
        let count = try Self.blocks(of: Self.newest, in: disk).count
        try Self.damage(Self.older, in: disk)
        var filledCount = 0
        for block in 0..<count {
            let store = try Self.open(disk)
            let before = Self.waitingCount(store)
            try Self.damage(Self.newest, block, in: disk)
            store.finishCheckpointLook()
            let damages = store.health.damages.filter { $0.file == Self.newest }
            #expect(!damages.isEmpty && damages.allSatisfy { $0.offset != nil })
            #expect(!store.health.isSound && damages.contains { $0.repair == .none })
            filledCount += before - Self.waitingCount(store)
            try store.close()
            try Self.damage(Self.newest, block, in: disk)
        }
        #expect(filledCount > count)
    }

    @Test(
        "A store that compacts automatically replaces the checkpoint, whether tables wait or not",
        arguments: [false, true])
    func repairsItself(isWaiting: Bool) throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let ended = DispatchSemaphore(value: 0)
        let log = StoreLog { entry in
            if entry.event == .compaction, case .end? = entry.interval { ended.signal() }
        }
        let store = try Self.open(
            disk, isWaiting: isWaiting, compactsAutomatically: true, log: log)
        try Self.damage(Self.newest, in: disk)
        store.finishCheckpointLook()
        #expect(ended.wait(timeout: .now() + 120) == .success)
        #expect(store.health.isSound && !store.health.damages.isEmpty)
        #expect(difference(describe(store.context), expected) == nil)
        try store.close()
        #expect(try LogVerification.verify(disk).problems == [])
    }

    // MARK: Its course

    @Test("By itself it goes on in steps to the end, and says so")
    func background() async throws {
        let disk = try Self.makeDisk()
        let (files, continuation) = AsyncStream<String>.makeStream()
        let log = StoreLog { entry in
            if entry.event == .check { continuation.yield(entry.metadata["file"] ?? "") }
        }
        let store = try Self.open(disk, log: log)
        store.checkpointLook?.schedule(in: .milliseconds(0))
        var iterator = files.makeAsyncIterator()
        #expect(await iterator.next() == Self.newest)
        #expect(store.health == StoreHealth())
    }

    private enum Ending: CaseIterable { case closing, suspending, releasing }

    @Test("It ends with the store, at the page that it is at", arguments: Ending.allCases)
    private func ending(_ ending: Ending) async throws {
        let disk = try Self.makeDisk()
        let files = HookedFileSystem(disk)
        var store: Store? = try Self.open(files, isWaiting: false)
        let look = try #require(store?.checkpointLook)
        let (stops, continuation) = AsyncStream<Void>.makeStream()
        let go = DispatchSemaphore(value: 0)
        let reads = Lock(0)
        files.setHook { operation, name, _ in
            guard operation == .read, name == Self.newest else { return }
            reads.withLock { $0 += 1 }
            continuation.yield()
            go.wait()
        }
        let isOver = DispatchSemaphore(value: 0)
        // On a thread of its own: the hook blocks it.
        Thread.detachNewThread {
            look.finish()
            isOver.signal()
        }
        for await _ in stops.prefix(1) {}
        switch ending {
        case .closing: try store?.close()
        case .suspending: try suspend(try #require(store))
        case .releasing: look.end()
        }
        store = nil
        go.signal()
        wait(for: isOver)
        look.finish()
        #expect(reads.withLock { $0 } == 1)
        files.setHook(nil)
    }

    @Test("A suspension fills the tables, and the look does not begin again with the resumption")
    func resumed() throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let store = try Self.open(disk)
        try store.suspend()
        try Self.damage(Self.newest, in: disk)
        try store.resume()
        store.finishCheckpointLook()
        #expect(store.health == StoreHealth())
        #expect(difference(describe(store.context), expected) == nil)
        // The check of all files still finds it.
        #expect(try !store.checkFiles().isSound)
    }
}
