import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Rows up to the limit, in transactions of many times as much: what was logged can be undone.
@Suite("Large rows")
struct LargeRowTests {
    private static let limit = 4_000

    private func open(_ disk: SimulatedDisk) throws -> Store {
        var configuration = LogConfiguration()
        configuration.rowBytesMax = ByteCount(UInt64(Self.limit))
        configuration.frameBytesMax = ByteCount(1_000)
        configuration.segmentBytesMax = ByteCount(16_384)
        return try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1), configuration: configuration,
            mode: .readWrite, durability: .commit, compactsAutomatically: false,
            types: [Author.self, Shelf.self])
    }

    /// A book whose row has exactly so many bytes.
    private func book(_ id: Int, rowBytes: Int, _ letter: String) -> Book {
        // The title and its length, and the length of the text.
        Book(id: id, title: "t", text: String(repeating: letter, count: rowBytes - 4))
    }

    private func expectTooLarge(
        _ id: String, _ bytes: Int, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        do {
            try body()
            Issue.record("a row of \(bytes) bytes was taken", sourceLocation: sourceLocation)
        } catch StoreError.rowTooLarge(let type, let found, let size, let limit) {
            #expect(type == "Book" && found == id, sourceLocation: sourceLocation)
            #expect(size == ByteCount(UInt64(bytes)), sourceLocation: sourceLocation)
            #expect(limit == ByteCount(UInt64(Self.limit)), sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }

    @Test("Everything that can be written can be changed, deleted, undone, redone and restored")
    func largest() throws {
        let disk = SimulatedDisk()
        var store = try open(disk)
        var contents = [content(store.context)]
        func step(_ body: () throws -> Void) throws {
            try body()
            contents.append(content(store.context))
        }
        try step {
            try store.write { context in
                let books = (0..<30).map { book($0, rowBytes: Self.limit, "a") }
                try Author(id: "a", name: "a", books: .relation(books)).save(to: &context)
            }
        }
        try step {
            try store.write { context in
                for id in 0..<30 { try book(id, rowBytes: Self.limit, "b").save(to: &context) }
            }
        }
        try step { _ = try store.write { try Author.delete(id: "a", from: &$0) } }
        try step { try store.restoreDeletion(of: Author.self, id: "a") }
        try step { _ = try store.write { try Book.delete(id: 7, from: &$0) } }
        try step { try store.restore(Book.self, id: 7) }
        try step {
            try store.group("All") {
                for id in 0..<30 { try store.write { try Book.delete(id: id, from: &$0) } }
            }
        }
        for number in contents.indices.dropLast().reversed() {
            try store.undo()
            #expect(difference(contents[number], content(store.context)) == nil, "\(number)")
        }
        for number in contents.indices.dropFirst() {
            try store.redo()
            #expect(difference(contents[number], content(store.context)) == nil, "\(number)")
        }
        try store.rewind(to: .transaction(2))
        #expect(difference(contents[2], content(store.context)) == nil)
        try store.undo()
        let last = content(store.context)
        try store.compact()
        try store.close()
        store = try open(disk)
        #expect(difference(last, content(store.context)) == nil)
        #expect(try LogVerification.verify(disk).problems == [])
    }

    @Test("A row over the limit is refused before anything is logged")
    func tooLarge() throws {
        let store = try open(SimulatedDisk())
        try store.write { try book(1, rowBytes: Self.limit, "a").save(to: &$0) }
        let before = content(store.context)
        let size = Self.limit + 1
        expectTooLarge("2", size) {
            try store.write { try book(2, rowBytes: size, "a").save(to: &$0) }
        }
        expectTooLarge("1", size) {
            try store.write { try book(1, rowBytes: size, "b").save(to: &$0) }
        }
        expectTooLarge("3", size) {
            try store.write { try Deleted(book(3, rowBytes: size, "a")).save(to: &$0) }
        }
        expectTooLarge("4", size) {
            try store.write(each: [4]) { context, id in
                try book(id, rowBytes: size, "a").save(to: &context)
            }
        }
        #expect(difference(before, content(store.context)) == nil && store.lastTransaction == 1)
        try store.write { try book(1, rowBytes: Self.limit, "b").save(to: &$0) }
        try store.undo()
        #expect(difference(before, content(store.context)) == nil)
    }
}
