import Foundation
import Testing
import Varve

// The example of the README, compiled and run. What stands between the markers is what the README
// shows; another test compares the two.

// README: types
@EntityModel
struct Chat {
    let id: String
    var title: String
    var isPinned = false

    @Relationship(inverse: \.chats) var users: [User]?
    @Relationship(deleteRule: .cascade, inverse: \.chat) var messages: [Message]?
}

@EntityModel
struct User {
    let id: String
    var name: String

    @Relationship(inverse: \.users) var chats: [Chat]?
}

@EntityModel
struct Message {
    let id: Int
    var text: String

    @Relationship(.required, inverse: \.messages) var chat: Chat?
    @Relationship(.required) var author: User?
}
// README: end

// README: indexed type
@EntityModel
struct Article {
    @Index<Self>(\.year, \.title.desc) private var byYear  // ranges, orders, prefixes
    @HashIndex<Self>(\.section) private var bySection  // equality
    @Unique<Self>(\.slug, collisions: .throw) private var unique  // or .upsert, or your own rule
    @FullTextIndex<Self>(\.title, \.body) private var text  // ranked (BM25), and substrings

    let id: Int
    var year: Int
    var title: String
    var section: String
    var slug: String
    var body: String
}
// README: end

@Suite("README")
struct ReadmeExampleTests {
    @Test("The example does what it says")
    func example() throws {
        let place = StoreTests.Place()
        let url = place.url
        let batches = (0..<3).map { batch in
            (0..<50).map { Message(id: 1_000 + batch * 50 + $0, text: "\(batch)", chat: .id("1")) }
        }
        // README: use
        let store = try Store(at: url, Chat.self)  // types that relations lead to come along

        try store.write("Start a chat") { context in
            let bob = User(id: "bob", name: "Bob")
            try Chat(
                id: "1", title: "Plans", users: .relation([bob, User(id: "eve", name: "Eve")]),
                messages: .relation([Message(id: 1, text: "Hello", author: .id("bob"))])
            ).save(to: &context)
        }

        let chats = Chat.filter(\.title != "")
            .sorted(by: \.title)
            .with(\.$messages) { $0.with(\.$author) }
            .resolve(in: store.context)  // a snapshot: later writes leave it as it is
        print(chats[0].messages?.first?.author?.name ?? "")  // Bob

        try store.write(each: batches, "Import") { try $1.save(to: &$0) }  // a transaction each
        try store.write("Clean up") { try Chat.delete(id: "1", from: &$0) }
        try store.write("Second thoughts") { context in
            try Deleted<Chat>.query("1").resolve(in: context)?.restore(in: &context)
        }
        try store.close()
        // README: end
        #expect(chats[0].messages?.first?.author?.name == "Bob")
        let again = try Store(at: url, Chat.self)
        #expect(Chat.query("1").related(\.$users).count(in: again.context) == 2)
        #expect(again.lastTransaction == 6)
    }

    @Test("Queries of indexed properties do what the example says, and an index is in the plan")
    func indexes() throws {
        let store = try Store.inMemory(Article.self)
        try store.write { context in
            for number in 0..<40 {
                try Article(
                    id: number, year: 2000 + number, title: "Number \(number)",
                    section: number % 4 == 0 ? "science" : "art", slug: "slug-\(number)",
                    body: "Sediment is laid down in layers, year by year."
                ).save(to: &context)
            }
        }
        // README: indexed use
        let found =
            Article
            .filter(\.year >= 2020 && \.section == "science")
            .sorted(by: \.year, \.title.desc)
            .limit(20)
        print(found.explain(in: store.context))  // which index, how many candidates, what is tested
        let hits = Article.filter(.string(\.title, \.body, matches: "sediment layers")).limit(20)
        // README: end
        #expect(found.resolve(in: store.context).map(\.id) == [20, 24, 28, 32, 36])
        #expect(hits.count(in: store.context) == 20)
        #expect("\(found.explain(in: store.context))".contains("by"))
        #expect(throws: (any Error).self) {
            try store.write { context in
                try Article(
                    id: 99, year: 1, title: "", section: "", slug: "slug-1", body: ""
                ).save(to: &context)
            }
        }
    }

    @Test("Undo, the past and restoration do what the example says")
    func time() throws {
        let store = try Store.inMemory(Chat.self)
        try store.write { context in
            try Chat(
                id: "1", title: "Plans",
                messages: .relation([Message(id: 1, text: "Hello", author: .id("bob"))])
            ).save(to: &context)
        }
        try store.write { try Chat(id: "1", title: "Plan B").save(to: &$0) }
        try store.write { try Chat.delete(id: "1", from: &$0) }
        // README: time
        try store.undo()  // appended as a transaction; survives a relaunch
        try store.redo()
        store.group("Drag") { /* several writes, one step */  }

        let then = try store.context(asOf: .transaction(2))  // or .date(…): query it as any context
        let versions = try store.history(of: Chat.self, id: "1")
        let diff = try store.diff(from: .transaction(1), to: .transaction(3))

        try store.restoreDeletion(of: Chat.self, id: "1")  // with what went along, links and places
        // README: end
        #expect(Chat.query("1").resolve(in: then)?.title == "Plan B")
        #expect(versions.map(\.transaction.id) == [5, 4, 3, 2, 1])
        #expect(try diff.changes(of: Chat.self).first?.kind == .deleted)
        #expect(Chat.query("1").resolve(in: store.context)?.title == "Plan B")
        #expect(Message.query(1).id(\.$chat).resolve(in: store.context)?.$chat.id == "1")
    }

    @Test("The README shows exactly what is compiled here")
    func sameText() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(
            contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        for name in ["types", "use", "indexed type", "indexed use", "time"] {
            let marked = source.components(separatedBy: "// README: \(name)\n")[1]
                .components(separatedBy: "// README: end")[0]
            let indentation = marked.prefix { $0 == " " }.count
            let lines = marked.split(separator: "\n", omittingEmptySubsequences: false)
                .map { String($0.dropFirst(min(indentation, $0.prefix { $0 == " " }.count))) }
            let text = lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(readme.contains(text), "the part “\(name)”")
        }
    }
}
