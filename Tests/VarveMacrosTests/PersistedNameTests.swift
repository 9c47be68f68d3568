import Testing

@Suite("@PersistedName")
struct PersistedNameTests {
    @Test("It expands to nothing and accepts stored properties, relations and cases")
    func accepted() {
        let declarations = [
            "struct A { @PersistedName(\"x\") var a: Int }",
            "struct A { @PersistedName(\"x\") let a: Int }",
            "struct A { @PersistedName(\"x\") @Relationship(.required) var a: User? }",
            "enum A { @PersistedName(\"x\") case a(Int) }",
        ]
        for declaration in declarations {
            let expansion = Expansion(declaration)
            #expect(expansion.messages == [], "\(declaration)")
            #expect(expansion.text == "")
        }
    }

    @Test("It is refused where nothing is persisted")
    func misplaced() {
        let declarations = [
            "struct A { @PersistedName(\"x\") var a: Int { 1 } }",
            "struct A { @PersistedName(\"x\") static var a = 1 }",
            "struct A { @PersistedName(\"x\") let a = 1 }",
            "struct A { @PersistedName(\"x\") @Index<A>(\\.b) var a }",
            "struct A { @PersistedName(\"x\") func a() {} }",
            "@PersistedName(\"x\") struct A {}",
        ]
        for declaration in declarations {
            #expect(
                Expansion(declaration).messages == [
                    "'@PersistedName' names a stored property or an enum case; this declaration is"
                        + " not persisted"
                ], "\(declaration)")
        }
    }

    @Test("It names one case")
    func severalCases() {
        #expect(
            Expansion("enum A { @PersistedName(\"x\") case a, b }").messages == [
                "'@PersistedName' names one case: declare each case by itself"
            ])
    }

    @Test("Its name is a plain literal, reported once")
    func malformed() {
        for name in [#""""#, #""a\(b)""#, "name"] {
            let source = "@EntityModel struct A { let id: Int; @PersistedName(\(name)) var a: Int }"
            #expect(
                Expansion(source).messages == [
                    "a persisted name must be a plain, non-empty string literal without escapes"
                ])
        }
    }
}
