import Foundation
import Testing
import VarveLog
import VarveReplay
import VarveTestSupport

@testable import Varve

@Suite("The health of a store", .timeLimit(.minutes(5)))
struct StoreHealthTests {
    private static let older = "checkpoint-0000000001"
    private static let newest = "checkpoint-0000000002"

    /// A store with two images, the log between them, and some log behind.
    private static func store(
        in fileSystem: any FileSystem, retention: Retention = .newestState
    ) throws -> Store {
        let store = try CompactionTests.open(fileSystem, retention: retention)
        try CompactionTests.fill(store, 0..<20)
        try store.compact()
        try CompactionTests.fill(store, 20..<30)
        try store.compact()
        try CompactionTests.fill(store, 30..<34)
        return store
    }

    /// Changes a bit in the middle of each block of a checkpoint.
    private static func damageBlocks(_ disk: SimulatedDisk, _ file: String) throws {
        let number = UInt64(file.dropFirst("checkpoint-".count)) ?? 0
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        let reference = try #require(scanned.manifest.checkpoints.first { $0.number == number })
        let blocks = try scanned.open(reference).imageRanges().blocks
        #expect(blocks.count > 3)
        disk.corrupt(file) { bytes in
            for block in blocks { bytes[block.lowerBound + 2] ^= 0x10 }
        }
    }

    /// Refuses reads of a file's bytes.
    private static func refuse(
        _ file: String, in files: HookedFileSystem, from first: Int = 0, count: Int = .max
    ) {
        let reads = Lock(0)
        files.setHook { operation, name, _ throws(FileSystemError) in
            guard operation == .read, name == file else { return }
            let number = reads.withLock { reads in
                defer { reads += 1 }
                return reads
            }
            guard number >= first, number - first < count else { return }
            throw FileSystemError(.read, file: name, reason: .system(code: EIO))
        }
    }

    // MARK: Compactions

    @Test(
        "A compaction whose checkpoint turns out damaged begins with the one before, and writes a sound one",
        arguments: [false, true])
    func compaction(refusesReads: Bool) throws {
        let disk = SimulatedDisk()
        let files = HookedFileSystem(disk)
        let store = try Self.store(in: files)
        let expected = describe(store.context)
        #expect(store.health == StoreHealth() && store.health.isSound)
        if refusesReads {
            Self.refuse(Self.newest, in: files)
        } else {
            try Self.damageBlocks(disk, Self.newest)
        }
        let report = try store.compact()
        files.setHook(nil)
        #expect(report.checkpoint == store.lastTransaction)
        #expect(store.health.isSound && !store.health.damages.isEmpty)
        for damage in store.health.damages {
            #expect(damage.file == Self.newest && damage.repair == .replaced)
            #expect(damage.offset != nil || refusesReads)
            #expect(damage.description.contains(Self.newest))
        }
        try store.close()
        #expect(try LogVerification.verify(disk).problems == [])
        #expect(disk.image.files[Self.newest] == nil && disk.image.files[Self.older] != nil)
        let opened = try CompactionTests.open(disk, seed: 2)
        #expect(opened.recovery.checkpointProblems.isEmpty)
        #expect(opened.recovery.checkpoint.rawValue == report.checkpoint.rawValue)
        #expect(difference(expected, describe(opened.context)) == nil)
    }

    @Test("A compaction goes on where a check finds its checkpoint damaged meanwhile")
    func checkBesideCompaction() throws {
        let disk = SimulatedDisk()
        let store = try Self.store(in: disk)
        let expected = describe(store.context)
        var hasChecked = false
        let report = try store.compact { progress in
            guard progress.phase == .reading, !hasChecked else { return }
            hasChecked = true
            do {
                try Self.damageBlocks(disk, Self.newest)
                let health = try store.checkFiles()
                #expect(health.damages.contains { $0.repair == .rebuilt(from: Self.older) })
            } catch {
                Issue.record(error)
            }
        }
        #expect(hasChecked && report.checkpoint == store.lastTransaction && store.health.isSound)
        try store.close()
        #expect(try LogVerification.verify(disk).problems == [])
        let opened = try CompactionTests.open(disk, seed: 2)
        #expect(difference(expected, describe(opened.context)) == nil)
    }

