import Foundation
import Synchronization
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Backups")
struct BackupTests {
    /// A directory for stores, removed with its last reference.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-backup-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func store(_ name: String) -> URL { url.appendingPathComponent(name) }

        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
        }
    }

    private func add(_ number: Int, to store: Store) throws {
        try store.write("Add \(number)") { context in
            try Author(
                id: "a\(number % 7)", name: "after \(number)",
                books: .appending(relation: [Book(id: number, title: "book \(number)")])
            ).save(to: &context)
        }
    }

    private func expectSame(_ first: Context, _ second: Context) {
        #expect(difference(describe(first), describe(second)) == nil)
    }

    @Test("A backup is a store of its own with everything that was acknowledged")
    func backup() throws {
        let folder = try Folder()
        let store = try Store(at: folder.store("live"), Author.self)
        for number in 0..<40 { try add(number, to: store) }
        let report = try store.backup(to: folder.store("copy"))
        let then = store.context
        try add(40, to: store)
        #expect(report.last.rawValue == 40 && report.transactions == 40)
        #expect(report.store != report.source && report.checkpointProblems.isEmpty)
        let copy = try Store(at: folder.store("copy"), Author.self)
        expectSame(copy.context, then)
        #expect(copy.recovery.endedCleanly)
        // Both go on, each its own way.
        try add(77, to: copy)
        #expect(copy.lastTransaction.rawValue == 41 && store.lastTransaction.rawValue == 41)
        #expect(try folder.names == ["copy", "live"])
    }

    @Test("Checkpoints, floor and retention are in the backup, and it can be compacted")
    func compacted() throws {
        let folder = try Folder()
        let store = try Store(at: folder.store("live"), Author.self)
        for number in 0..<30 { try add(number, to: store) }
        try store.compact(retaining: .transactions(5))
        for number in 30..<45 { try add(number, to: store) }
        try store.compact(retaining: .transactions(5))
        try add(45, to: store)
        let report = try store.backup(to: folder.store("copy"))
        #expect(report.floor.rawValue == store.floor.rawValue)
        try store.close()
        let copy = try Store(at: folder.store("copy"), Author.self)
        #expect(copy.recovery.checkpoint.rawValue == 45 && copy.floor == store.floor)
        expectSame(copy.context, store.context)
        try copy.compact(retaining: Retention.newestState)
        expectSame(copy.context, store.context)
    }

    @Test("The checkpoint of a compaction for size is in the backup as it is")
    func compactedForSize() throws {
        let folder = try Folder()
        let store = try Store(at: folder.store("live"), Author.self)
        for number in 0..<40 { try add(number, to: store) }
        let quick = try #require(try store.compact().checkpointBytes)
        let bytes = try #require(try store.compact(for: .size).checkpointBytes)
        let report = try store.backup(to: folder.store("copy"))
        let file = try Data(
            contentsOf: folder.store("copy").appendingPathComponent("checkpoint-0000000002"))
        #expect(UInt64(file.count) == bytes.rawValue && bytes < quick)
        #expect(report.bytes.rawValue >= bytes.rawValue)
        expectSame(try Store(at: folder.store("copy"), Author.self).context, store.context)
    }

    @Test("Row 18: while writers and compactions go on, each backup is one moment of the store")
    func live() throws {
        let folder = try Folder()
        let store = try Store(
            at: folder.store("live"), durability: .none, compactsAutomatically: false, Author.self)
        for number in 0..<20 { try add(number, to: store) }
        let failures = Mutex<[String]>([])
        let isDone = Mutex(false)
        let hasEnded = DispatchSemaphore(value: 0)
        let writer = Thread {
            defer { hasEnded.signal() }
            for number in 20..<400 where !isDone.withLock({ $0 }) {
                do {
                    try self.add(number, to: store)
                    if number % 40 == 0 { try store.compact(retaining: .transactions(10)) }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        writer.start()
        for round in 0..<6 {
            let before = store.lastTransaction
            let report = try store.backup(to: folder.store("copy\(round)"))
            #expect(report.last.rawValue >= before.rawValue)
            let copy = try Store(at: folder.store("copy\(round)"), mode: .readOnly, Author.self)
            #expect(copy.lastTransaction.rawValue == report.last.rawValue)
            // The newest transaction renamed its author after itself.
            let names = Author.query().resolve(in: copy.context).map(\.name)
            #expect(names.contains("after \(report.last.rawValue - 1)"))
        }
        isDone.withLock { $0 = true }
        hasEnded.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(store.lastTransaction.rawValue > 20, "the writer wrote meanwhile")
        try store.close()
    }

    @Test("A store that is only read can be backed up too, beside its writer")
    func readOnly() throws {
        let folder = try Folder()
        let store = try Store(at: folder.store("live"), Author.self)
        for number in 0..<10 { try add(number, to: store) }
        try store.flush()
        let reader = try Store(at: folder.store("live"), mode: .readOnly, Author.self)
        let report = try reader.backup(to: folder.store("copy"))
        #expect(report.last.rawValue == 10)
        expectSame(
            try Store(at: folder.store("copy"), mode: .readOnly, Author.self).context,
            store.context)
    }

    @Test("Nothing that is there is overwritten, and no failed attempt leaves anything")
    func refused() throws {
        let folder = try Folder()
        let store = try Store(at: folder.store("live"), Author.self)
        try add(1, to: store)
        let target = folder.store("copy")
        try store.backup(to: target)
        #expect { try store.backup(to: target) } throws: { error in
            guard case StoreError.log(.targetExists) = error else { return false }
            return true
        }
        #expect(throws: StoreError.self) {
            try store.backup(to: folder.store("nowhere").appendingPathComponent("copy"))
        }
        #expect {
            try store.write { _ in _ = try store.backup(to: folder.store("inside")) }
        } throws: { error in
            guard case StoreError.nestedWrite = error else { return false }
            return true
        }
        try store.close()
        #expect(throws: StoreError.self) { try store.backup(to: folder.store("late")) }
        #expect(try folder.names == ["copy", "live"])
    }

    @Test("Attempts at one name do not touch each other's files, nor what has a similar name")
    func concurrentAttempts() throws {
        let folder = try Folder()
        let store = try Store(at: folder.store("live"), Author.self)
        for number in 0..<5 { try add(number, to: store) }
        try store.flush()
        let own = try Store(at: folder.store("copy.partial"), Author.self)
        try own.close()
        let target = folder.store("copy")
        #expect {
            try NewDirectory(target.path).make { directory throws(LogError) in
                _ = try LogBackup.run(
                    from: POSIXFileSystem(folder.store("live").path), to: directory)
                // While the first is at work, a second comes and is faster.
                do { _ = try store.backup(to: target) } catch { Issue.record("\(error)") }
                let last = try ScannedLog.scan(directory, mode: .readOnly).lastSequence
                #expect(last.rawValue == 5)
            }
        } throws: { error in
            guard case LogError.targetExists = error else { return false }
            return true
        }
        let copy = try Store(at: target, mode: .readOnly, Author.self)
        expectSame(copy.context, store.context)
        #expect(try folder.names == ["copy", "copy.partial", "live"])
        #expect(try Store(at: folder.store("copy.partial"), Author.self).lastTransaction == 0)
    }

    @Test("What an interrupted attempt left is removed by the next")
    func leftovers() throws {
        let folder = try Folder()
        let store = try Store(at: folder.store("live"), Author.self)
        try add(1, to: store)
        let leftover = folder.store("copy.partial-00a1b2c3d4e5f607")
        let content = leftover.appendingPathComponent("content")
        try FileManager.default.createDirectory(at: content, withIntermediateDirectories: true)
        for name in ["content/segment-0000000001", "LOCK"] {
            try Data("half".utf8).write(to: leftover.appendingPathComponent(name))
        }
        try store.backup(to: folder.store("copy"))
        #expect(try folder.names == ["copy", "live"])
    }

    @Test("On a disk that fails at any operation a backup is whole, or refused, or not there")
    func failingDisk() throws {
        let source = MemoryFileSystem()
        let store = try Store(
            in: source, environment: SimulatedEnvironment(), mode: .readWrite,
            durability: .commit, types: [Author.self])
        for number in 0..<5 { try add(number, to: store) }
        try store.close()
        var succeeded = false
        for operation in 0..<400 where !succeeded {
            let disk = SimulatedDisk()
            let faulty = FaultyFileSystem(
                disk, fault: FaultyFileSystem.Fault(operation: operation, code: 5))
            do {
                let report = try LogBackup.run(
                    from: source, to: faulty, environment: SimulatedEnvironment(seed: 2))
                #expect(report.last.rawValue == 5)
                succeeded = true
            } catch {
                // What is left is nothing, or no store.
                #expect(throws: LogError.self) {
                    _ = try ScannedLog.scan(disk, mode: .readOnly)
                }
            }
        }
        #expect(succeeded)
    }

    @Test("A damaged store is salvaged through the store's own interface")
    func salvage() throws {
        let folder = try Folder()
        let store = try Store(at: folder.store("live"), Author.self)
        for number in 0..<20 { try add(number, to: store) }
        try store.close()
        let segment = folder.store("live").appendingPathComponent("segment-0000000001")
        var bytes = try Data(contentsOf: segment)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: segment)
        #expect(throws: StoreError.self) { try Store(at: folder.store("live"), Author.self) }
        let report = try Store.salvage(from: folder.store("live"), to: folder.store("rescued"))
        #expect(report.lost.count == 1 && report.transactions == 19)
        let rescued = try Store(at: folder.store("rescued"), Author.self)
        #expect(rescued.lastTransaction.rawValue == 20)
        #expect(Book.query().resolve(in: rescued.context).count >= 18)
        #expect(try Data(contentsOf: segment) == bytes)
    }
}
