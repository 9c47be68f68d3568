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
    private typealias Base = LateDamageTests

    /// - Parameter isLarge: whether each image counts as a large one.
    private static func open(
        _ disk: any FileSystem, _ mode: Store.Mode = .readWrite, isLarge: Bool = true,
        isWaiting: Bool = true, compactsAutomatically: Bool = false, log: StoreLog? = nil
    ) throws -> Store {
        try Base.open(
            disk, mode, isWaiting: isWaiting, compactsAutomatically: compactsAutomatically,
            log: log, comparedImageMax: isLarge ? .zero : CheckpointFile.smallImageBytes)
    }

    /// Changes a bit in one block of an image.
    private static func damage(_ number: Int, in disk: SimulatedDisk) throws {
        let blocks = try Base.blocks(of: Base.newest, in: disk)
        Base.damage([blocks[number]], of: Base.newest, in: disk)
    }

    /// From where `await` is possible.
    private func suspend(_ store: Store) throws { try store.suspend() }

    private func wait(for end: DispatchSemaphore) { end.wait() }

    // MARK: Which openings leave it

    @Test("The opening of a small store compares all, and leaves nothing")
    func small() throws {
        let disk = try Base.makeDisk()
        #expect(try Self.open(disk, isLarge: false).checkpointLook == nil)
        try Self.damage(0, in: disk)
        let store = try Self.open(disk, .readOnly, isLarge: false)
        #expect(store.checkpointLook == nil)
        #expect(store.recovery.checkpointProblems.map(\.file) == [Base.newest])
    }

    @Test("The opening of a large one reads no block")
    func large() throws {
        let disk = try Base.makeDisk(behind: 0..<0)
        let image = disk.image
        try Base.damage(Base.newest, in: disk)
        let store = try Self.open(disk)
        #expect(store.recovery.checkpointProblems.isEmpty && store.health.isSound)
        #expect(store.checkpointLook != nil)
        let sound = try Self.open(SimulatedDisk(image))
        sound.finishCheckpointLook()
        #expect(sound.health == StoreHealth())
        #expect(Base.waitingCount(sound.context) > 2)
    }

    // MARK: Damage

    @Test(
        "Damage is noted, and stored tables are filled from the checkpoint before",
        arguments: [Store.Mode.readWrite, .readOnly])
    func checkpointBefore(mode: Store.Mode) throws {
        let disk = try Base.makeDisk()
        let expected = try Base.content(of: disk)
        let store = try Self.open(disk, mode)
        try Base.damage(Base.newest, in: disk)
        store.finishCheckpointLook()
        #expect(Base.waitingCount(store.context) == 0)
        #expect(!store.health.damages.isEmpty)
        for damage in store.health.damages {
            #expect(damage.file == Base.newest && damage.offset != nil)
            #expect(damage.repair == .rebuilt(from: Base.older))
        }
        #expect(difference(describe(store.context), expected) == nil)
        store.context.checkInvariants()
    }

    @Test(
        "Whichever block is damaged, it is noted, and what the store shows is the same",
        arguments: [false, true])
    func eachBlock(isWaiting: Bool) throws {
        let disk = try Base.makeDisk()
        let expected = try Base.content(of: disk)
        let count = try Base.blocks(of: Base.newest, in: disk).count
        #expect(count > 3)
        for block in 0..<count {
            let store = try Self.open(disk, .readOnly, isWaiting: isWaiting)
            try Self.damage(block, in: disk)
            store.finishCheckpointLook()
            #expect(store.health.damages.contains { $0.file == Base.newest && $0.offset != nil })
            #expect(Base.waitingCount(store.context) == 0)
            #expect(difference(describe(store.context), expected) == nil)
            try Self.damage(block, in: disk)
        }
    }

    @Test("A read that fails is noted and repaired like damage")
    func failedReads() throws {
        let disk = try Base.makeDisk()
        let expected = try Base.content(of: disk)
        let files = HookedFileSystem(disk)
        let store = try Self.open(files)
        files.refuseReads { $0 == Base.newest }
        store.finishCheckpointLook()
        #expect(store.health.damages.map(\.repair) == [.rebuilt(from: Base.older)])
        #expect(difference(describe(store.context), expected) == nil)
        files.setHook(nil)
    }

    @Test("Where no other file leads to the state, damage is noted, and what is sound is filled")
    func nothingLeads() throws {
        let disk = try Base.makeDisk()
        let count = try Base.blocks(of: Base.newest, in: disk).count
        try Base.damage(Base.older, in: disk)
        var filledCount = 0
        for block in 0..<count {
            let store = try Self.open(disk)
            let before = Base.waitingCount(store.context)
            try Self.damage(block, in: disk)
            store.finishCheckpointLook()
            let damages = store.health.damages.filter { $0.file == Base.newest }
            #expect(!damages.isEmpty && damages.allSatisfy { $0.offset != nil })
            #expect(!store.health.isSound && damages.contains { $0.repair == .none })
            filledCount += before - Base.waitingCount(store.context)
            try store.close()
            try Self.damage(block, in: disk)
        }
        #expect(filledCount > count)
    }

    @Test(
        "A store that compacts automatically replaces the checkpoint, whether tables wait or not",
        arguments: [false, true])
    func repairsItself(isWaiting: Bool) throws {
        let disk = try Base.makeDisk()
        let expected = try Base.content(of: disk)
        let (log, ended) = Base.logOfCompactions()
        let store = try Self.open(
            disk, isWaiting: isWaiting, compactsAutomatically: true, log: log)
        try Base.damage(Base.newest, in: disk)
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
        let disk = try Base.makeDisk()
        let (files, continuation) = AsyncStream<String>.makeStream()
        let log = StoreLog { entry in
            if entry.event == .check { continuation.yield(entry.metadata["file"] ?? "") }
        }
        let store = try Self.open(disk, log: log)
        // A page a step.
        store.checkpointLook?.schedule(
            .init(delay: .milliseconds(0), workTime: .zero, pause: .milliseconds(0)))
        var iterator = files.makeAsyncIterator()
        #expect(await iterator.next() == Base.newest)
        #expect(store.health == StoreHealth())
    }

    private enum Ending: CaseIterable { case closing, suspending }

    @Test("It ends with the store, at the page that it is at", arguments: Ending.allCases)
    private func ending(_ ending: Ending) async throws {
        let disk = try Base.makeDisk()
        let files = HookedFileSystem(disk)
        var store: Store? = try Self.open(files, isWaiting: false)
        let look = try #require(store?.checkpointLook)
        let (stops, continuation) = AsyncStream<Void>.makeStream()
        let go = DispatchSemaphore(value: 0)
        let reads = Lock(0)
        files.setHook { operation, name, _ in
            guard operation == .read, name == Base.newest else { return }
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
        }
        store = nil
        go.signal()
        wait(for: isOver)
        look.finish()
        #expect(reads.withLock { $0 } == 1)
        files.setHook(nil)
    }

    @Test("A store that is released takes the look with it")
    func released() throws {
        var store: Store? = try Self.open(try Base.makeDisk())
        weak let look = store?.checkpointLook
        #expect(look != nil)
        store = nil
        #expect(look == nil)
    }

    @Test("A suspension fills the tables, and the look does not begin again with the resumption")
    func resumed() throws {
        let disk = try Base.makeDisk()
        let expected = try Base.content(of: disk)
        let store = try Self.open(disk)
        try store.suspend()
        try Base.damage(Base.newest, in: disk)
        try store.resume()
        store.finishCheckpointLook()
        #expect(store.health == StoreHealth())
        #expect(difference(describe(store.context), expected) == nil)
        // The check of all files still finds it.
        #expect(try !store.checkFiles().isSound)
    }
}
