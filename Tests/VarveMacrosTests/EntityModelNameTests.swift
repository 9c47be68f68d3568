import Testing

@Suite("@EntityModel: persisted names")
struct EntityModelNameTests {
    private func descriptor(_ source: String) -> String {
        Expansion(source).member("_descriptor")
    }

    @Test("A type is persisted under its name with the types around it")
    func nestedNames() {
        #expect(
            descriptor("enum Schema { enum V1 { @EntityModel struct User { let id: Int } } }")
                == #"static let _descriptor = VarveGraph.EntityDescriptor(Self.self, name: "Schema.V1.User")"#
        )
    }

    @Test("The extension names a nested type in full")
    func nestedReference() {
        let expansion = Expansion(
            "enum Schema { enum V1 { @EntityModel struct User { let id: Int } } }")
        #expect(
            expansion.header
                == "nonisolated extension Schema.V1.User: VarveGraph.EntityModelProtocol")
    }

    @Test("A given name stands in place of the type's")
    func givenName() {
        #expect(
            descriptor(#"enum Schema { @EntityModel("Person") struct User { let id: Int } }"#)
                == #"static let _descriptor = VarveGraph.EntityDescriptor(Self.self, name: "Person")"#
        )
    }

    @Test("A type in an extension is named after the extended type")
    func inExtension() {
        #expect(
            descriptor("extension Schema.V1 { @EntityModel struct User { let id: Int } }")
                == #"static let _descriptor = VarveGraph.EntityDescriptor(Self.self, name: "Schema.V1.User")"#
        )
    }

    @Test("A type in an extension that binds generic arguments stores nothing static")
    func inBoundExtension() {
        for head in ["extension Box<Int>", "extension Box where Value == Int"] {
            #expect(
                descriptor("\(head) { @EntityModel struct User { let id: Int } }")
                    == """
                    static var _descriptor: VarveGraph.EntityDescriptor {
                        VarveGraph.EntityDescriptor.registered(Self.self) {
                            VarveGraph.EntityDescriptor(Self.self, name: "Box.User")
                        }
                    }
                    """)
        }
    }

    @Test("A generic entity is persisted under its arguments' names too")
    func generic() {
        #expect(
            descriptor("@EntityModel struct Box<Value: Storable> { let id: Int }")
                == #"""
                static var _descriptor: VarveGraph.EntityDescriptor {
                    VarveGraph.EntityDescriptor.registered(Self.self) {
                        VarveGraph.EntityDescriptor(Self.self, name: "Box<\(VarveGraph.EntityDescriptor._argumentName(of: Value.self))>")
                    }
                }
                """#)
    }

    @Test("So is an entity inside a generic type, outermost argument first")
    func insideGeneric() {
        let source = #"""
            struct Outer<A> { @EntityModel("Box") struct Inner<B, C> { let id: Int } }
            """#
        let names = ["A", "B", "C"].map {
            #"\(VarveGraph.EntityDescriptor._argumentName(of: "# + $0 + ".self))"
        }
        #expect(descriptor(source).contains("name: \"Box<\(names.joined(separator: ", "))>\")"))
    }

    @Test("A name that is not a plain literal is refused")
    func malformedNames() {
        for name in [#""""#, #""a\(b)""#, #""a\n""#, "name"] {
            let expansion = Expansion("@EntityModel(\(name)) struct A { let id: Int }")
            #expect(
                expansion.messages == [
                    "a persisted name must be a plain, non-empty string literal without escapes"
                ])
            #expect(expansion.places == ["@EntityModel(\(name))"])
            #expect(expansion.text == "")
        }
    }
}
