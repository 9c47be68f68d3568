import Testing

@Suite("@EntityModel: functions that are the library's")
struct EntityModelFunctionTests {
    private func messages(_ member: String) -> [String] {
        Expansion("@EntityModel struct A { let id: Int; \(member) }").messages
    }

    @Test("An entity that declares a save or a delete is refused, with what to declare instead")
    func closed() {
        let closed = [
            ("save(to:options:)", "save(to context: inout Context, options: MergeStrategy<Self>)"),
            (
                "save(to:options:)",
                "save(to c: inout VarveGraph.Context, options: MergeStrategy<A>)"
            ),
            ("save(to:)", "save(to context: inout Context)"),
            ("delete(from:)", "delete(from context: inout Context)"),
        ]
        for (signature, declaration) in closed {
            let found = messages("func \(declaration) throws {}")
            #expect(found.count == 1)
            #expect(
                found.first?.hasPrefix(
                    "'\(signature)' is the library's, and one that an entity declares would run only"
                        + " where it is called by name: write 'will") == true)
        }
        #expect(messages("static func delete(id: Int, from c: inout Context) throws {}").count == 1)
        let modifier =
            "nestedQueryModifier(_ query: Query<A>, nested: [Nested]) -> Query<A> { query }"
        #expect(messages("static func \(modifier)").count == 1)
        let expansion = Expansion(
            "@EntityModel struct A { let id: Int; func save(to context: inout Context) throws {} }")
        #expect(expansion.places == ["save"] && expansion.text == "")
    }

    @Test("Hooks, and functions of these names about something else, are the entity's own")
    func own() {
        let own = [
            "mutating func willSave(to context: inout Context) throws {}",
            "func didSave(to context: inout Context) throws {}",
            "func willDelete(from context: inout Context) throws {}",
            "func save(to file: URL) throws {}", "func delete(from list: inout [A]) {}",
            "static func save(to context: inout Context) {}",
            "func save(to context: inout Context, as name: String) throws {}",
        ]
        for member in own { #expect(messages(member) == []) }
    }
}
