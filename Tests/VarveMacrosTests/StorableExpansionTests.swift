import Testing

@Suite("@Storable: the extension")
struct StorableExpansionTests {
    @Test("A struct is stored property by property")
    func structure() {
        let expansion = Expansion(
            """
            @Storable
            public struct Address {
                public let street: String
                private var number: Int?
                let country = "NO"
                var floor = 0
                @PersistedName("old") var renamed: [Int]!
                var summary: String { street }
                static let zero = 0
            }
            """)
        #expect(expansion.messages == [])
        #expect(expansion.text == structureText)
    }

    @Test("An enum is stored as the number of its case and the associated values")
    func enumeration() {
        let expansion = Expansion(
            """
            @Storable
            enum Status {
                case active, `default`
                case suspended(reason: String, Int?)
                @PersistedName("old") case renamed(any: [String: Int])
                var isActive: Bool { true }
            }
            """)
        #expect(expansion.messages == [])
        #expect(expansion.text == enumerationText)
    }

    @Test("A single case is compared without a default branch")
    func singleCase() {
        #expect(
            Expansion("@Storable enum E { case a(Int) }").member("sameBytes") == """
                static func sameBytes(_ first: Self, _ second: Self) -> Bool {
                    switch (first, second) {
                    case (.a(let first0), .a(let second0)):
                        guard VarveGraph._FieldCodec.same(first0, second0) else { return false }
                        return true
                    }
                }
                """)
    }

    @Test("A struct without properties has one value")
    func emptyStructure() {
        let expansion = Expansion("@Storable struct E {}")
        #expect(
            expansion.member("sameBytes") == """
                static func sameBytes(_ first: Self, _ second: Self) -> Bool {
                    return true
                }
                """)
        #expect(
            expansion.member("init(") == """
                init(_from reader: inout VarveGraph.ByteReader) throws(VarveGraph.CodecError) {
                }
                """)
    }

    @Test("The name in the log is the type's with those around it, or the given one")
    func names() {
        let nested = Expansion("enum Schema { @Storable struct A { var x: Int } }")
        #expect(nested.member("storedType").contains(#""Schema.A","#))
        #expect(nested.header == "nonisolated extension Schema.A: VarveGraph.Storable")
        let given = Expansion(#"enum Schema { @Storable("B") struct A { var x: Int } }"#)
        #expect(given.member("storedType").contains(#""B","#))
    }

    @Test("Members' types are taken from the members, those of a long payload from the source")
    func memberTypes() {
        for type in ["Int", "Int?", "Int!", "A.B<C>", "any P", "() -> Void"] {
            let text = Expansion("@Storable struct S { var a: \(type) }").member("storedType")
            #expect(
                text.contains(#"storedType(of: VarveGraph._FieldCodec.type(of: \Self.a))),"#),
                "\(type)")
        }
        let payload = (0..<9).map { $0 == 1 ? "b: [Int]" : "Int?" }.joined(separator: ", ")
        let text = Expansion("@Storable enum E { case a(\(payload)) }").member("storedType")
        let constructor = "Self.a(_:b:_:_:_:_:_:_:_:)"
        #expect(text.contains("VarveGraph._FieldCodec.payloadType1(\(constructor))"))
        #expect(text.contains("VarveGraph._FieldCodec.payloadType7(\(constructor))"))
        #expect(text.contains("storedType(of: (Int?).self)"))
    }

    @Test("Members with a value other than nil have it where an earlier version lacks them")
    func fills() {
        let expansion = Expansion(
            """
            @Storable struct S {
                var a: Int? = nil
                var b: Int? = 1
                var c: Int
                var d: [Int]! = [2]
            }
            """)
        let type = expansion.member("storedType")
        #expect(type.split(separator: "fill: {").count == 3)
        #expect(type.contains("Self(_fill: 1, into: &_writer)"))
        let initializer = expansion.member("init?(")
        #expect(initializer.contains("store(self.b, \"b\", into: &writer)"))
        #expect(initializer.contains("optional(self.d), \"d\", into: &writer)"))
        #expect(Expansion("@Storable struct S { var a: Int? = nil }").member("init?(") == "")
    }

    @Test("What the type declares itself is not generated again")
    func declaredRequirements() {
        let expansion = Expansion(
            """
            @Storable struct S {
                var a: Int
                static var storedType: StoredType { .int64 }
                static func sameBytes(_ first: Self, _ second: Self) -> Bool { true }
            }
            """)
        #expect(expansion.member("storedType") == "")
        #expect(expansion.member("sameBytes") == "")
        #expect(expansion.member("static func load") != "")
    }
}

