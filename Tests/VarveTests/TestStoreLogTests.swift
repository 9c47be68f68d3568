import Foundation
import Testing
import VarveLog
import VarveTestSupport

@testable import Varve

@EntityModel
private struct Entry: Equatable {
    var id = UUID()
    var text: String
    var tags: Set<String> = []
    var counts: [String: Int] = [:]
    @Relationship(inverse: \.entry) var parts: [Part]?
}

@EntityModel
private struct Part: Equatable {
    @AutoIncrement let id: Int
    var text: String
    @Relationship(inverse: \.parts) var entry: Entry?
}

@Suite("The log of a store for tests")
struct TestStoreLogTests {
    /// The bytes of all files behind writes of every kind.
    private static func run(compacts: Bool = true) throws -> [String: [UInt8]] {
        let files = MemoryFileSystem()
        let clock = TestClock()
        let ids = TestIDs()
        let store = try Store.test(in: files, clock, retention: .standard, types: [Entry.self])
        for number in 0..<20 {
            try store.write("Write \(number)") { context in
                let words = (0..<9).map { "word \($0 * number)" }
                try Entry(
                    id: ids.next(), text: "entry \(number)", tags: Set(words),
                    counts: Dictionary(words.map { ($0, number) }) { $0 + $1 },
                    parts: .relation([Part(text: "a"), Part(text: "b")])
                ).save(to: &context)
            }
            clock.advance(by: .milliseconds(number))
        }
        try store.undo()
        try store.write { _ = try Part.delete(id: 3, from: &$0) }
        let draft = store.draft("Draft")
        try draft.edit { try $0.create(Entry(id: ids.next(), text: "by a draft")) }
        try draft.commit()
        if compacts { try store.compact() }
        try store.write { _ = try Part.delete(id: 4, from: &$0) }
        try store.close()
        return try contents(of: files)
    }

    private static func contents(of files: MemoryFileSystem) throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in try files.list() ?? [] {
            let file = try files.open(name, .read)
            var bytes = [UInt8](repeating: 0, count: Int(try file.length().rawValue))
            let count = try bytes.withUnsafeMutableBytes {
                try file.read(into: $0, at: FrameOffset(0))
            }
            contents[name] = Array(bytes.prefix(count))
        }
        return contents
    }

    /// FNV-1a of all names and bytes of files without a compaction, and of the log's files behind one.
    private static func digest() throws -> String {
        let log = try run().filter { $0.key.hasPrefix("segment") }
        return try [run(compacts: false), log].map { contents in
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for (name, bytes) in contents.sorted(by: { $0.key < $1.key }) {
                for byte in Array(name.utf8) + bytes {
                    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
                }
            }
            return "\(hash)."
        }.joined(separator: " ")
    }

    @Test("Runs of the same writes produce the same log, byte by byte")
    func sameBytes() throws {
        let first = try Self.run()
        let second = try Self.run()
        #expect(first.count > 2 && first.keys == second.keys)
        for (name, bytes) in first { #expect(second[name] == bytes, "\(name)") }
    }

    @Test("Runs in other processes produce the same log, too")
    func otherProcesses() async throws {
        let here = "log \(try Self.digest())"
        for _ in 0..<2 {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardOutputContent]
            ) {
                print("log \(try TestStoreLogTests.digest())")
            }
            let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            #expect(output.contains(here), "\(output)")
        }
    }

    @Test("Ids of a test are UUIDs, each another one, and the same in each run")
    func ids() {
        let (first, second, other) = (TestIDs(), TestIDs(), TestIDs(seed: 1))
        let ids = (0..<1000).map { _ in first.next() }
        #expect(ids == (0..<1000).map { _ in second.next() })
        #expect(Set(ids).union((0..<1000).map { _ in other.next() }).count == 2000)
        #expect(ids[0].uuidString == "E220A839-7B1D-4DAF-AE78-9E6AA1B965F4")
        #expect(ids.allSatisfy { $0.uuid.6 >> 4 == 4 && $0.uuid.8 >> 6 == 2 })
    }

    @Test("Seeds that differ by any multiple of the increment have no id in common")
    func seeds() {
        var found: Set<UUID> = []
        for factor in 0..<20 as Range<UInt64> {
            let ids = TestIDs(seed: 7 &+ factor &* TestIDs.increment)
            for _ in 0..<100 { found.insert(ids.next()) }
        }
        #expect(found.count == 2_000)
    }

    @Test("Assets that a test's store makes at once have files of their own")
    func assets() throws {
        let store = try Store.test(TestClock(), Entry.self)
        let texts = (0..<16).map { String(repeating: "\($0) ", count: 100_000) }
        let failures = Lock<[String]>([])
        DispatchQueue.concurrentPerform(iterations: texts.count) { number in
            do {
                let asset = try Asset(texts[number], in: store)
                let value = try asset.value(in: store)
                if value != texts[number] { failures.withLock { $0.append("\(number)") } }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 }.isEmpty)
    }
}
