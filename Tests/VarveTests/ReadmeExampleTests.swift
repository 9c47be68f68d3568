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

@Suite("README")
struct ReadmeExampleTests {
    @Test("The example does what it says")
    func example() throws {
        let place = StoreTests.Place()
        let url = place.url
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

        try store.write("Clean up") { try Chat.delete(id: "1", from: &$0) }
        try store.write("Second thoughts") { context in
            try Deleted<Chat>.query("1").resolve(in: context)?.restore(in: &context)
        }
        try store.close()
        // README: end
        #expect(chats[0].messages?.first?.author?.name == "Bob")
        let again = try Store(at: url, Chat.self)
        #expect(Chat.query("1").related(\.$users).count(in: again.context) == 2)
        #expect(again.lastTransaction == 3)
    }

    @Test("The README shows exactly what is compiled here")
    func sameText() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(
            contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        for name in ["types", "use"] {
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
