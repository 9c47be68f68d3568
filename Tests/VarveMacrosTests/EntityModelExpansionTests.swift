import Testing

@Suite("@EntityModel: the extension as a whole")
struct EntityModelExpansionTests {
    @Test("An entity with fields and relations gets every requirement, in this text")
    func wholeExpansion() {
        let expansion = Expansion(
            #"""
            @EntityModel
            struct Message {
                let id: String
                let text: String
                var likes = 0
                let kind = 42
                @Relationship(.required, inverse: \.messages) var chat: Chat?
                @Relationship var viewedBy: [User]? = nil
            }
            """#)
        #expect(expansion.messages == [])
        #expect(expansion.text == wholeText)
    }

    @Test("Members are as visible as the type, and say so only where they must")
    func access() {
        let levels = [
            ("", "mutating func _normalize() {\n}"),
            ("internal ", "mutating func _normalize() {\n}"),
            ("package ", "package mutating func _normalize() {\n}"),
            ("public ", "public mutating func _normalize() {\n}"),
            ("fileprivate ", "fileprivate mutating func _normalize() {\n}"),
            ("private ", "fileprivate mutating func _normalize() {\n}"),
        ]
        for (level, member) in levels {
            let expansion = Expansion("@EntityModel \(level)struct A { let id: Int }")
            #expect(expansion.messages == [])
            #expect(expansion.member("_normalize") == member)
        }
    }

    @Test("A member of a public extension is public; a public type in an internal one is not")
    func accessFromTheSurroundings() {
        let sources = [
            ("public extension Schema { @EntityModel struct A { let id: Int } }", "public "),
            ("private extension Schema { @EntityModel struct A { let id: Int } }", "fileprivate "),
            ("extension Schema { @EntityModel struct A { let id: Int } }", ""),
            ("extension Schema { @EntityModel public struct A { let id: Int } }", "public "),
            ("enum Schema { @EntityModel public struct A { let id: Int } }", ""),
            ("public enum Schema { @EntityModel struct A { let id: Int } }", ""),
            ("public enum Schema { @EntityModel public struct A { let id: Int } }", "public "),
            ("private enum Schema { @EntityModel struct A { let id: Int } }", "fileprivate "),
            (
                "public extension S { enum V1 { @EntityModel public struct A { let id: Int } } }",
                "public "
            ),
        ]
        for (source, prefix) in sources {
            let member = Expansion(source).member("_normalize")
            #expect(member == "\(prefix)mutating func _normalize() {\n}", "\(source)")
        }
    }

    @Test("The extension takes over the availability of the type and of the types around it")
    func availability() {
        let expansion = Expansion(
            """
            @available(macOS 99, *)
            enum Schema {
                @available(*, deprecated) @EntityModel struct A { let id: Int }
            }
            """)
        #expect(
            expansion.header == """
                @available(*, deprecated)
                @available(macOS 99, *)
                nonisolated extension Schema.A: VarveGraph.EntityModelProtocol
                """)
    }

    @Test("A computed id, and a constant one, are not assigned when decoding")
    func givenIdentities() {
        let ids = [
            #"var id: String { "only" }"#, #"let id = "only""#,
            #"var id: String { get { "only" } }"#, "let id = Version.v1.rawValue",
        ]
        for id in ids {
            let expansion = Expansion("@EntityModel struct A { \(id); var n: Int }")
            #expect(expansion.messages == [])
            #expect(
                expansion.member("init(_id id: ID, from") == """
                    init(_id id: ID, from reader: inout VarveGraph.ByteReader) throws(VarveGraph.CodecError) {
                        let field0 = try VarveGraph._FieldCodec.load(from: &reader) { (row: Self) in row.n }
                        self.n = field0
                    }
                    """)
            #expect(
                expansion.member("init(_patching") == """
                    init(_patching old: Self, with new: Self) {
                        self.n = new.n
                    }
                    """)
        }
    }

    @Test("An assigned id may be a `let` or a `var`, with a value or without")
    func assignedIdentities() {
        for id in ["let id: Int", "var id: Int", "var id = UUID()", "private(set) var id: Int"] {
            let expansion = Expansion("@EntityModel struct A { \(id) }")
            #expect(expansion.messages == [])
            #expect(
                expansion.member("init(_id id: ID, from") == """
                    init(_id id: ID, from reader: inout VarveGraph.ByteReader) throws(VarveGraph.CodecError) {
                        self.id = id
                    }
                    """)
        }
    }

    @Test("What a struct reads by hand is not read by a generated initializer")
    func declaredDecoding() {
        let declared = [
            ("from reader: inout ByteReader) throws(CodecError) { self.id = id }", false),
            ("rereading reader: inout ByteReader) { self.id = id }", true),
        ]
        for (declaration, isReadingLeft) in declared {
            let expansion = Expansion(
                """
                @EntityModel
                public struct A<B> {
                    public let id: Int
                    public init(_id id: Int, \(declaration)
                }
                """)
            #expect(expansion.messages == [])
            #expect(expansion.member("rereading") == "")
            let start = "public init(_id id: ID, from"
            #expect(expansion.member("init(_id").hasPrefix(start) == isReadingLeft)
        }
    }

    @Test("A requirement that the struct declares itself is not generated again")
    func declaredRequirements() {
        let expansion = Expansion(
            """
            @EntityModel
            struct A {
                let id: Int
                static var patch: MergeStrategy<Self> { .replace }
                mutating func _normalize() {}
                static func _hashID(_ id: Int) -> UInt64 { 0 }
                init(_patching old: Self, with new: Self) { self = new }
                func patch(_ other: A) {}
                var _descriptor: Int { 0 }
            }
            """)
        #expect(expansion.messages == [])
        #expect(expansion.member("patch") == "")
        #expect(expansion.member("_normalize") == "")
        #expect(expansion.member("_hashID") == "")
        // An instance property of the same name is another member.
        #expect(expansion.member("_descriptor").hasPrefix("static let _descriptor"))
        #expect(expansion.member("_storeID").hasPrefix("static func _storeID"))
    }
}

private let wholeText = #"""
    nonisolated extension Message: VarveGraph.EntityModelProtocol {
        static let _descriptor = VarveGraph.EntityDescriptor(Self.self, name: "Message")
        static func _describe(_ _description: inout VarveGraph.EntityDescription<Self>) {
            _description.id(VarveGraph._IDCodec.kind(\Self.id))
            _description.field("text", \Self.text)
            _description.field(
                "likes", \Self.likes,
                fill: { (_writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) in
                    _ = try Self(_fill: 0, into: &_writer)
                })
            _description.relation(
                "chat", \Self.$chat, inverse: \.$messages,
                offset: MemoryLayout<Self>.offset(of: \Self._chat), deleteRule: .nullify)
            _description.relation(
                "viewedBy", \Self.$viewedBy,
                offset: MemoryLayout<Self>.offset(of: \Self._viewedBy), deleteRule: .nullify)
        }
        func _store(into writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) {
            try VarveGraph._FieldCodec.store(self.text, "text", into: &writer)
            try VarveGraph._FieldCodec.store(self.likes, "likes", into: &writer)
        }
        init(_id id: ID, from reader: inout VarveGraph.ByteReader) throws(VarveGraph.CodecError) {
            let field0 = try VarveGraph._FieldCodec.load(from: &reader) { (row: Self) in row.text }
            let field1 = try VarveGraph._FieldCodec.load(from: &reader) { (row: Self) in row.likes }
            self.id = id
            self.text = field0
            self.likes = field1
            self._viewedBy = .none
        }
        init(_id id: ID, rereading reader: inout VarveGraph.ByteReader) {
            let field0 = VarveGraph._FieldCodec.loadAgain(from: &reader) { (row: Self) in row.text }
            let field1 = VarveGraph._FieldCodec.loadAgain(from: &reader) { (row: Self) in row.likes }
            self.id = id
            self.text = field0
            self.likes = field1
            self._viewedBy = .none
        }
        init?(_fill field: Int, into writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) {
            switch field {
            case 0:
                try VarveGraph._FieldCodec.store(self.likes, "likes", into: &writer)
            default: break
            }
            return nil
        }
        static func _changes(from old: Self, to new: Self, into changes: inout VarveGraph.FieldChanges) throws(VarveGraph.CodecError) {
            try VarveGraph._FieldCodec.change(0, "text", old.text, new.text, into: &changes)
            try VarveGraph._FieldCodec.change(1, "likes", old.likes, new.likes, into: &changes)
        }
        static func _storeID(_ id: ID, into writer: inout VarveGraph.ByteWriter) throws(VarveGraph.CodecError) {
            try VarveGraph._IDCodec.store(id, into: &writer)
        }
        static func _loadID(from reader: inout VarveGraph.ByteReader) throws(VarveGraph.CodecError) -> ID {
            try VarveGraph._IDCodec.load(from: &reader)
        }
        static func _sameID(_ first: ID, _ second: ID) -> Bool {
            VarveGraph._IDCodec.same(first, second)
        }
        static func _hashID(_ id: ID) -> UInt64 {
            VarveGraph._IDCodec.hash(id)
        }
        mutating func _normalize() {
            self.$chat = .none
            self.$viewedBy = .none
        }
        func _saveRelations(to context: inout VarveGraph.Context, at slot: VarveGraph.Slot) throws {
            try context._save(self.$chat, relation: 0, of: Self.self, at: slot)
            try context._save(self.$viewedBy, relation: 1, of: Self.self, at: slot)
        }
        init(_patching old: Self, with new: Self) {
            self.id = new.id
            self.text = new.text
            self.likes = new.likes
            self._chat = new._chat
            self._viewedBy = new._viewedBy
        }
        static var patch: VarveGraph.MergeStrategy<Self> {
            VarveGraph.MergeStrategy { old, new in Self(_patching: old, with: new) }
        }
    }
    """#
