import Foundation
import Testing
import VarveGraph
import VarveLog
import VarveReplay
import VarveTestSupport

@testable import Varve

/// Blocks of a checkpoint that change after an opening, before stored tables read them.
@Suite("Damage under stored tables", .timeLimit(.minutes(5)))
struct LateDamageTests {
    static let older = "checkpoint-0000000001"
    static let newest = "checkpoint-0000000002"

    static func open(
        _ disk: any FileSystem, _ mode: Store.Mode = .readWrite, isWaiting: Bool = true,
        retention: Retention = .newestState, durability: Durability = .commit,
        compactsAutomatically: Bool = false, log: StoreLog? = nil,
        comparedImageMax: ByteCount = CheckpointFile.smallImageBytes, fitsMemory: Bool = true
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: mode, durability: durability,
            retention: retention, compactsAutomatically: compactsAutomatically,
            loading: .whenRead, memory: fitsMemory ? .standard : .megabytes(0), log: log,
            types: [Author.self, Shelf.self],
            waitingSlotsMin: isWaiting ? 0 : .max, comparedImageMax: comparedImageMax)
    }

    /// A store with two images, the log between them, and some log behind, if any.
    static func makeDisk(
        retention: Retention = .newestState, behind tail: Range<Int> = 30..<34
    ) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk, retention: retention)
        try CompactionTests.fill(store, 0..<20)
        try store.compact()
        try CompactionTests.fill(store, 20..<30)
        try store.write { try Shelf(id: "s", label: "new", books: .ids([3, 1])).save(to: &$0) }
        try store.compact()
        try CompactionTests.fill(store, tail)
        try store.close()
        return disk
    }

    static func content(of disk: SimulatedDisk) throws -> String {
        describe(try open(disk, .readOnly, isWaiting: false).context)
    }

    /// The places of an image's blocks.
    static func blocks(of file: String, in disk: SimulatedDisk) throws -> [Int] {
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        let reference = try #require(
            scanned.manifest.checkpoints.first { $0.file.text == file })
        return try scanned.open(reference).imageRanges().blocks.map(\.lowerBound)
    }

    static func damage(_ blocks: [Int], of file: String, in disk: SimulatedDisk) {
        disk.corrupt(file) { bytes in
            for block in blocks { bytes[block + 2] ^= 0x10 }
        }
    }

    /// Damages all blocks of images.
    static func damage(_ files: String..., in disk: SimulatedDisk) throws {
        for file in files { damage(try blocks(of: file, in: disk), of: file, in: disk) }
    }

    /// A log that signals the end of each compaction.
    static func logOfCompactions() -> (log: StoreLog, ended: DispatchSemaphore) {
        let ended = DispatchSemaphore(value: 0)
        let log = StoreLog { entry in
            if entry.event == .compaction, case .end? = entry.interval { ended.signal() }
        }
        return (log, ended)
    }

    /// Whether books are in memory as a whole.
    private static func holdsBooks(_ context: Context) -> Bool {
        context.tables.tables.unfilled.contains {
            $0.descriptor.name == "Book" && $0.hasFilled && $0.liveCount > 0
        }
    }

    static func waitingCount(_ context: Context) -> Int {
        context.tables.tables.unfilled.count { !$0.hasFilled }
    }

    @Test(
        "Tables are filled from the checkpoint before, which the health of the store says",
        arguments: [Store.Mode.readWrite, .readOnly])
    func checkpointBefore(mode: Store.Mode) throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let store = try Self.open(disk, mode)
        try Self.damage(Self.blocks(of: Self.newest, in: disk), of: Self.newest, in: disk)
        let context = store.context
        let author: Author? = context.find("a3")
        #expect(author?.name == "after 31")
        #expect(difference(describe(context), expected) == nil)
        context.checkInvariants()
        #expect(!store.health.damages.isEmpty)
        for damage in store.health.damages {
            #expect(damage.file == Self.newest && damage.offset != nil)
            #expect(damage.repair == .rebuilt(from: Self.older))
        }
        guard mode == .readWrite else { return }
        try store.write { try Author.delete(id: "a1", from: &$0) }
        try store.compact()
        #expect(store.health.damages.allSatisfy { $0.repair == .replaced })
        let now = describe(store.context)
        try store.close()
        #expect(try LogVerification.verify(disk).problems == [])
        #expect(difference(try Self.content(of: disk), now) == nil)
    }

    /// New ids in lists, changes, and deletions, of entities in all blocks.
    private static func write(to store: Store) throws {
        try store.write { context in
            try Author(id: "new", name: "new", books: .ids([900, 3, 901, 40, 902])).save(
                to: &context)
            try Shelf(id: "s", label: "newer", books: .ids([903, 904, 1])).save(to: &context)
            guard var book: Book = context.find(70) else { return }
            book.$related = .ids([905, 71, 906])
            try book.save(to: &context)
            try Book.delete(id: 45, from: &context)
        }
        try store.undo()
        try store.redo()
        try store.write { try Book(id: 907, title: "last", author: .id("a2")).save(to: &$0) }
    }

    @Test("Whichever block is damaged, what is written is the same", arguments: [true, false])
    func writesBehindDamage(fitsMemory: Bool) throws {
        let image = try Self.makeDisk().image
        func disk() -> SimulatedDisk {
            let disk = SimulatedDisk()
            disk.restart(with: image)
            return disk
        }
        let undamaged = try Self.open(disk(), isWaiting: false)
        try Self.write(to: undamaged)
        // Renewals of tables look at the clock too.
        let text = fitsMemory ? describe : VarveTests.content
        let expected = text(undamaged.context)
        var metCount = 0
        for block in try Self.blocks(of: Self.newest, in: disk()) {
            let disk = disk()
            let store = try Self.open(disk, fitsMemory: fitsMemory)
            Self.damage([block], of: Self.newest, in: disk)
            try Self.write(to: store)
            metCount += store.health.damages.isEmpty ? 0 : 1
            let found = text(store.context)
            #expect(difference(found, expected) == nil, "block at \(block)")
            #expect(Self.holdsBooks(store.context) == fitsMemory)
            store.context.checkInvariants()
            try store.close()
            Self.damage([block], of: Self.newest, in: disk)
            let reopened = try Self.open(disk, .readOnly, isWaiting: false)
            let read = text(reopened.context)
            #expect(difference(read, expected) == nil, "block at \(block)")
        }
        #expect(metCount > 3)
    }

    @Test(
        "Whichever block is damaged, all that a store shows is the same", arguments: [true, false])
    func eachBlock(fitsMemory: Bool) throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let blocks = try Self.blocks(of: Self.newest, in: disk)
        #expect(blocks.count > 3)
        var metCount = 0
        for block in blocks {
            let store = try Self.open(disk, .readOnly, fitsMemory: fitsMemory)
            Self.damage([block], of: Self.newest, in: disk)
            #expect(difference(describe(store.context), expected) == nil)
            #expect(Self.holdsBooks(store.context) == fitsMemory)
            store.context.checkInvariants()
            metCount += store.health.damages.isEmpty ? 0 : 1
            Self.damage([block], of: Self.newest, in: disk)
        }
        #expect(metCount > 3)
    }

    @Test("A follower that took in what another store wrote is filled as before")
    func follower() throws {
        let disk = try Self.makeDisk()
        let follower = try Self.open(disk, .readOnly)
        let writer = try Self.open(disk)
        try writer.write { try Shelf(id: "t", label: "later", books: .ids([2])).save(to: &$0) }
        let expected = describe(writer.context)
        try writer.close()
        try follower.refresh()
        try Self.damage(Self.blocks(of: Self.newest, in: disk), of: Self.newest, in: disk)
        #expect(difference(describe(follower.context), expected) == nil)
        follower.context.checkInvariants()
    }

    @Test("A store that was suspended while another one wrote is filled as before")
    func resumed() throws {
        let disk = try Self.makeDisk()
        let store = try Self.open(disk)
        try store.suspend()
        let other = try Self.open(disk)
        try other.write { try Shelf(id: "t", label: "later", books: .ids([2])).save(to: &$0) }
        let expected = describe(other.context)
        try other.close()
        try store.resume()
        try Self.damage(Self.blocks(of: Self.newest, in: disk), of: Self.newest, in: disk)
        #expect(difference(describe(store.context), expected) == nil)
        store.context.checkInvariants()
        try store.write { try Author.delete(id: "a1", from: &$0) }
        let now = describe(store.context)
        try store.close()
        #expect(difference(try Self.content(of: disk), now) == nil)
    }

    @Test("A read that fails is repaired like damage")
    func failedReads() throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let files = HookedFileSystem(disk)
        let store = try Self.open(files)
        files.refuseReads { $0 == Self.newest }
        #expect(difference(describe(store.context), expected) == nil)
        #expect(store.health.damages.map(\.file) == [Self.newest])
        #expect(store.health.damages.map(\.repair) == [.rebuilt(from: Self.older)])
        files.setHook(nil)
    }

    @Test("Where neither checkpoint can be read, tables are filled from the whole log")
    func failedReadsOfBoth() throws {
        let disk = try Self.makeDisk(retention: .everything)
        let expected = try Self.content(of: disk)
        let files = HookedFileSystem(disk)
        let store = try Self.open(files, retention: .everything)
        files.refuseReads { $0.hasPrefix("checkpoint") }
        #expect(difference(describe(store.context), expected) == nil)
        files.setHook(nil)
    }

    @Test("With both checkpoints damaged, tables are filled from the whole log")
    func wholeLog() throws {
        let disk = try Self.makeDisk(retention: .everything)
        let expected = try Self.content(of: disk)
        let store = try Self.open(disk, retention: .everything)
        for file in [Self.older, Self.newest] {
            try Self.damage(Self.blocks(of: file, in: disk), of: file, in: disk)
        }
        #expect(difference(describe(store.context), expected) == nil)
        #expect(Set(store.health.damages.map(\.file)) == [Self.older, Self.newest])
        #expect(store.health.damages.allSatisfy { $0.repair == .rebuilt(from: nil) })
    }

    @Test("A compaction fills the tables that nothing else will lead to, and no others")
    func droppedWay() throws {
        let disk = try Self.makeDisk(retention: .everything)
        let expected = try Self.content(of: disk)
        let store = try Self.open(disk, retention: .everything)
        let context = store.context
        try store.write { try Profile(id: "p", text: "one").save(to: &$0) }
        let before = Self.waitingCount(context)
        #expect(before > 2)
        // The log leads to them from its beginning.
        try store.compact()
        #expect(Self.waitingCount(context) == before && disk.image.files[Self.older] == nil)
        try store.compact(retaining: .newestState)
        #expect(Self.waitingCount(context) == 0 && disk.image.files[Self.newest] != nil)
        try Self.damage(Self.newest, in: disk)
        #expect(difference(describe(context), expected) == nil)
    }

    @Test("A compaction fills the stored tables of a checkpoint that it drops")
    func droppedCheckpoint() throws {
        let disk = try Self.makeDisk(retention: .everything)
        let store = try Self.open(disk, retention: .everything)
        let context = store.context
        for text in ["one", "two"] {
            #expect(Self.waitingCount(context) > 0)
            try store.write { try Profile(id: "p", text: text).save(to: &$0) }
            try store.compact()
        }
        #expect(Self.waitingCount(context) == 0 && disk.image.files[Self.newest] == nil)
    }

    @Test("Stored tables have the state of their opening, whatever was written since")
    func laterWrites() throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let reader = try Self.open(disk, .readOnly)
        let writer = try Self.open(disk)
        try CompactionTests.fill(writer, 34..<40)
        try writer.write { try Shelf.delete(id: "s", from: &$0) }
        let now = describe(writer.context)
        try writer.close()
        let waiting = try Self.open(disk)
        try waiting.write { try Author(id: "new", name: "new").save(to: &$0) }
        try Self.damage(Self.blocks(of: Self.newest, in: disk), of: Self.newest, in: disk)
        #expect(difference(describe(reader.context), expected) == nil)
        try waiting.undo()
        #expect(difference(describe(waiting.context), now) == nil)
        waiting.context.checkInvariants()
    }

    @Test("Another course of the log, which was put in the place of the store, fills nothing")
    func anotherCourse() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (disk, other) = (try LateDamageTests.makeDisk(), SimulatedDisk())
            let store = try LateDamageTests.open(disk, .readOnly, retention: .everything)
            let longer = try LateDamageTests.open(other, retention: .everything)
            try CompactionTests.fill(longer, 0..<60)
            try longer.close()
            try LateDamageTests.damage(
                LateDamageTests.blocks(of: LateDamageTests.newest, in: disk),
                of: LateDamageTests.newest, in: disk)
            for name in disk.image.files.keys where name != LateDamageTests.newest {
                try disk.remove(name)
            }
            for (name, bytes) in other.image.files {
                let file = try disk.open(name, .createExclusive)
                bytes.withUnsafeBytes { bytes in
                    try? file.writeAll(bytes, at: FrameOffset(0), name: name)
                }
            }
            print(describe(store.context))
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains(Self.newest), "\(message)")
    }

    @Test("A store that compacts automatically replaces what tables met, and says so")
    func repairsItself() throws {
        let disk = try Self.makeDisk()
        let (log, ended) = Self.logOfCompactions()
        let store = try Self.open(disk, compactsAutomatically: true, log: log)
        try Self.damage(Self.blocks(of: Self.newest, in: disk), of: Self.newest, in: disk)
        _ = describe(store.context)
        #expect(ended.wait(timeout: .now() + 120) == .success)
        #expect(store.health.isSound && !store.health.damages.isEmpty)
        try store.close()
        #expect(try LogVerification.verify(disk).problems == [])
    }

    @Test("Many threads that meet one damaged block see one content")
    func threads() throws {
        let disk = try Self.makeDisk()
        let expected = try Self.content(of: disk)
        let store = try Self.open(disk)
        try Self.damage(Self.blocks(of: Self.newest, in: disk), of: Self.newest, in: disk)
        let context = store.context
        let differences = Lock<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            guard let found = difference(describe(context), expected) else { return }
            differences.withLock { $0.append(found) }
        }
        #expect(differences.withLock { $0 } == [])
    }

    @Test("Where no other file leads to the state, the message names file and offset")
    func nothingLeads() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let disk = try LateDamageTests.makeDisk()
            let store = try LateDamageTests.open(disk)
            for file in [LateDamageTests.older, LateDamageTests.newest] {
                try LateDamageTests.damage(
                    LateDamageTests.blocks(of: file, in: disk), of: file, in: disk)
            }
            print(describe(store.context))
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains(Self.newest) && message.contains("offset"), "\(message)")
    }
}
