import Testing
import VarveGraph

private enum Mail {
    @EntityModel
    struct Message {
        let id: String
        @Relationship(inverse: \.messages) var chat: Chat?
        @Relationship(inverse: \.unread) var unreadIn: [Chat]?
    }

    /// Declares its relations one-way: the messages say what they are the other side of.
    @EntityModel
    struct Chat {
        let id: String
        @Relationship var messages: [Message]? = nil
        @Relationship(deleteRule: .cascade) var unread: [Message]?
    }

    @EntityModel
    struct Quarrel {
        let id: String
        @Relationship(inverse: \.parts) var first: Bone?
        // Spelled differently, or the macro would refuse it.
        @Relationship(inverse: \.parts) var second: Mail.Bone?
    }

    @EntityModel
    struct Bone {
        let id: String
        @Relationship var parts: [Quarrel]? = nil
    }

    @EntityModel
    struct Liar {
        let id: String
        @Relationship(inverse: \.liar) var fool: Fool?
        @Relationship(inverse: \.liar) var other: Mail.Fool?
    }

    @EntityModel
    struct Fool {
        let id: String
        @Relationship(inverse: \.other) var liar: Liar?
    }
}

@Suite("An inverse that one side declares")
struct OneSidedInverseConformanceTests {
    @Test("both sides are kept in step, whichever is saved")
    func symmetric() throws {
        var context = Context()
        try Mail.Chat(id: "a", messages: .relation([Mail.Message(id: "1"), Mail.Message(id: "2")]))
            .save(to: &context)
        #expect(Mail.Message.query("1").related(\.$chat).resolve(in: context)?.id == "a")
        try Mail.Message(id: "1", chat: .relation(Mail.Chat(id: "b"))).save(to: &context)
        #expect(Mail.Chat.query("a").related(\.$messages).resolve(in: context).map(\.id) == ["2"])
        #expect(Mail.Chat.query("b").related(\.$messages).resolve(in: context).map(\.id) == ["1"])
        try Mail.Chat(id: "b", unread: .ids(["1", "2"])).save(to: &context)
        #expect(
            Mail.Message.query("2").related(\.$unreadIn).resolve(in: context).map(\.id) == ["b"])
        try Mail.Chat(id: "b").detach(\.$unread, inverse: \.$unreadIn, in: &context)
        #expect(Mail.Message.query("2").related(\.$unreadIn).resolve(in: context).isEmpty)
        context.checkInvariants()
    }

    @Test("a table that the one-way side made first knows the other side too")
    func registeredFromEitherSide() throws {
        var context = Context()
        _ = Mail.Chat.query().resolve(in: context)
        try Mail.Chat(id: "a").save(to: &context)
        try Mail.Message(id: "1", chat: .id("a")).save(to: &context)
        #expect(Mail.Chat.query("a").related(\.$messages).resolve(in: context).map(\.id) == ["1"])
        try Mail.Chat.delete(id: "a", from: &context)
        #expect(Mail.Message.query("1").id(\.$chat).resolve(in: context)?.$chat.isNone == true)
        context.checkInvariants()
    }

    @Test("two relations that claim the same other side are an error when the types are used")
    func conflict() async {
        await #expect(processExitsWith: .failure) {
            var context = Context()
            try Mail.Bone(id: "1").save(to: &context)
        }
        await #expect(processExitsWith: .failure) {
            var context = Context()
            try Mail.Liar(id: "1").save(to: &context)
        }
    }
}
