import Testing
import Varve

@Suite("Writes that report what they did")
struct WriteReportTests {
    @Test("A report has the result, the transaction and typed changes")
    func report() throws {
        let store = try Store.inMemory(Author.self)
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        let report = try store.writeReporting("Rename", options: WriteOptions(author: "me")) {
            context in
            try Author(id: "b", name: "Bob").save(to: &context)
            return try Author(id: "a", name: "Anna").save(to: &context)
        }
        #expect(report.result.change == .updated(properties: ["name"]))
        let transaction = try #require(report.transaction)
        #expect(transaction.id == 2 && store.lastTransaction == 2)
        #expect(transaction.info.label == "Rename" && transaction.info.author == "me")
        #expect(try transaction.types() == ["Author"])
        var names: [String] = []
        for change in try transaction.changes(of: Author.self) {
            switch change {
            case .inserted(let author): names.append("+\(author.name)")
            case .updated(let update):
                names.append("\(try update.old(\.name) ?? "")>\(try update.new(\.name) ?? "")")
            default: Issue.record("\(change)")
            }
        }
        #expect(names.sorted() == ["+Bob", "Ann>Anna"])
        #expect(try transaction.changes(of: Book.self).isEmpty)
    }

    @Test("A body that changes nothing, or throws, has written no transaction")
    func nothing() throws {
        struct Refusal: Error {}
        let store = try Store.inMemory(Author.self)
        let report = try store.writeReporting { _ in 7 }
        #expect(report.result == 7 && report.transaction == nil)
        #expect(throws: Refusal.self) {
            try store.writeReporting { context in
                try Author(id: "a", name: "Ann").save(to: &context)
                throw Refusal()
            }
        }
        #expect(store.lastTransaction == 0)
    }

    @Test("An async write reports the bytes that the log has")
    func asynchronous() async throws {
        let store = try Store.temporary(Author.self)
        let report = try await store.writeReporting("Add") {
            try Author(id: "a", name: String(repeating: "n", count: 3_000_000)).save(to: &$0)
        }
        let written = try #require(report.transaction)
        var feed = store.changes().makeAsyncIterator()
        guard case .transaction(let change) = try await feed.next() else {
            Issue.record("a feed without the transaction")
            return
        }
        #expect(change.info == written.info)
        #expect(try change.changes(of: Author.self).map(\.id) == ["a"])
        #expect(try written.changes(of: Author.self).map(\.id) == ["a"])
    }
}
