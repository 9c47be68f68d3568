import Testing

@Suite("@EntityModel: relations")
struct EntityModelRelationTests {
    /// What the description says about the one relation.
    private func description(_ member: String) -> [String] {
        let expansion = Expansion("@EntityModel struct A {\nlet id: Int\n\(member)\n}")
        #expect(expansion.messages == [], "\(member)")
        let lines = expansion.member("_describe").split(separator: "\n").map { line in
            line.drop { $0 == " " }
        }
        guard let start = lines.firstIndex(of: "_description.relation(") else { return [] }
        return lines[start...].dropFirst().prefix(2).map(String.init)
    }

    private let offset = #"offset: MemoryLayout<Self>.offset(of: \Self._x)"#

    @Test("An inverse is emitted without a type: the relation's own type says where it starts")
    func elements() {
        let types = [
            "User?", "[User]?", "Array<User>?", "Optional<User>", "Optional<[User]>",
            "Optional<Array<User>>", "Swift.Array<User>?", "(User)?", "([User])?", "[(User)]?",
        ]
        for type in types {
            #expect(
                description(#"@Relationship(inverse: \.back) var x: \#(type)"#)
                    == [
                        #""x", \Self.$x, inverse: \.$back,"#,
                        "\(offset), deleteRule: .nullify)",
                    ], "\(type)")
        }
    }

    @Test("Nested and generic entities are not named either")
    func qualifiedElements() {
        for element in ["Schema.V1.User", "Box<Int>", "Schema.Box<[Int]>", "Self"] {
            for type in ["\(element)?", "[\(element)]?"] {
                let lines = description(#"@Relationship(inverse: \.back) var x: \#(type)"#)
                #expect(lines.first == #""x", \Self.$x, inverse: \.$back,"#)
            }
        }
    }

    @Test("Of a key path with several components only the last one is projected")
    func inversePaths() {
        let paths = [
            (#"\.back"#, #"\.$back"#),
            (#"\User.back"#, #"\.$back"#),
            (#"\Schema.V1.User.back"#, #"\.$back"#),
            (#"\Box<Int>.back"#, #"\.$back"#),
            (#"\Schema.Box<Int>.back"#, #"\.$back"#),
            (#"\Self.back"#, #"\.$back"#),
            (#"\User.$back"#, #"\.$back"#),
            (#"\.`default`"#, #"\.$default"#),
        ]
        for (path, inverse) in paths {
            let lines = description(#"@Relationship(inverse: \#(path)) var x: [User]?"#)
            #expect(lines.first == #""x", \Self.$x, inverse: \#(inverse),"#, "\(path)")
        }
    }

    @Test("Arguments are found by their labels, in any order")
    func argumentOrder() {
        let attributes = [
            #"@Relationship(deleteRule: .cascade, inverse: \.back)"#,
            #"@Relationship(inverse: \.back, deleteRule: .cascade)"#,
            #"@Relationship(.required, inverse: \.back, deleteRule: .cascade)"#,
            #"@Relationship(.required, deleteRule: .cascade, inverse: \.back)"#,
            #"@VarveGraph.Relationship(deleteRule: .cascade, inverse: \.back)"#,
        ]
        for attribute in attributes {
            #expect(
                description("\(attribute) var x: User?")
                    == [
                        #""x", \Self.$x, inverse: \.$back,"#,
                        "\(offset), deleteRule: .cascade)",
                    ])
        }
    }

    @Test("A delete rule is passed on as it is written")
    func deleteRule() {
        let lines = description(
            "@Relationship(deleteRule: DeleteRule.cascade) var x: [User]? = nil")
        #expect(lines == [#""x", \Self.$x,"#, "\(offset), deleteRule: DeleteRule.cascade)"])
    }

    @Test("One-way relations: required to one, and any with a value")
    func oneWay() {
        let members = [
            "@Relationship(.required) var x: User?", "@Relationship var x: User? = nil",
            "@Relationship var x: [User]? = nil", "@Relationship var x: [User]? = .none",
            "@Relationship var x: V1? = .relation(V1())",
            "@Relationship(wrappedValue: nil) var x: [User]?",
        ]
        for member in members {
            #expect(
                description(member) == [#""x", \Self.$x,"#, "\(offset), deleteRule: .nullify)"])
        }
    }

    @Test(
        "Relations are numbered among themselves, and unset when a value is decoded where they may say something"
    )
    func severalRelations() {
        let expansion = Expansion(
            """
            @EntityModel struct A {
                @Relationship(.required) var x: User?
                let id: Int
                var a: Int
                @Relationship var y: [User]? = .relation([])
            }
            """)
        #expect(
            expansion.member("_saveRelations") == """
                func _saveRelations(to context: inout VarveGraph.Context, at slot: VarveGraph.Slot) throws {
                    try context._save(self.$x, relation: 0, of: Self.self, at: slot)
                    try context._save(self.$y, relation: 1, of: Self.self, at: slot)
                }
                """)
        #expect(
            expansion.member("init(_id id: ID, from") == """
                init(_id id: ID, from reader: inout VarveGraph.ByteReader) throws(VarveGraph.CodecError) {
                    let field0 = try VarveGraph._FieldCodec.load(from: &reader) { (row: Self) in row.a }
                    self.id = id
                    self.a = field0
                    self._y = .none
                }
                """)
    }
}
