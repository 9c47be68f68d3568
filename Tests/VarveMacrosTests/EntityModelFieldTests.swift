import Testing

@Suite("@EntityModel: fields")
struct EntityModelFieldTests {
    private func expansion(_ members: String) -> Expansion {
        Expansion("@EntityModel struct A {\nlet id: Int\n\(members)\n}")
    }

    /// The names of the properties that decoding assigns.
    private func fields(_ members: String) -> [String] {
        let lines = expansion(members).member("init(_id id: ID, from").split(separator: "\n")
        return lines.filter { $0.contains(" = field") }.map { line in
            String(line.trimmingPrefix("    self.").prefix { $0 != " " })
        }
    }

    @Test("Stored properties are fields, in the order of declaration")
    func storedProperties() {
        #expect(
            fields("let a: Int\nvar b: String\nprivate var c: Int\npublic private(set) var d = 1")
                == ["a", "b", "c", "d"])
    }

    @Test("Observers leave a property a field; other accessors do not")
    func accessors() {
        let members = """
            var a: Int { didSet {} }
            var b = 1 { willSet { print(newValue) } didSet {} }
            var c: Int { 1 }
            var d: Int { get { 1 } set {} }
            var e: Int { _read { yield a } }
            """
        #expect(fields(members) == ["a", "b"])
    }

    @Test("Constants with a value and static properties are not fields")
    func notFields() {
        #expect(fields("let a = 42\nstatic var b = 1\nstatic let c = 2\nlet (d, e) = (1, 2)") == [])
        #expect(expansion("let a = 42\nlet (d, e) = (1, 2)").messages == [])
    }

    @Test("Several properties in one declaration are several fields")
    func severalBindings() {
        #expect(fields("var a: Int?, b: Int?\nvar c, d: Int, e = 1") == ["a", "b", "c", "d", "e"])
        // The type behind d is c's too; a patch shows what each is taken for.
        let patching = expansion("var a: Int?, b: Int\nvar c, d: Int?\nvar e = 1, f: Int?")
            .member("init(_patching")
        #expect(
            patching == """
                init(_patching old: Self, with new: Self) {
                    self.id = new.id
                    self.a = new.a ?? old.a
                    self.b = new.b
                    self.c = new.c ?? old.c
                    self.d = new.d ?? old.d
                    self.e = new.e
                    self.f = new.f ?? old.f
                }
                """)
    }

    @Test("Every spelling of an optional is patched, and `let` as well as `var`")
    func optionalSpellings() {
        let spellings = [
            "Int?", "Optional<Int>", "Swift.Optional<Int>", "(Int)?", "(Int?)", "Int!", "[Int]?",
        ]
        for type in spellings {
            for word in ["let", "var"] {
                let patching = expansion("\(word) a: \(type)").member("init(_patching")
                #expect(patching.contains("self.a = new.a ?? old.a\n"), "\(word) \(type)")
            }
        }
        for type in ["Int", "[Int?]", "Box<Int?>", "(Int?, Int?)", "Other.Optional<Int>"] {
            let patching = expansion("var a: \(type)").member("init(_patching")
            #expect(patching.contains("self.a = new.a\n"), "\(type)")
        }
    }

    @Test("An implicitly unwrapped property is passed on as the optional that it is")
    func implicitlyUnwrapped() {
        let expansion = expansion("var a: Int!")
        #expect(
            expansion.member("_store(").contains(
                #"store(VarveGraph._FieldCodec.optional(self.a), "a", into: &writer)"#))
        #expect(
            expansion.member("_changes").contains(
                #"change(0, "a", VarveGraph._FieldCodec.optional(old.a), "#
                    + "VarveGraph._FieldCodec.optional(new.a), into: &changes)"))
        #expect(expansion.member("_fill").contains("self.a = nil\n"))
    }

    @Test("Rows of older logs are filled with the declaration's value, or with nil")
    func fillValues() {
        let given = [
            "var a = 0", "var a: Status = .active", "var a: Int? = 3",
            "var a: Optional<Int> = .none", "var a = [1, 2] { didSet {} }",
        ]
        let optional = ["var a: Int?", "let a: Int?", "var a: Optional<Int>", "var a: Int!"]
        for property in given + optional {
            let expansion = expansion(property)
            let line = optional.contains(property) ? "        self.a = nil\n" : ""
            let value =
                property.hasSuffix("!") ? "VarveGraph._FieldCodec.optional(self.a)" : "self.a"
            #expect(
                expansion.member("_describe").contains(
                    """
                            fill: { (_writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) in
                                _ = try Self(_fill: 0, into: &_writer)
                            })
                    """), "\(property)")
            #expect(
                expansion.member("init?(_fill") == """
                    init?(_fill field: Int, into writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) {
                        switch field {
                        case 0:
                    \(line)        try VarveGraph._FieldCodec.store(\(value), "a", into: &writer)
                        default: break
                        }
                        return nil
                    }
                    """, "\(property)")
        }
    }

    @Test("A property without a value is not filled, and the others are numbered without it")
    func unfilled() {
        for property in ["var a: Int", "let a: Int", "let a: [Int?]"] {
            let expansion = expansion(property)
            #expect(
                expansion.member("_describe").contains(
                    #"_description.field("a", \Self.a)"#))
            #expect(expansion.member("init?(_fill") == "")
        }
        let several = expansion("var a = 1\nvar b: Int\nvar c = 2")
        #expect(several.member("_describe").contains("Self(_fill: 1, into: &_writer)"))
        #expect(several.member("init?(_fill").contains(#"store(self.c, "c", into: &writer)"#))
        #expect(!several.member("init?(_fill").contains("self.b"))
    }

    @Test("Names in backticks keep them in the code and lose them in the log")
    func backticks() {
        let expansion = expansion("var `default`: Int\n@Relationship(.required) var `case`: User?")
        #expect(
            expansion.member("_describe").contains(
                #"field("default", \Self.`default`)"#))
        #expect(
            expansion.member("_store(").contains(
                #"store(self.`default`, "default", into: &writer)"#))
        #expect(expansion.member("_describe").contains(#""case", \Self.$case,"#))
    }

    @Test("A persisted name is used in the description only")
    func persistedName() {
        let expansion = expansion(
            """
            @PersistedName("old") var a: Int
            @PersistedName("former") @Relationship(.required) var b: User?
            """)
        #expect(expansion.messages == [])
        #expect(expansion.member("_describe").contains(#"field("old", "#))
        #expect(expansion.member("_describe").contains(#""former", \Self.$b,"#))
        #expect(expansion.member("_store(").contains(#"store(self.a, "a", into: &writer)"#))
    }

    @Test("Index declarations are neither fields nor relations")
    func indexes() {
        let expansion = expansion(
            #"""
            var age: Int
            @Index<Self>(\.age) private var ageIndex
            @HashIndex<Self>(\.age) private var hashIndex
            @Unique<Self>(\.age, collisions: .throw) private var unique
            @FullTextIndex<Self>(\.name) private var text
            @VarveGraph.Index<Self>(\.age.desc) private var descending
            """#)
        #expect(expansion.messages == [])
        for member in ["_store(", "init(_id", "_changes", "_normalize", "init(_patching"] {
            let text = expansion.member(member)
            #expect(!text.isEmpty)
            #expect(!text.contains("Index"))
            #expect(!text.contains("nique"))
            #expect(!text.contains("descending"))
        }
    }

    @Test("Attributes of the language do not make a property a wrapped one")
    func plainAttributes() {
        #expect(
            fields(
                "@available(*, deprecated) var a: Int\n@usableFromInline var b: Int\n@MainActor var c: Int"
            ) == ["a", "b", "c"])
    }
}
