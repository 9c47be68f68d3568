import Testing

@Suite("@Storable: misuse")
struct StorableDiagnosticTests {
    @Test("A class and an actor are refused; the fix makes a struct")
    func wrongKinds() {
        for (word, phrase) in [("class", "a class"), ("actor", "an actor")] {
            let expansion = Expansion("@Storable final \(word) A { var x = 1 }")
            #expect(
                expansion.messages == [
                    "'@Storable' needs a struct or an enum: \(phrase) is not a value"
                ])
            #expect(
                expansion.fixes == [
                    .init(
                        "replace '\(word)' with 'struct'", "@Storable final struct A { var x = 1 }")
                ])
            #expect(expansion.text == "")
        }
    }

    @Test("A type that holds itself is refused, wherever it does")
    func recursiveTypes() {
        let sources = [
            ("@Storable indirect enum A { case a, b }", "A"),
            ("@Storable enum A { indirect case a(Other); case b }", "a"),
            ("@Storable enum A { case a([A]) }", "[A]"),
            ("@Storable enum A { case a(x: Int, y: [String: A?]) }", "[String: A?]"),
            ("@Storable struct A { var a: [A] }", "[A]"),
            ("@Storable struct A { var a: Optional<Box<Self>> }", "Optional<Box<Self>>"),
        ]
        for (source, place) in sources {
            let expansion = Expansion(source)
            #expect(
                expansion.messages == [
                    "'A' holds itself, so that its stored form has no bound: make it 'Codable' in"
                        + " place of '@Storable', and it is stored as JSON"
                ], "\(source)")
            #expect(expansion.places == [place])
            #expect(expansion.text == "")
        }
    }

    @Test("A type of the same name inside another one is another type")
    func otherTypeOfThatName() {
        #expect(Expansion("@Storable struct A { var a: [Other.A] }").messages == [])
    }

    @Test("An enum without cases has no value to store")
    func noCases() {
        #expect(
            Expansion("@Storable enum A { static let x = 1 }").messages
                == ["'A' has no cases, so that there is no value to store"])
    }

    @Test("Cases and properties must not depend on #if")
    func conditionalMembers() {
        #expect(
            Expansion("@Storable enum A {\ncase a\n#if DEBUG\ncase b\n#endif\n}").messages == [
                "'b' depends on '#if', and what is persisted must not depend on how the program"
                    + " was built: move it out of '#if'"
            ])
        #expect(
            Expansion("@Storable struct A {\n#if DEBUG\nvar b: Int\n#endif\n}").messages.count == 1)
    }

    @Test("Two cases cannot share a persisted name")
    func duplicateNames() {
        #expect(
            Expansion(#"@Storable enum A { case a; @PersistedName("a") case b }"#).messages == [
                "the persisted name \"a\" is already taken by 'a': give this one another with"
                    + " '@PersistedName'"
            ])
        #expect(
            Expansion(#"@Storable struct A { var a: Int; @PersistedName("a") var b: Int }"#)
                .messages.count == 1)
    }

    @Test("Wrapped and lazy properties and tuple patterns are refused as in an entity")
    func properties() {
        let expansion = Expansion(
            """
            @Storable struct A {
                @Clamped var a: Int
                lazy var b = 1
                var (c, d) = (1, 2)
            }
            """)
        #expect(
            expansion.messages.map { $0.prefix { $0 != ":" } } == [
                "'@Clamped' wraps 'a', and a wrapped property is not persisted",
                "'b' is lazy and would not be persisted",
                "properties that a tuple pattern declares would not be persisted",
            ])
    }

    @Test("A relation belongs to an entity")
    func relations() {
        let expansion = Expansion("@Storable struct A { @Relationship(.required) var a: User? }")
        #expect(
            expansion.messages == [
                "'@Relationship' wraps 'a', and a wrapped property is not persisted: remove the"
                    + " wrapper, or make 'a' a computed property over a stored one"
            ])
    }
}
