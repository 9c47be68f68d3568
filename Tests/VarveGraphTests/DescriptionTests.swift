import Testing
import VarveGraph

@Suite("Entities in words")
struct DescriptionTests {
    @Test("An entity shows its properties, and of its relations the ids that are loaded")
    func entities() throws {
        var context = Context()
        try Chat(
            id: "c",
            users: .relation([User(id: "1", name: "Bob"), User(id: "2", name: "Al \"x\"")]),
            messages: .relation([Message(id: "m", text: "one", author: .id("1"))])
        ).save(to: &context)
        let user = try #require(User.query("2").resolve(in: context))
        #expect("\(user)" == #"User(id: "2", name: "Al \"x\"", age: 0, email: nil)"#)
        let message = try #require(Message.query("m").with(\.$author).resolve(in: context))
        #expect("\(message)" == #"Message(id: "m", text: "one", author: "1")"#)
        let chat = try #require(Chat.query("c").with(\.$users).id(\.$messages).resolve(in: context))
        #expect("\(chat)".hasSuffix(#"users: ["1", "2"], messages: ["m"])"#))
        #expect("\(chat.$users)" == #"["1", "2"]"# && "\(user.$chats)" == "not loaded")
        #expect("\(Deleted(user))" == "Deleted(\(user))")
    }

    @Test("Optionals are shown without their wrapping, index declarations not at all")
    func properties() {
        var sample = Sample(id: 3, city: "Ulm", name: "Ann")
        sample.rank = nil
        let text = "\(IndexedSample(sample))"
        #expect(
            text.hasPrefix(#"IndexedSample(id: 3, age: 0, city: "Ulm", name: "Ann", score: 0.0"#))
        #expect(text.contains("level: low, rank: nil, isActive: false"))
        #expect(text.contains("rank: nil") && !text.contains("by") && !text.contains("Optional"))
    }

    @Test("A description of the type's own is used")
    func ownDescription() {
        #expect("\(Spoken(id: 1, description: "hello"))" == "hello")
    }

    @Test("One selected property is a list as any other")
    func selecting() throws {
        var context = Context()
        try [User(id: "2", name: "Bob"), User(id: "1", name: "Al")].save(to: &context)
        #expect(User.query().select(\.id).resolve(in: context).sorted() == ["1", "2"])
        #expect(User.query().select(\.id).resolve(in: context).contains("2"))
        #expect(User.query().select(\.name, in: context).joined(separator: ",") == "Bob,Al")
        #expect(User.query().select(\.id, \.name, in: context).map(\.1) == ["Bob", "Al"])
        #expect(User.query("1").select(\.name, in: context) == "Al")
        #expect(User.query("9").select(\.name).first(in: context) == nil)
        #expect(User.query("1").select(\.name, \.id, in: context)?.1 == "1")
    }
}

@EntityModel
private struct Spoken: CustomStringConvertible {
    let id: Int
    var description: String
}
