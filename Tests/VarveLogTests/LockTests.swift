import Foundation
import Testing
import VarveLog
import VarveTestSupport

@Suite("One writer at a time")
struct LockTests {
    @Test("A second writer is refused with the name of the first, until that one ends")
    func secondWriter() throws {
        let disk = SimulatedDisk()
        let first = try TestLog(disk).open().log
        var second = TestLog(disk)
        second.environment = SimulatedEnvironment(process: 99)
        let error = #expect(throws: LogError.self) { try second.scan(.readWrite) }
        guard case .locked(_, let holder) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(holder.program == "simulation")
        try first.close()
        let again = try second.open().log
        again.abandon()
    }

    @Test("The lock is given back when a writer is dropped without closing")
    func droppedWriter() throws {
        let disk = SimulatedDisk()
        do {
            let log = try TestLog(disk).open().log
            try log.append(text: "one")
        }
        #expect(try TestLog(disk).open().content.transactions.count == 1)
    }

    @Test("A note that is no note names nobody", arguments: ["", "pid x\nprogram", "\u{0}\u{0}"])
    func brokenNote(text: String) throws {
        let disk = SimulatedDisk()
        try TestLog(disk).create()
        let file = try disk.open(StoreFileName.lock.text, .createIfMissing)
        #expect(try file.lock(.exclusive))
        try file.truncate(to: .zero)
        try Array(text.utf8).withUnsafeBytesTyped { bytes throws(FileSystemError) in
            if !bytes.isEmpty { _ = try file.write(bytes, at: FrameOffset(0)) }
        }
        let error = #expect(throws: LogError.self) { try TestLog(disk).scan(.readWrite) }
        guard case .locked(_, let holder) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(holder.processID == nil)
    }

    @Test("A log is not written by a process that was forked from its opener")
    func fork() throws {
        let environment = ForkingEnvironment()
        var test = TestLog(SimulatedDisk())
        test.environment = environment
        let log = try test.open().log
        try log.append(text: "parent")
        environment.process.withLock { $0 = 2 }
        let error = #expect(throws: LogError.self) { try log.append(text: "child") }
        guard case .openedInAnotherProcess = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Row 40: on a real disk the lock holds against another path to the same directory")
    func symbolicLink() throws {
        let directory = try TemporaryStore()
        let link = directory.path + ".link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: directory.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let log = try TestLog(POSIXFileSystem(directory.path)).open().log
        let error = #expect(throws: LogError.self) {
            try TestLog(POSIXFileSystem(link)).open()
        }
        guard case .locked = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try log.close()
    }
}

private final class ForkingEnvironment: LogEnvironment {
    let process = Lock<Int32>(1)
    private let base = SimulatedEnvironment()

    func wallClockMicroseconds() -> Int64 { base.wallClockMicroseconds() }
    func randomSalt() -> UInt64 { base.randomSalt() }
    func processID() -> Int32 { process.withLock { $0 } }
    func processName() -> String { "forker" }
}

/// A path for a store in the system's temporary directory, removed at the end.
final class TemporaryStore {
    let path: String

    init() throws {
        let parent = FileManager.default.temporaryDirectory
            .appending(path: "varve-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        path = parent.path + "/store.varve"
    }

    deinit {
        try? FileManager.default.removeItem(
            atPath: URL(filePath: path).deletingLastPathComponent().path)
    }
}
