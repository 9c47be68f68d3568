import Testing

@Suite("@EntityModel: misuse of relations")
struct EntityModelRelationDiagnosticTests {
    private func expansion(_ member: String) -> Expansion {
        Expansion("@EntityModel struct A {\n    let id: Int\n    \(member)\n}")
    }

    private func source(_ member: String) -> String {
        "@EntityModel struct A {\n    let id: Int\n    \(member)\n}"
    }

    @Test("A relation must be optional; the fix makes it so")
    func notOptional() {
        let types = [
            ("User", "User?"), ("[User]", "[User]?"), ("Array<User>", "Array<User>?"),
            ("User!", "User?"), ("[User]!", "[User]?"), ("Schema.User", "Schema.User?"),
        ]
        for (type, replacement) in types {
            let expansion = expansion(#"@Relationship(inverse: \.back) var x: \#(type)"#)
            #expect(
                expansion.messages == [
                    "the relation 'x' must be optional, because an entity need not have its"
                        + " related entities loaded: write '\(replacement)'"
                ])
            #expect(expansion.places == [type])
            #expect(
                expansion.fixes == [
                    .init(
                        "write '\(replacement)'",
                        source(#"@Relationship(inverse: \.back) var x: \#(replacement)"#))
                ])
        }
    }

    @Test("A relation needs a type")
    func noType() {
        let expansion = expansion(#"@Relationship(inverse: \.back) var x"#)
        #expect(
            expansion.messages == [
                "the relation 'x' needs a type, such as 'User?' for one or '[User]?' for many"
            ])
        #expect(expansion.fixes == [])
    }

    @Test("A bare one-way relation needs '= nil', which the fix adds, or parentheses")
    func oneWayWithoutValue() {
        for type in ["[User]?", "User?"] {
            let expansion = expansion("@Relationship var x: \(type) // kept")
            #expect(
                expansion.messages == [
                    "the one-way relation 'x' needs a value to start from: write '= nil', or"
                        + " '@Relationship()' for a memberwise initializer that takes ids too"
                ])
            #expect(
                expansion.fixes == [
                    .init("add '= nil'", source("@Relationship var x: \(type) = nil // kept"))
                ])
        }
    }

    @Test("A one-way relation with an argument list, be it empty, starts from it")
    func oneWayWithArguments() {
        for attribute in [
            "@Relationship()", "@Relationship(deleteRule: .cascade)", "@Relationship(.required)",
        ] {
            #expect(expansion("\(attribute) var x: User?").messages == [])
        }
    }

    @Test("Two relations cannot have the same other side")
    func sharedInverse() {
        let expansion = expansion(
            """
            @Relationship(inverse: \\.parts) var x: Bone?
            @Relationship(inverse: \\.parts) var y: [Bone]?
            @Relationship(inverse: \\.parts) var z: Meat?
            """)
        #expect(
            expansion.messages == [
                "'x' and 'y' both name 'Bone.parts' as their inverse, which can be that of one only"
            ])
        #expect(expansion.places == ["y"])
    }

    @Test("A constant relation becomes a variable")
    func constant() {
        let expansion = expansion("@Relationship(.required) let x: User?")
        #expect(expansion.messages == ["the relation 'x' must be a 'var'"])
        #expect(expansion.places == ["let"])
        #expect(
            expansion.fixes == [
                .init("replace 'let' with 'var'", source("@Relationship(.required) var x: User?"))
            ])
    }

    @Test("A static relation becomes one of each entity")
    func staticRelation() {
        let expansion = expansion("@Relationship(.required) static var x: User?")
        #expect(
            expansion.messages == ["the relation 'x' belongs to each entity and cannot be static"])
        #expect(
            expansion.fixes == [
                .init("remove 'static'", source("@Relationship(.required) var x: User?"))
            ])
    }

    @Test("A relation has no accessors")
    func computed() {
        let expansion = expansion("@Relationship(.required) var x: User? { nil }")
        #expect(
            expansion.messages == [
                "the relation 'x' cannot have accessors: it is stored by its wrapper"
            ])
    }

    @Test("A lazy relation is refused like any lazy property")
    func lazyRelation() {
        let expansion = expansion("@Relationship(.required) lazy var x: User?")
        #expect(
            expansion.messages == [
                "'x' is lazy and would not be persisted: remove 'lazy', or make it a computed"
                    + " property"
            ])
        #expect(
            expansion.fixes == [
                .init("remove 'lazy'", source("@Relationship(.required) var x: User?"))
            ])
    }

    @Test("What is deleted when it leaves a list must go with the list")
    func orphans() {
        let refused = expansion("@Relationship(orphans: .delete, inverse: \\.user) var x: [User]?")
        #expect(
            refused.messages == [
                "'x' deletes what leaves it, so what is in it must go with its entity: add"
                    + " 'deleteRule: .cascade'"
            ])
        let accepted = expansion(
            "@Relationship(deleteRule: .cascade, orphans: .delete, inverse: \\.user) var x: [User]?"
        )
        #expect(accepted.messages.isEmpty)
        #expect(accepted.text.contains("deleteRule: .cascade, orphans: .delete)"))
    }

    @Test("An inverse is a key path to one relation")
    func malformedInverse() {
        for path in [#"\.a.b"#, #"\.[0]"#, #"\User.back?"#, "back", #"\.self"#, #"\User.a[1]"#] {
            let expansion = expansion("@Relationship(inverse: \(path)) var x: User?")
            #expect(
                expansion.messages == [
                    "the inverse of 'x' must be a key path to one relation, such as '\\.messages'"
                        + " or '\\Chat.messages'"
                ], "\(path)")
            #expect(expansion.places == [path])
        }
    }
}