    @Test("A backup leaves out a checkpoint that is damaged while the segments are copied")
    func damageUnderBackup() throws {
        let (disk, copy) = (SimulatedDisk(), SimulatedDisk())
        let store = try Self.store(in: disk)
        let expected = describe(store.context)
        try store.close()
        var hasDamaged = false
        let report = try LogBackup.run(from: disk, to: copy) {
            // Called first when the checkpoints were read, and are to be copied behind the segments.
            if !hasDamaged {
                #expect(throws: Never.self) { try Self.damageBlocks(disk, Self.newest) }
            }
            hasDamaged = true
            return false
        }
        #expect(report.checkpointProblems.map(\.file) == [Self.newest])
        let opened = try CompactionTests.open(copy, seed: 2)
        #expect(opened.recovery.checkpointProblems.isEmpty)
        #expect(difference(expected, describe(opened.context)) == nil)
    }

    @Test("A compaction with both checkpoints damaged begins with the whole log")
    func wholeLog() throws {
        let disk = SimulatedDisk()
        let store = try Self.store(in: disk, retention: .everything)
        let expected = describe(store.context)
        try Self.damageBlocks(disk, Self.newest)
        try Self.damageBlocks(disk, Self.older)
        try store.compact(for: .size)
        #expect(store.health.isSound && Set(store.health.damages.map(\.file)).count == 2)
        try store.close()
        #expect(try LogVerification.verify(disk).problems == [])
        let opened = try CompactionTests.open(disk, seed: 2)
        #expect(difference(expected, describe(opened.context)) == nil)
    }

