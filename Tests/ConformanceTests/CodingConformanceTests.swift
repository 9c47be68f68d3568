import Foundation
import Testing
import VarveGraph

private enum Wire {
    @EntityModel
    struct User: Codable, Equatable {
        let id: String
        var name: String?
        @Relationship(inverse: \.users) var chats: [Chat]?
    }

    @EntityModel
    struct Chat: Codable, Equatable {
        let id: String
        @Relationship(inverse: \.chats) var users: [User]?
        @Relationship(inverse: \.chat) var message: Message?
    }

    @EntityModel
    struct Message: Codable, Equatable {
        let id: String
        let text: String
        @Relationship(.required, inverse: \.message) var chat: Chat?
    }

    @EntityModel
    struct Lax: Codable {
        let id: String
        var name: String?
    }

    @EntityModel
    struct Tag: Codable {
        let id: String
    }

    @EntityModel
    struct Tagged: Codable {
        let id: String
        @Relationship() var tags: [Tag]?
    }
}

private typealias User = Wire.User
private typealias Chat = Wire.Chat
private typealias Message = Wire.Message

@Suite("Relations in JSON")
struct CodingConformanceTests {
    private func text(
        _ value: some Encodable, _ strategy: RelationEncodingStrategy = .plain
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.relationEncodingStrategy = strategy
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func decoded<T: Decodable>(
        _ type: T.Type, _ text: String, _ strategy: RelationDecodingStrategy = .default
    ) throws -> T {
        let decoder = JSONDecoder()
        decoder.relationDecodingStrategy = strategy
        return try decoder.decode(T.self, from: Data(text.utf8))
    }

    private func users(_ text: String, _ strategy: RelationDecodingStrategy = .default) throws
        -> ToManyRelation<User, Relations.Mutual, Relations.Required>
    {
        try decoded(Chat.self, #"{"id":"c","message":null,"users":\#(text)}"#, strategy).$users
    }

    private func message(_ text: String, _ strategy: RelationDecodingStrategy = .default) throws
        -> ToOneRelation<Message, Relations.Mutual, Relations.Optional>
    {
        try decoded(Chat.self, #"{"id":"c","users":null,"message":\#(text)}"#, strategy).$message
    }

    @Test("SM-71: every state of a relation, in every encoding")
    func encoding() throws {
        let bob = User(id: "u", name: "Bob")
        let user = #"{"chats":null,"id":"u","name":"Bob"}"#
        let note = Message(id: "m", text: "x")
        let m = #"{"chat":null,"id":"m","text":"x"}"#
        typealias Row = (Chat, String, String, String, String)
        let toMany: [Row] = [
            (Chat(id: "c"), "null", "null", "null", "null"),
            (
                Chat(id: "c", users: .ids(["a", "b"])), #"[{"id":"a"},{"id":"b"}]"#,
                #"{"ids":["a","b"]}"#, #"{"ids":["a","b"]}"#, #"{"ids":["a","b"]}"#
            ),
            (
                Chat(id: "c", users: .appending(ids: ["a"])), #"[{"id":"a"}]"#, #"{"ids":["a"]}"#,
                #"{"slice_ids":["a"]}"#, #"{"slice_ids":["a"]}"#
            ),
            (
                Chat(id: "c", users: .relation([bob])), "[\(user)]", #"{"objects":[\#(user)]}"#,
                #"{"objects":[\#(user)]}"#, #"{"objects":[\#(user)]}"#
            ),
            (
                Chat(id: "c", users: .fragment([bob])), "[\(user)]", #"{"objects":[\#(user)]}"#,
                #"{"objects":[\#(user)]}"#, #"{"fragments":[\#(user)]}"#
            ),
            (
                Chat(id: "c", users: .appending(relation: [bob])), "[\(user)]",
                #"{"objects":[\#(user)]}"#, #"{"slice":[\#(user)]}"#, #"{"slice":[\#(user)]}"#
            ),
            (
                Chat(id: "c", users: .appending(fragment: [bob])), "[\(user)]",
                #"{"objects":[\#(user)]}"#, #"{"slice":[\#(user)]}"#,
                #"{"slice_fragments":[\#(user)]}"#
            ),
            (Chat(id: "c", users: .ids([])), "[]", #"{"ids":[]}"#, #"{"ids":[]}"#, #"{"ids":[]}"#),
            (
                Chat(id: "c", users: .appending(ids: [])), "[]", #"{"ids":[]}"#,
                #"{"slice_ids":[]}"#, #"{"slice_ids":[]}"#
            ),
            (
                Chat(id: "c", users: .appending(relation: [])), "[]", #"{"objects":[]}"#,
                #"{"slice":[]}"#, #"{"slice":[]}"#
            ),
        ]
        for (chat, plain, keyed, explicit, lossless) in toMany {
            func json(_ users: String) -> String { #"{"id":"c","message":null,"users":\#(users)}"# }
            #expect(try text(chat, .plain) == json(plain))
            #expect(try text(chat, .keyedContainer) == json(keyed))
            #expect(try text(chat, .explicitKeyedContainer) == json(explicit))
            #expect(try text(chat, .lossless) == json(lossless))
        }
        let toOne: [Row] = [
            (
                Chat(id: "c", message: .id("m")), #"{"id":"m"}"#, #"{"id":"m"}"#, #"{"id":"m"}"#,
                #"{"id":"m"}"#
            ),
            (
                Chat(id: "c", message: .relation(note)), m, #"{"object":\#(m)}"#,
                #"{"object":\#(m)}"#, #"{"object":\#(m)}"#
            ),
            (
                Chat(id: "c", message: .fragment(note)), m, #"{"object":\#(m)}"#,
                #"{"object":\#(m)}"#, #"{"fragment":\#(m)}"#
            ),
            (
                Chat(id: "c", message: .null), "null", #"{"object":null}"#, #"{"object":null}"#,
                #"{"object":null}"#
            ),
        ]
        for (chat, plain, keyed, explicit, lossless) in toOne {
            func json(_ message: String) -> String {
                #"{"id":"c","message":\#(message),"users":null}"#
            }
            #expect(try text(chat, .plain) == json(plain))
            #expect(try text(chat, .keyedContainer) == json(keyed))
            #expect(try text(chat, .explicitKeyedContainer) == json(explicit))
            #expect(try text(chat, .lossless) == json(lossless))
        }
    }

    @Test("SM-72: plain: null says nothing, an empty list is one of entities, ids are ids")
    func plainDecoding() throws {
        #expect(try users("null").isNone && message("null").isNone)
        let empty = try users("[]")
        #expect(!empty.isNone && !empty.isId && empty.ids == [])
        let entities = try users(#"[{"id":"u","name":"Bob","chats":null}]"#)
        #expect(!entities.isId && entities.ids == ["u"] && !entities.isFragment)
        #expect(try users(#"[{"id":"a"},{"id":"b"}]"#).isId)
        #expect(try message(#"{"id":"m"}"#).isId)
        #expect(try message(#"{"id":"m","text":"x","chat":null}"#).id == "m")
    }

    @Test(
        "plain: an object with an id alone is a reference, though every other property is optional")
    func references() throws {
        // Everything else of a user is optional or absent.
        struct Loose: Decodable {
            let user:
                Relation<Wire.Lax, Relations.OneWay, Relations.ToOne<Wire.Lax>, Relations.Optional>
        }
        let lone = try decoded(Loose.self, #"{"user":{"id":"1"}}"#).user
        #expect(lone.isId && lone.id == "1")
        let full = try decoded(Loose.self, #"{"user":{"id":"1","name":"x"}}"#).user
        #expect(!full.isId)
        // Of a type that is an id and nothing else the object is the whole entity.
        let tags = try decoded(Wire.Tagged.self, #"{"id":"1","tags":[{"id":"a"}]}"#).$tags
        #expect(!tags.isId && tags.ids == ["a"])
    }

    @Test("plain: elements that are no entities, but have ids, make the whole list one of ids")
    func badElements() throws {
        let list = try users(#"[{"id":"u","name":"Bob","chats":null},{"id":"v","name":7}]"#)
        #expect(list.isId && list.ids == ["u", "v"])
        #expect(try message(#"{"id":"m","text":7}"#).isId)
    }

    @Test("what no form can read throws, where the value stands")
    func errors() throws {
        for strategy: RelationDecodingStrategy in [.plain, [.plain, .keyedContainer]] {
            #expect(throws: DecodingError.self) { try users("7", strategy) }
            #expect(throws: DecodingError.self) { try users(#"[{"name":"Bob"}]"#, strategy) }
            #expect(throws: DecodingError.self) { try message(#"{"text":"x"}"#, strategy) }
            #expect(throws: DecodingError.self) { try message("[]", strategy) }
        }
        #expect(throws: DecodingError.self) { try message(#"{"id":7}"#, .keyedContainer) }
        #expect(throws: DecodingError.self) { try message(#"{"object":{}}"#, .keyedContainer) }
        #expect(throws: DecodingError.self) { try message(#"{"ids":["m"]}"#, .keyedContainer) }
        #expect(throws: DecodingError.self) {
            try decoded(Message.self, #"{"id":"m","text":"","chat":{"id":null}}"#, .keyedContainer)
        }
        #expect(throws: DecodingError.self) { try decoded(Chat.self, #"{"id":"c"}"#) }
        do {
            _ = try users(#"{"objects":[{"id":7}]}"#, .explicitKeyedContainer)
            Issue.record("a user whose id is a number")
        } catch let DecodingError.typeMismatch(_, context) {
            #expect(context.codingPath.map(\.stringValue).starts(with: ["users", "objects"]))
        }
    }

    @Test("keyed: what is no object says nothing, and nulls are explicit")
    func keyedDecoding() throws {
        for strategy: RelationDecodingStrategy in [.keyedContainer, .explicitKeyedContainer] {
            for value in ["null", "[]", "7", #"[{"id":"a"}]"#, "{}", #"{"none":true}"#] {
                #expect(try users(value, strategy).isNone, "\(value)")
            }
            #expect(try users(#"{"ids":["a"]}"#, strategy).isId)
            #expect(try message(#"{"object":null}"#, strategy).isNull)
            let null = try message(#"{"id":null}"#, strategy)
            #expect(null.isNull && null.isId && !null.isNone && null.id == nil)
            #expect(
                try users(#"{"objects":[{"id":"u","chats":null}]}"#, strategy).ids == ["u"])
        }
        #expect(try users(#"{"slice_ids":["a"]}"#, .keyedContainer).isNone)
        let slice = try users(#"{"slice_ids":["a"]}"#, .explicitKeyedContainer)
        #expect(slice.isSlice && slice.isId)
        #expect(try users(#"{"slice":[]}"#, .explicitKeyedContainer).isSlice)
    }

    @Test("several strategies are tried from the most explicit one; plain takes what has no keys")
    func combinedDecoding() throws {
        let all: RelationDecodingStrategy = [.plain, .keyedContainer, .explicitKeyedContainer]
        #expect(try users(#"[{"id":"a"}]"#, all).ids == ["a"])
        #expect(try users(#"{"slice_ids":["a"]}"#, all).isSlice)
        #expect(try users(#"{"ids":["a"]}"#, all).ids == ["a"])
        #expect(try message(#"{"id":"m","text":"x","chat":null}"#, .keyedContainer).isId)
    }

    @Test("the lossless encoding reads back as it was, the others as far as they say")
    func roundTrips() throws {
        let bob = User(id: "u", name: "Bob")
        let note = Message(id: "m", text: "x")
        let chats = [
            Chat(id: "c"), Chat(id: "c", users: .ids(["a"])), Chat(id: "c", users: .ids([])),
            Chat(id: "c", users: .appending(ids: ["a"])), Chat(id: "c", users: .fragment([bob])),
            Chat(id: "c", users: .appending(fragment: [bob])),
            Chat(id: "c", users: .appending(relation: [])), Chat(id: "c", message: .null),
            Chat(id: "c", message: .id("m")), Chat(id: "c", message: .fragment(note)),
            Chat(id: "c", message: .relation(note)),
        ]
        for chat in chats {
            let lossless = try text(chat, .lossless)
            let read = try decoded(Chat.self, lossless, .explicitKeyedContainer)
            #expect(read.isIdentical(to: chat), "\(lossless)")
            let pairs: [(RelationEncodingStrategy, RelationDecodingStrategy)] = [
                (.plain, .plain), (.keyedContainer, .keyedContainer),
                (.explicitKeyedContainer, .explicitKeyedContainer),
            ]
            for (encoding, decoding) in pairs {
                let first = try text(chat, encoding)
                #expect(try text(decoded(Chat.self, first, decoding), encoding) == first)
            }
        }
    }

    @Test("SM-73: coders carry their strategies, in userInfo, down to every relation")
    func strategies() throws {
        let encoder = JSONEncoder()
        #expect(encoder.relationEncodingStrategy == .plain)
        encoder.userInfo[RelationEncodingStrategy.userInfoKey] =
            RelationEncodingStrategy.keyedContainer
        #expect(encoder.relationEncodingStrategy == .keyedContainer)
        let decoder = JSONDecoder()
        #expect(
            decoder.relationDecodingStrategy == [.plain]
                && RelationDecodingStrategy.default == .plain)
        decoder.relationDecodingStrategy = [.plain, .explicitKeyedContainer]
        #expect(decoder.userInfo[RelationDecodingStrategy.userInfoKey] != nil)
        struct Probe: Codable {
            var seen = ""
            init() {}
            init(from decoder: any Decoder) throws { seen = "\(decoder.relationDecodingStrategy)" }
            func encode(to encoder: any Encoder) throws {
                try "\(encoder.relationEncodingStrategy)".encode(to: encoder)
            }
        }
        #expect(try text([Probe()], .keyedContainer) == #"["keyedContainer"]"#)
        #expect(try decoded([Probe].self, "[1]", .keyedContainer)[0].seen.contains("2"))
    }

    @Test("SM-74: pretty printing sorts keys, leaves slashes, and ends without a line break")
    func prettyPrinting() {
        let user = User(id: "a/b", chats: .relation([]))
        #expect(
            user.prettyDescription(with: .prettyPrinting) == """
                {
                  "chats" : [

                  ],
                  "id" : "a/b"
                }
                """)
        #expect([user].prettyDescription()?.hasPrefix("[") == true)
        struct Broken: Encodable {
            func encode(to encoder: any Encoder) throws { throw CancellationError() }
        }
        #expect(Broken().prettyDescription() == nil)
    }
}
