import Testing

/// What OrderedRelationship's macro refuses, as `@EntityModel` refuses it of a list.
@Suite("OrderedRelationship: diagnostics")
struct OrderedRelationshipDiagnosticTests {
    @Test("OR-15: each misuse of an ordered relation is an error that says what to write")
    func misuse() {
        let misuses = [
            (
                #"@Relationship(inverse: \.superitem) let subItems: [SubItem]?"#,
                "the relation 'subItems' must be a 'var'"
            ),
            (
                #"@Relationship(inverse: \.superitem) var subItems"#,
                "the relation 'subItems' needs a type, such as 'User?' for one or '[User]?' for many"
            ),
            (
                #"@Relationship(inverse: \.superitem) var subItems: [SubItem]"#,
                "the relation 'subItems' must be optional, because an entity need not have its"
                    + " related entities loaded: write '[SubItem]?'"
            ),
            (
                #"@Relationship(inverse: \.superitem) var subItems: [SubItem]? { nil }"#,
                "the relation 'subItems' cannot have accessors: it is stored by its wrapper"
            ),
            (
                #"@Relationship(inverse: \.superitem.item) var subItems: [SubItem]?"#,
                "the inverse of 'subItems' must be a key path to one relation, such as '\\.messages'"
                    + " or '\\Chat.messages'"
            ),
        ]
        for (member, message) in misuses {
            let expansion = Expansion(
                "@EntityModel struct Item {\n    let id: Int\n    \(member)\n}")
            #expect(expansion.messages == [message], "\(member)")
        }
    }
}
