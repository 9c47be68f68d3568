import Testing

@Suite("@EntityModel: misuse of the type and its properties")
struct EntityModelDiagnosticTests {
    @Test("A class, an actor and an enum are refused; the fix makes a struct")
    func wrongKinds() {
        for (word, phrase) in [("class", "a class"), ("actor", "an actor"), ("enum", "an enum")] {
            let expansion = Expansion("@EntityModel public \(word) A { let id: Int }")
            #expect(
                expansion.messages == [
                    "'@EntityModel' needs a struct: a context copies its entities, and \(phrase)"
                        + " cannot be an entity"
                ])
            #expect(expansion.places == [word])
            #expect(
                expansion.fixes == [
                    .init(
                        "replace '\(word)' with 'struct'",
                        "@EntityModel public struct A { let id: Int }")
                ])
            #expect(expansion.text == "")
        }
    }

    @Test("A missing id is inserted as the first member, indented like the others")
    func missingID() {
        let expansion = Expansion(
            """
            @EntityModel
            struct A {
                // What it is called.
                var name: String
            }
            """)
        #expect(
            expansion.messages == [
                "'A' has no 'id': an entity declares one in the struct itself, such as"
                    + " 'let id: String'"
            ])
        #expect(expansion.places == ["A"])
        #expect(
            expansion.fixes == [
                .init(
                    "insert 'let id: String'",
                    """
                    @EntityModel
                    struct A {
                        let id: String
                        // What it is called.
                        var name: String
                    }
                    """)
            ])
    }

    @Test("A missing id is inserted into an empty struct and into one on a single line")
    func missingIDOnOneLine() {
        #expect(
            Expansion("@EntityModel struct A {}").fixes.map(\.result)
                == ["@EntityModel struct A {\n    let id: String\n}"])
        #expect(
            Expansion("@EntityModel struct A { var n: Int }").fixes.map(\.result)
                == ["@EntityModel struct A { let id: String; var n: Int }"])
        #expect(
            Expansion("@EntityModel struct A {\n}").fixes.map(\.result)
                == ["@EntityModel struct A {\n    let id: String\n}"])
    }

    @Test("A static id is none")
    func staticID() {
        let expansion = Expansion("@EntityModel struct A { static let id = 1 }")
        #expect(expansion.messages.first?.hasPrefix("'A' has no 'id'") == true)
    }

    @Test("A constant id that is made anew for each value is refused")
    func remadeID() {
        let expansion = Expansion("@EntityModel struct A { let id = UUID().uuidString }")
        #expect(
            expansion.messages == [
                "a 'let id' with a value gets another one each time an entity is decoded: declare"
                    + " it 'var'"
            ])
        #expect(
            expansion.fixes == [
                .init(
                    "replace 'let' with 'var'",
                    "@EntityModel struct A { var id = UUID().uuidString }")
            ])
    }

    @Test("An id cannot be a relation, and has no other name in the log")
    func wrongIDs() {
        #expect(
            Expansion("@EntityModel struct A { @Relationship(.required) var id: B? }").messages
                == ["'id' identifies the entity and cannot be a relation"])
        #expect(
            Expansion(#"@EntityModel struct A { @PersistedName("key") let id: Int }"#).messages
                == ["'id' identifies the entity and cannot be renamed"])
        for level in ["private", "fileprivate"] {
            #expect(
                Expansion("@EntityModel struct A { \(level) let id: Int }").messages
                    == ["'id' identifies the entity and cannot be \(level)"])
        }
        #expect(Expansion("@EntityModel struct A { private(set) var id: Int }").messages == [])
        #expect(
            Expansion("@EntityModel fileprivate struct A { fileprivate let id: Int }").messages
                == [])
    }

    @Test("An id cannot be an asset, of which a row has the digest alone")
    func assetID() {
        for type in ["Asset<Data>", "Varve.Asset<String>", "[Asset<Data>]"] {
            #expect(
                Expansion("@EntityModel struct A { let id: \(type) }").messages
                    == ["'id' identifies the entity and cannot be an asset"])
        }
        // A type of the app's own.
        #expect(Expansion("@EntityModel struct A { let id: Asset }").messages == [])
    }

    @Test("A constant that is made anew for each value is warned about, and stays no field")
    func remadeConstant() {
        let expansion = Expansion("@EntityModel struct A { let id: Int; let at = Date() }")
        #expect(
            expansion.messages == [
                "'at' is a 'let' with a value, which is not persisted but made anew each time an"
                    + " instance is decoded: declare it 'var' to persist it, or 'static let'"
            ])
        #expect(
            expansion.fixes == [
                .init(
                    "replace 'let' with 'var'",
                    "@EntityModel struct A { let id: Int; var at = Date() }"),
                .init(
                    "replace 'let' with 'static let'",
                    "@EntityModel struct A { let id: Int; static let at = Date() }"),
            ])
        #expect(!expansion.text.contains("self.at"))
        #expect(!expansion.text.isEmpty)
    }

    @Test("A constant without a call, or with one that a closure would make, is fine")
    func plainConstant() {
        let members = "let id: Int; let a = [1, 2]; let b = { Date() }; let c = Version.v1"
        #expect(Expansion("@EntityModel struct A { \(members) }").messages == [])
    }

    @Test("Lazy, weak and unowned properties are refused; the fix removes the word")
    func unusualStorage() {
        for word in ["lazy", "weak", "unowned"] {
            let expansion = Expansion(
                """
                @EntityModel
                struct A {
                    let id: Int

                    // Kept.
                    \(word) var b = 1
                    private \(word) var c = 1
                }
                """)
            #expect(
                expansion.messages
                    == ["b", "c"].map {
                        "'\($0)' is \(word) and would not be persisted: remove '\(word)', or make"
                            + " it a computed property"
                    })
            #expect(expansion.places == ["b", "c"])
            #expect(
                expansion.fixes.first
                    == .init(
                        "remove '\(word)'",
                        """
                        @EntityModel
                        struct A {
                            let id: Int

                            // Kept.
                            var b = 1
                            private \(word) var c = 1
                        }
                        """))
            #expect(expansion.fixes.last?.result.contains("    private var c = 1\n") == true)
        }
    }

    @Test("A tuple pattern is refused, and split where its value is a tuple too")
    func tuplePattern() {
        let expansion = Expansion(
            """
            @EntityModel
            struct A {
                let id: Int
                private var (a, b) = (1, "x")
            }
            """)
        #expect(
            expansion.messages == [
                "properties that a tuple pattern declares would not be persisted: declare each by"
                    + " itself"
            ])
        #expect(expansion.places == ["(a, b)"])
        #expect(
            expansion.fixes == [
                .init(
                    "declare each by itself",
                    """
                    @EntityModel
                    struct A {
                        let id: Int
                        private var a = 1
                        private var b = "x"
                    }
                    """)
            ])
        let unsplittable = Expansion("@EntityModel struct A { let id: Int; var (a, b) = pair }")
        #expect(unsplittable.messages.count == 1)
        #expect(unsplittable.fixes == [])
        let untyped = Expansion("@EntityModel struct A { let id: Int; let (a, b): (Int, Int) }")
        #expect(untyped.messages.count == 1)
    }

    @Test("What is stored must not depend on #if; functions and constants may")
    func conditionalMembers() {
        let expansion = Expansion(
            """
            @EntityModel
            struct A {
                let id: Int
                #if DEBUG
                var a: Int
                #if os(Linux)
                var b: Int
                #endif
                #else
                @Relationship(.required) var c: User?
                #endif
                #if DEBUG
                func dump() {}
                let d = 1
                static var e = 1
                var f: Int { 1 }
                #endif
            }
            """)
        #expect(
            expansion.messages
                == ["a", "b", "c"].map {
                    "'\($0)' depends on '#if', and what is persisted must not depend on how the"
                        + " program was built: move it out of '#if'"
                })
        #expect(expansion.places == ["#if", "#if", "#else"])
    }

    @Test("A property wrapper that the library does not know is refused")
    func unknownWrapper() {
        let expansion = Expansion(
            """
            @EntityModel struct A {
                let id: Int
                @Clamped(0...1) var a = 0.5
            }
            """)
        #expect(
            expansion.messages == [
                "'@Clamped' wraps 'a', and a wrapped property is not persisted: remove the"
                    + " wrapper, or make 'a' a computed property over a stored one"
            ])
        #expect(expansion.places == ["@Clamped(0...1)"])
        #expect(
            expansion.fixes == [
                .init(
                    "remove '@Clamped'",
                    """
                    @EntityModel struct A {
                        let id: Int
                        var a = 0.5
                    }
                    """)
            ])
    }

    @Test("Two properties cannot share a persisted name, nor take that of the id")
    func duplicateNames() {
        let expansion = Expansion(
            """
            @EntityModel struct A {
                let id: Int
                var a: Int
                @PersistedName("a") var b: Int
                @PersistedName("id") @Relationship(.required) var c: User?
            }
            """)
        #expect(
            expansion.messages == [
                "the persisted name \"a\" is already taken by 'a': give this one another with"
                    + " '@PersistedName'",
                "the persisted name \"id\" is already taken by 'id': give this one another with"
                    + " '@PersistedName'",
            ])
        #expect(expansion.places == ["b", "c"])
    }

    @Test("Two renamed properties may swap their names")
    func swappedNames() {
        let expansion = Expansion(
            #"""
            @EntityModel struct A {
                let id: Int
                @PersistedName("b") var a: Int
                @PersistedName("a") var b: Int
            }
            """#)
        #expect(expansion.messages == [])
    }

    @Test("A local type is refused")
    func localTypes() {
        let places = [
            "func f() { @EntityModel struct A { let id: Int } }",
            "var f: Int { @EntityModel struct A { let id: Int }; return 1 }",
            "let f = { @EntityModel struct A { let id: Int } }",
        ]
        for place in places {
            let expansion = Expansion(place)
            #expect(expansion.text == "")
            #expect(
                expansion.messages == [
                    "'A' is local to a function, where a macro cannot extend it: declare it in a"
                        + " type or at file scope"
                ])
        }
    }

    @Test("A nested private type is refused; the fix makes it fileprivate")
    func privateNested() {
        let expansion = Expansion("enum S { @EntityModel private struct A { let id: Int } }")
        #expect(
            expansion.messages == [
                "'A' is private to the type around it, so that its generated extension cannot name"
                    + " it: declare it 'fileprivate'"
            ])
        #expect(
            expansion.fixes == [
                .init(
                    "replace 'private' with 'fileprivate'",
                    "@EntityModel fileprivate struct A { let id: Int } ")
            ])
    }
}