private let structureText = #"""
    nonisolated extension Address: VarveGraph.Storable {
        public static var storedType: VarveGraph.StoredType {
            .structure(
                "Address",
                [
                    .init("street", VarveGraph._FieldCodec.storedType(of: VarveGraph._FieldCodec.type(of: \Self.street))),
                    .init("number", VarveGraph._FieldCodec.storedType(of: VarveGraph._FieldCodec.type(of: \Self.number))),
                    .init("floor", VarveGraph._FieldCodec.storedType(of: VarveGraph._FieldCodec.type(of: \Self.floor)), fill: { (_writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) in _ = try Self(_fill: 0, into: &_writer) }),
                    .init("old", VarveGraph._FieldCodec.storedType(of: VarveGraph._FieldCodec.type(of: \Self.renamed))),
                ])
        }
        public func store(into writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) {
            try VarveGraph._FieldCodec.store(self.street, "street", into: &writer)
            try VarveGraph._FieldCodec.store(self.number, "number", into: &writer)
            try VarveGraph._FieldCodec.store(self.floor, "floor", into: &writer)
            try VarveGraph._FieldCodec.store(VarveGraph._FieldCodec.optional(self.renamed), "renamed", into: &writer)
        }
        public static func load(from reader: inout VarveGraph.ByteReader) throws(VarveGraph.CodecError) -> Self {
            try Self(_from: &reader)
        }
        public init(_from reader: inout VarveGraph.ByteReader) throws(VarveGraph.CodecError) {
            let field0 = try VarveGraph._FieldCodec.load(from: &reader) { (row: Self) in row.street }
            let field1 = try VarveGraph._FieldCodec.load(from: &reader) { (row: Self) in row.number }
            let field2 = try VarveGraph._FieldCodec.load(from: &reader) { (row: Self) in row.floor }
            let field3 = try VarveGraph._FieldCodec.load(from: &reader) { (row: Self) in VarveGraph._FieldCodec.optional(row.renamed) }
            self.street = field0
            self.number = field1
            self.floor = field2
            self.renamed = field3
        }
        private init?(_fill field: Int, into writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) {
            switch field {
            case 0:
                try VarveGraph._FieldCodec.store(self.floor, "floor", into: &writer)
            default: break
            }
            return nil
        }
        public static func sameBytes(_ first: Self, _ second: Self) -> Bool {
            guard VarveGraph._FieldCodec.same(first.street, second.street) else { return false }
            guard VarveGraph._FieldCodec.same(first.number, second.number) else { return false }
            guard VarveGraph._FieldCodec.same(first.floor, second.floor) else { return false }
            guard VarveGraph._FieldCodec.same(VarveGraph._FieldCodec.optional(first.renamed), VarveGraph._FieldCodec.optional(second.renamed)) else { return false }
            return true
        }
    }
    """#

private let enumerationText = #"""
    nonisolated extension Status: VarveGraph.Storable {
        static var storedType: VarveGraph.StoredType {
            .enumeration(
                "Status",
                [
                    .init("active"),
                    .init("default"),
                    .init("suspended", [.init("reason", VarveGraph._FieldCodec.storedType(of: VarveGraph._FieldCodec.payloadType0(Self.suspended(reason:_:)))), .init("", VarveGraph._FieldCodec.storedType(of: VarveGraph._FieldCodec.payloadType1(Self.suspended(reason:_:))))]),
                    .init("old", [.init("any", VarveGraph._FieldCodec.storedType(of: VarveGraph._FieldCodec.payloadType0(Self.renamed(any:))))]),
                ])
        }
        func store(into writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) {
            switch self {
            case .active:
                writer.writeVarint(0)
            case .`default`:
                writer.writeVarint(1)
            case .suspended(let value0, let value1):
                writer.writeVarint(2)
                try VarveGraph._FieldCodec.store(value0, "suspended.reason", into: &writer)
                try VarveGraph._FieldCodec.store(value1, "suspended", into: &writer)
            case .renamed(let value0):
                writer.writeVarint(3)
                try VarveGraph._FieldCodec.store(value0, "renamed.any", into: &writer)
            }
        }
        static func load(from reader: inout VarveGraph.ByteReader) throws(VarveGraph.CodecError) -> Self {
            let offset = reader.position
            let number = try reader.readVarint()
            switch number {
            case 0:
                return .active
            case 1:
                return .`default`
            case 2:
                return .suspended(reason: try VarveGraph._FieldCodec.load(from: &reader), try VarveGraph._FieldCodec.load(from: &reader))
            case 3:
                return .renamed(any: try VarveGraph._FieldCodec.load(from: &reader))
            default:
                throw .invalidTag(offset: offset, found: number, typeName: "Status")
            }
        }
        static func sameBytes(_ first: Self, _ second: Self) -> Bool {
            switch (first, second) {
            case (.active, .active):
                return true
            case (.`default`, .`default`):
                return true
            case (.suspended(let first0, let first1), .suspended(let second0, let second1)):
                guard VarveGraph._FieldCodec.same(first0, second0) else { return false }
                guard VarveGraph._FieldCodec.same(first1, second1) else { return false }
                return true
            case (.renamed(let first0), .renamed(let second0)):
                guard VarveGraph._FieldCodec.same(first0, second0) else { return false }
                return true
            default: return false
            }
        }
    }
    """#
