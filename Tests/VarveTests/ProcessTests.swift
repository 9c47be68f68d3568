import Foundation
import Testing
import Varve
import VarveLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Stores and processes", .serialized)
struct ProcessTests {
    private func isHeld(_ place: StoreTests.Place) throws -> Bool {
        try DirectoryLock.isHeld(in: POSIXFileSystem(place.url.path))
    }

    @Test("Row 41: a second writer process is refused at once and told who holds the store")
    func secondProcess() async throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Note.self)
        let path = place.url.path
        let holder = getpid()
        await #expect(processExitsWith: .success) {
            [path = path as String, holder = holder as Int32] in
            do {
                _ = try Store(at: URL(fileURLWithPath: path), Note.self)
                exit(1)
            } catch StoreError.log(.locked(_, let found)) {
                exit(found.processID == holder ? 0 : 2)
            }
        }
        try store.close()
        await #expect(processExitsWith: .success) { [path = path as String] in
            try Store(at: URL(fileURLWithPath: path), Note.self).close()
        }
    }

    @Test("Row 41: the lock of a killed process is free, and its lock file stays")
    func killedHolder() async throws {
        let place = StoreTests.Place()
        let path = place.url.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try Store(at: URL(fileURLWithPath: path), Note.self)
            try store.write { try Note(id: 1, text: "").save(to: &$0) }
            kill(getpid(), SIGKILL)
        }
        #expect(FileManager.default.fileExists(atPath: path + "/LOCK"))
        let store = try Store(at: place.url, Note.self)
        #expect(store.context.count(Note.self) == 1)
        try store.close()
        #expect(FileManager.default.fileExists(atPath: path + "/LOCK"))
    }

    @Test(
        "Row 41: a writer whose files were removed says so with the first transaction that it would lose",
        arguments: ["LOCK", "segment-0000000001", ""])
    func removedFiles(name: String) throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Note.self)
        try store.write { try Note(id: 1, text: "").save(to: &$0) }
        try FileManager.default.removeItem(
            atPath: place.url.path + (name.isEmpty ? "" : "/" + name))
        let displaced = LogError.displaced(file: name.isEmpty ? "LOCK" : name, isReplaced: false)
        for id in 2...4 {
            let error = #expect(throws: StoreError.self) {
                try store.write { try Note(id: id, text: "").save(to: &$0) }
            }
            switch error {
            case .outcomeUnknown(_, let cause), .log(let cause):
                #expect(cause == displaced || id > 2 && cause == .poisoned(cause: displaced))
            default: Issue.record("\(String(describing: error))")
            }
        }
        #expect(store.context.count(Note.self) == 1)
        #expect(!store.statistics.isWritable)
        try store.close()
    }

    private func add(_ id: Int, to store: Store) throws {
        try store.write { try Note(id: id, text: "").save(to: &$0) }
    }

    /// Writes once more, which must be refused; then opens again, and returns how many notes there are.
    private func countBehind(_ store: Store, at place: StoreTests.Place) throws -> Int {
        #expect(throws: StoreError.self) { try add(3, to: store) }
        try store.close()
        let again = try Store(at: place.url, Note.self)
        defer { try? again.close() }
        return again.context.count(Note.self)
    }

    @Test("Row 41: a second process that a lost lock lets in keeps what both acknowledged")
    func lostLock() async throws {
        let place = StoreTests.Place()
        let path = place.url.path
        let store = try Store(at: place.url, Note.self)
        try add(1, to: store)
        try FileManager.default.removeItem(atPath: path + "/LOCK")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let second = try Store(at: URL(fileURLWithPath: path), Note.self)
            try second.write { try Note(id: 2, text: "").save(to: &$0) }
            try second.close()
        }
        #expect(try countBehind(store, at: place) == 2)
        #expect(try LogVerification.verify(POSIXFileSystem(path)).isSound)
    }

    @Test("Row 42: closing another descriptor of the lock file does not give the lock back")
    func unrelatedClose() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Note.self)
        for _ in 0..<3 { close(open(place.url.path + "/LOCK", O_RDWR)) }
        #expect(try isHeld(place))
        try store.close()
        #expect(try !isHeld(place))
    }

    #if os(Linux)
        @Test("Row 43: a forked process is refused, and leaves the lock with its parent")
        func forked() async throws {
            let place = StoreTests.Place()
            let path = place.url.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let url = URL(fileURLWithPath: path)
                let store = try Store(at: url, Note.self)
                try store.write { try Note(id: 1, text: "").save(to: &$0) }
                guard let symbol = dlsym(nil, "fork") else { exit(10) }
                let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
                let child = fork()
                if child == 0 {
                    var refusals: Int32 = 0
                    do {
                        try store.write { try Note(id: 2, text: "").save(to: &$0) }
                    } catch StoreError.log(.openedInAnotherProcess) {
                        refusals += 1
                    } catch {}
                    do { try store.close() } catch StoreError.log(.openedInAnotherProcess) {
                        refusals += 1
                    } catch {}
                    do { _ = try Store(at: url, Note.self) } catch StoreError.log(
                        .locked(_, let holder))
                    {
                        if holder.processID == getppid() { refusals += 1 }
                    } catch {}
                    _exit(refusals)
                }
                var status: Int32 = 0
                guard waitpid(child, &status, 0) == child else { exit(11) }
                guard (status >> 8) & 0xFF == 3 else { exit(20 + (status >> 8) & 0xFF) }
                try store.write { try Note(id: 3, text: "").save(to: &$0) }
                guard try DirectoryLock.isHeld(in: POSIXFileSystem(path)) else { exit(12) }
                try store.close()
                let again = try Store(at: url, Note.self)
                exit(again.context.count(Note.self) == 2 ? 0 : 13)
            }
        }

        /// The descriptors of this process that lead into a directory, with their flags.
        private func descriptors(into path: String) throws -> [(number: String, flags: Int)] {
            let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return numbers.compactMap { number in
                guard
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/" + number), target.hasPrefix(path),
                    let text = try? String(
                        contentsOfFile: "/proc/self/fdinfo/" + number, encoding: .utf8),
                    let line = text.split(separator: "\n").first(where: { $0.hasPrefix("flags:") })
                else { return nil }
                let flags = line.split(separator: "\t").last.flatMap { Int($0, radix: 8) }
                return (number, flags ?? 0)
            }
        }

        @Test(
            "Row 43: no descriptor survives an exec, and a closed or suspended store keeps no file")
        func descriptors() throws {
            let place = StoreTests.Place()
            let path = place.url.path
            let store = try Store(at: place.url, Note.self)
            try store.write { try Note(id: 1, text: "").save(to: &$0) }
            let open = try descriptors(into: path)
            #expect((1...4).contains(open.count), "directory, lock, segment: \(open)")
            let closeOnExec = 0o2000000
            #expect(open.allSatisfy { $0.flags & closeOnExec != 0 })
            try store.suspend()
            let suspended = try descriptors(into: path + "/")
            #expect(suspended.isEmpty, "the directory itself stays, to be found again")
            try store.resume()
            try store.close()
            #expect(try descriptors(into: path + "/").isEmpty)
        }
    #endif

    @Test("Row 25: reading and following change nothing and create nothing, not even a lock file")
    func readingOnly() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Note.self)
        try store.write { try Note(id: 1, text: "").save(to: &$0) }
        try store.close()
        let files = FileManager.default
        try files.removeItem(atPath: place.url.path + "/LOCK")
        let before = try files.contentsOfDirectory(atPath: place.url.path).sorted()
        for name in before {
            try files.setAttributes(
                [.posixPermissions: 0o400], ofItemAtPath: place.url.path + "/" + name)
        }
        try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: place.url.path)
        defer {
            try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.url.path)
        }
        let reader = try Store(at: place.url, mode: .readOnly, Note.self)
        #expect(reader.context.count(Note.self) == 1)
        #expect(try reader.refresh().course == .unchanged)
        #expect(try files.contentsOfDirectory(atPath: place.url.path).sorted() == before)
    }
}
