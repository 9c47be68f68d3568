import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Counts of what a relation leads to")
struct LinkCountTests {
    @Test("Ids that are linked to before their entities come are not counted")
    func absentChildren() throws {
        var context = Context()
        try Message(id: "a", text: "t").save(to: &context)
        try Chat(id: "c", messages: .ids(["a", "b"])).save(to: &context)
        let messages = Chat.query("c").related(\.$messages)
        #expect(messages.count(in: context) == 1)
        #expect(messages.exists(in: context))
        try Message(id: "b", text: "t").save(to: &context)
        #expect(messages.count(in: context) == 2)
        try Message.delete(id: "a", from: &context)
        #expect(messages.count(in: context) == 1)
        #expect(messages.resolve(in: context).map(\.id) == ["b"])
    }

    @Test("An id without an entity, or without links, leads to nothing")
    func nothing() throws {
        var context = Context()
        #expect(Chat.query("c").related(\.$messages).count(in: context) == 0)
        #expect(!Chat.query("c").related(\.$messages).exists(in: context))
        try Chat(id: "c").save(to: &context)
        #expect(Chat.query("c").related(\.$messages).count(in: context) == 0)
        #expect(!Chat.query(["c", "d"]).related(\.$messages).flatMap().exists(in: context))
    }

    @Test("A count is that of the entities that the query finds", arguments: 1...20)
    func likeTheEntities(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var context = Context()
        for round in 0..<60 {
            let chat = "c\(Int.random(in: 0..<5, using: &generator))"
            let message = "m\(Int.random(in: 0..<20, using: &generator))"
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: try Chat.delete(id: chat, from: &context)
            case 1: try Message.delete(id: message, from: &context)
            case 2: try Message(id: message, text: "t").save(to: &context)
            default:
                let ids = (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
                    "m\(Int.random(in: 0..<20, using: &generator))"
                }
                try Chat(id: chat, messages: .ids(Array(Set(ids)).sorted())).save(to: &context)
            }
            let place: Comment = "seed \(seed), round \(round)"
            let messages = Chat.query(chat).related(\.$messages)
            #expect(messages.count(in: context) == messages.resolve(in: context).count, place)
            #expect(messages.exists(in: context) == !messages.resolve(in: context).isEmpty, place)
            let chats = Message.query().related(\.$chat)
            #expect(chats.count(in: context) == chats.resolve(in: context).count, place)
        }
    }
}
