import Testing

@Suite("@AutoIncrement")
struct AutoIncrementTests {
    @Test("The entity says that its ids are numbered, and can be given one")
    func members() {
        let expansion = Expansion(
            """
            @EntityModel public struct Note {
                @AutoIncrement let id: Int32
                var text: String
                @Relationship(inverse: \\.notes) var tags: [Tag]?
            }
            """)
        #expect(expansion.messages.isEmpty)
        #expect(
            expansion.member("_describe(").contains(
                "_description.numberIDs()\n    _description.field"))
        #expect(
            expansion.member("init(_numbering") == """
                public init(_numbering other: Self, as id: ID) {
                    self.id = id
                    self.text = other.text
                    self._tags = other._tags
                }
                """)
        #expect(
            expansion.member("_assignID(") == """
                public static func _assignID(to entity: inout Self, in context: inout VarveGraph.Context) throws {
                    guard entity.id == 0 else { return }
                    entity = Self(_numbering: entity, as: try context._nextID(of: Self.self))
                }
                """)
    }

    @Test("The memberwise initializer need not be given an id, and takes what it took otherwise")
    func initializer() {
        let expansion = Expansion(
            """
            @EntityModel struct Note {
                @Index<Self>(\\.text) private var byText
                let kind = 1
                static let shared = 2
                @AutoIncrement let id: Int
                var text: String
                let origin: String?
                var stars: Int? = 5, note: String?
                var isDone = false
                var made = Date(), ratio = -0.5
                var action: (Int) -> Void
                var length: Int { text.count }
                @Relationship(inverse: \\.notes) var tags: [Tag]?
                @Relationship(.required, inverse: \\.notes) var list: List?
                @Relationship var links: [Note]? = nil
            }
            """)
        #expect(expansion.messages.isEmpty)
        #expect(
            expansion.initializers == [
                """
                init(id: Int = 0, text: String, origin: String?, stars: Int? = 5, note: String? = nil, \
                isDone: Swift.Bool = false, made: Date = Date(), ratio: Swift.Double = -0.5, \
                action: @escaping (Int) -> Void, \
                tags: VarveGraph.Relationship<Tag, VarveGraph.Relations.Mutual, \
                VarveGraph.Relations.ToMany<Tag>, VarveGraph.Relations.Required> = .none, \
                list: VarveGraph.Relationship<List, VarveGraph.Relations.Mutual, \
                VarveGraph.Relations.ToOne<List>, VarveGraph.Relations.Required> = .none, \
                links: VarveGraph.Relation<Note, VarveGraph.Relations.OneWay, \
                VarveGraph.Relations.ToMany<Note>, VarveGraph.Relations.Required>? = nil)
                """
            ])
    }

    @Test(
        "A struct with an initializer of its own keeps that, and a private property hides the other"
    )
    func ownInitializer() {
        let own = Expansion(
            """
            @EntityModel struct Note {
                @AutoIncrement let id: Int
                var items = [1, 2]
                init() { id = 0 }
            }
            """)
        #expect(own.messages.isEmpty && own.initializers.isEmpty)
        let hidden = Expansion(
            "@EntityModel struct Note { @AutoIncrement let id: Int; private var text: String }")
        #expect(hidden.initializers == ["fileprivate init(id: Int = 0, text: String)"])
        #expect(Expansion("@EntityModel struct Note { let id: Int }").initializers.isEmpty)
    }

    @Test(
        "What cannot be numbered is an error that says what to write",
        arguments: [
            (
                "@AutoIncrement let id: Int; @AutoIncrement var number: Int",
                "'@AutoIncrement' is on 'id' and 'number': an entity has one id, so keep the one on 'id'"
            ),
            (
                "@AutoIncrement @AutoIncrement let id: Int",
                "'@AutoIncrement' is twice on 'id': an entity has one id, so keep the one on 'id'"
            ),
            (
                "let id: Int; @AutoIncrement var number: Int",
                "'@AutoIncrement' numbers ids, and 'number' is none: remove it, or name the property 'id'"
            ),
            (
                "@AutoIncrement let id: String",
                "'@AutoIncrement' gives integers, and String is none: declare 'let id: Int'"
            ),
            (
                "@AutoIncrement let id: Int?",
                "'@AutoIncrement' gives integers, and Int? is none: declare 'let id: Int'"
            ),
            (
                "@AutoIncrement let id: Foundation.UUID",
                "'@AutoIncrement' gives integers, and Foundation.UUID is none: declare 'let id: Int'"
            ),
            (
                "@AutoIncrement var id: Int = 5",
                "the store gives this id, so it cannot be computed or have a value: declare 'let id: Int'"
            ),
            (
                "@AutoIncrement var id: Int { 5 }",
                "the store gives this id, so it cannot be computed or have a value: declare 'let id: Int'"
            ),
            (
                "@AutoIncrement let id: Int; var tags = [\"a\"]",
                "the initializer without an id needs the type of 'tags': write it out, such as in "
                    + "'var tags: [String] = []'"
            ),
        ])
    func misuse(_ members: String, message: String) {
        let expansion = Expansion("@EntityModel struct Note { \(members) }")
        #expect(expansion.messages == [message])
        #expect(expansion.extensions.isEmpty && expansion.initializers.isEmpty)
    }

    @Test("Outside of an entity it is an error")
    func outside() {
        let message = "'@AutoIncrement' belongs to the 'id' of a type with '@EntityModel'"
        #expect(Expansion("struct Note { @AutoIncrement let id: Int }").messages == [message])
        #expect(Expansion("@AutoIncrement let id = 5").messages == [message])
    }
}