    @Test(
        "Without anything to begin with, a compaction fails with a typed error, and a later one goes well"
    )
    func nothingToFallBackTo() throws {
        let disk = SimulatedDisk()
        let files = HookedFileSystem(disk)
        let store = try Self.store(in: files)
        let expected = describe(store.context)
        Self.refuse(Self.newest, in: files)
        try Self.damageBlocks(disk, Self.older)
        for _ in 0..<2 {
            #expect {
                try store.compact()
            } throws: {
                guard case StoreError.log(.checkpointDamaged(Self.older, let offset, _)) = $0 else {
                    return false
                }
                return offset != nil
            }
            let lost = store.health.damages.filter { $0.repair == .none }
            #expect(!store.health.isSound && Set(lost.map(\.file)) == [Self.older])
            #expect(difference(expected, describe(store.context)) == nil)
        }
        // The newest can be read again.
        files.setHook(nil)
        try store.compact()
        try store.compact(for: .size)
        #expect(store.health.isSound)
        #expect(try LogVerification.verify(disk).problems == [])
    }

    @Test("A check finds the newest checkpoint damaged, and the next compaction replaces it")
    func replacement() throws {
        let disk = SimulatedDisk()
        let store = try Self.store(in: disk)
        // The newest state has a checkpoint: such a compaction writes none.
        try store.compact()
        let newest = "checkpoint-0000000003"
        try Self.damageBlocks(disk, newest)
        let health = try store.checkFiles()
        #expect(health.lastCheck != nil && !health.isSound)
        #expect(
            health.damages.allSatisfy {
                $0.file == newest && $0.repair == .rebuilt(from: Self.newest) && $0.offset != nil
            })
        let report = try store.compact()
        #expect(report.checkpointBytes != nil && store.health.isSound)
        #expect(try LogVerification.verify(disk).problems == [])
    }

    // MARK: Opening

    @Test(
        "Wherever a read of the newest checkpoint fails, an opening has the same state and says so")
    func opening() throws {
        let disk = SimulatedDisk()
        let written = try Self.store(in: disk)
        let expected = describe(written.context)
        try written.close()
        let whole = HookedFileSystem(SimulatedDisk(disk.image))
        let reads = Lock(0)
        whole.setHook { operation, name, _ in
            if operation == .read, name == Self.newest { reads.withLock { $0 += 1 } }
        }
        try CompactionTests.open(whole, seed: 2).close()
        let count = reads.withLock { $0 }
        #expect(count > 20)
        var fallbackCount = 0
        for number in 0..<count {
            for mode in [Store.Mode.readWrite, .readOnly] {
                let files = HookedFileSystem(SimulatedDisk(disk.image))
                Self.refuse(Self.newest, in: files, from: number)
                let place = "read \(number), \(mode)"
                do {
                    let store = try CompactionTests.open(files, seed: 3, mode: mode)
                    #expect(difference(expected, describe(store.context)) == nil, "\(place)")
                    let problems = store.recovery.checkpointProblems.map(\.file)
                    #expect(problems == store.health.damages.map(\.file), "\(place)")
                    guard !problems.isEmpty else { continue }
                    fallbackCount += 1
                    #expect(problems == [Self.newest], "\(place)")
                    #expect(
                        store.health.damages.allSatisfy {
                            $0.repair == .rebuilt(from: Self.older)
                        }, "\(place)")
                } catch StoreError.log(.fileSystem(let error)) {
                    #expect(error.file == Self.newest, "\(place)")
                }
            }
        }
        #expect(fallbackCount > count)
    }

    @Test("A reader whose checkpoint fails while it follows reads the log anew, and goes on")
    func following() throws {
        let disk = SimulatedDisk()
        let writer = try Self.store(in: disk)
        try writer.flush()
        let files = HookedFileSystem(disk)
        let reader = try CompactionTests.open(files, seed: 2, mode: .readOnly)
        var number = 40
        for first in stride(from: 0, to: 60, by: 3) {
            number += 1
            try CompactionTests.fill(writer, number..<(number + 1))
            try writer.flush()
            Self.refuse(Self.newest, in: files, from: first, count: 3)
            let refresh = try? reader.refresh()
            files.setHook(nil)
            if refresh == nil { _ = try reader.refresh() }
            #expect(
                difference(describe(writer.context), describe(reader.context)) == nil, "\(first)")
        }
    }

    // MARK: The past

    @Test("A state of the past is had without the checkpoint that turns out damaged")
    func past() throws {
        let disk = SimulatedDisk()
        let files = HookedFileSystem(disk)
        let store = try Self.store(in: files, retention: .everything)
        var expected: [UInt64: String] = [:]
        for transaction: UInt64 in [5, 19, 21, 29, 31] {
            expected[transaction] = describe(
                try store.context(asOf: .transaction(TransactionID(transaction)), .back))
        }
        for refusesReads in [true, false] {
            if refusesReads {
                Self.refuse(Self.older, in: files)
            } else {
                files.setHook(nil)
                try Self.damageBlocks(disk, Self.older)
            }
            for (transaction, text) in expected {
                let past = try store.context(
                    asOf: .transaction(TransactionID(transaction)), .forth)
                #expect(difference(text, describe(past)) == nil, "\(transaction)")
            }
        }
        let damages = store.health.damages
        #expect(Set(damages.map(\.file)) == [Self.older])
        #expect(damages.allSatisfy { $0.repair == .rebuilt(from: nil) })
    }

    // MARK: Checks

    @Test("A check names each file that is not what was written, and nothing of a sound store")
    func check() throws {
        let disk = SimulatedDisk()
        let store = try Self.store(in: disk, retention: .everything)
        #expect(try store.checkFiles().damages.isEmpty)
        let files = disk.image.files.keys.sorted().filter {
            $0.hasPrefix("checkpoint") || $0.hasPrefix("segment")
        }
        // The last one is being written.
        for file in files.dropLast() {
            let bytes = try #require(disk.image.files[file])
            disk.corrupt(file) { $0[bytes.count / 2] ^= 1 }
            let health = try store.checkFiles()
            #expect(health.damages.contains { $0.file == file }, "\(file)")
            disk.corrupt(file) { $0 = bytes }
        }
        #expect(files.count > 4)
        let reader = try CompactionTests.open(disk, seed: 2, mode: .readOnly)
        #expect {
            try reader.checkFiles()
        } throws: {
            if case StoreError.readOnly = $0 { true } else { false }
        }
        try store.close()
        #expect {
            try store.checkFiles()
        } throws: {
            if case StoreError.closed = $0 { true } else { false }
        }
    }

    @Test("A check in the background reports damage, and lets a compaction replace the checkpoint")
    func background() async throws {
        let disk = SimulatedDisk()
        let (entries, continuation) = AsyncStream<StoreLog.Event>.makeStream()
        let log = StoreLog { entry in
            // The end of a compaction, and not its beginning.
            if entry.level != .debug { continuation.yield(entry.event) }
        }
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(8_192)
        configuration.automaticCompactionBytesMin = ByteCount(1 << 40)
        let store = try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1), configuration: configuration,
            mode: .readWrite, durability: .commit, retention: .newestState, log: log,
            types: [Author.self, Shelf.self])
        try fill(store)
        try Self.damageBlocks(disk, Self.newest)
        store.fileChecker?.begin()
        var events: [StoreLog.Event] = []
        for await event in entries {
            events.append(event)
            // The compaction that the damage asks for may end before the check does.
            guard let damage = events.firstIndex(of: .damage) else { continue }
            if events.contains(.check), events[damage...].contains(.compaction) { break }
        }
        #expect(events.contains(.damage))
        #expect(store.health.isSound && !store.health.damages.isEmpty)
        #expect(store.health.lastCheck != nil)
        try store.close()
        #expect(try LogVerification.verify(disk).problems == [])
    }

    /// A store whose checks stop at the first read of a checkpoint until `go` is signalled; the stream tells of each stop.
    private static func stopping(
        _ disk: SimulatedDisk, log: StoreLog? = nil
    ) throws -> (store: Store, files: HookedFileSystem, stops: AsyncStream<Void>, DispatchSemaphore)
    {
        let files = HookedFileSystem(disk)
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(8_192)
        let store = try Store(
            in: files, environment: SimulatedEnvironment(seed: 1), configuration: configuration,
            mode: .readWrite, durability: .commit, retention: .newestState,
            compactsAutomatically: false, log: log, types: [Author.self, Shelf.self])
        try CompactionTests.fill(store, 0..<20)
        try store.compact()
        try CompactionTests.fill(store, 20..<30)
        let (stops, continuation) = AsyncStream<Void>.makeStream()
        let go = DispatchSemaphore(value: 0)
        files.setHook { operation, name, _ in
            guard operation == .read, name == Self.older else { return }
            continuation.yield()
            go.wait()
        }
        return (store, files, stops, go)
    }

    @Test("A check that is cancelled, before or meanwhile, ends early and notes nothing")
    func cancelled() async throws {
        let disk = SimulatedDisk()
        let (store, files, stops, go) = try Self.stopping(disk)
        let check = Task { try await store.checkFiles() }
        for await _ in stops.prefix(1) {}
        check.cancel()
        files.setHook(nil)
        go.signal()
        await #expect(throws: CancellationError.self) { try await check.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.checkFiles()
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(store.health == StoreHealth())
        #expect(try await store.checkFiles().lastCheck != nil)
    }

    @Test(
        "A check in the background that a suspension interrupts goes on when the store is resumed")
    func interrupted() async throws {
        let disk = SimulatedDisk()
        let (checks, continuation) = AsyncStream<Void>.makeStream()
        let log = StoreLog { entry in
            if entry.event == .check { continuation.yield() }
        }
        let (store, files, stops, go) = try Self.stopping(disk, log: log)
        let checker = try #require(store.fileChecker)
        let begun = Task.detached { checker.begin() }
        for await _ in stops.prefix(1) {}
        try suspend(store)
        files.setHook(nil)
        go.signal()
        await begun.value
        // One that is due while the store is suspended is made up for as well.
        checker.begin()
        #expect(store.health.lastCheck == nil)
        try resume(store)
        for await _ in checks.prefix(1) {}
        #expect(store.health.lastCheck != nil && store.health.isSound)
    }

    /// From where `await` is possible.
    private func suspend(_ store: Store) throws { try store.suspend() }

    private func resume(_ store: Store) throws { try store.resume() }

    @Test("Of very many damaged places, those in files that were replaced are forgotten first")
    func bound() {
        let record = HealthRecord()
        record.note(.checkpointDamaged(file: Self.older, offset: nil, reason: "the first"))
        for number in 0..<300 {
            record.note(
                .checkpointDamaged(file: Self.newest, offset: nil, reason: "block \(number)"))
            record.noteReplacement { $0 == Self.older }
        }
        #expect(record.health.damages.count == 256)
        #expect(record.health.damages.map(\.reason).first == "the first")
        #expect(!record.health.isSound)
    }

    /// From where `await` is possible.
    private func fill(_ store: Store) throws {
        try CompactionTests.fill(store, 0..<20)
        try store.compact()
        try CompactionTests.fill(store, 20..<30)
        try store.compact()
    }
}
