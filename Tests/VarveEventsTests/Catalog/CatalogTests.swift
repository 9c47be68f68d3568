import Testing
import VarveEvents
import VarveTestSupport

@Suite("The catalog")
struct CatalogTests {
    static let user = DeclaredType(
        name: "User", idType: .string,
        fields: [
            DeclaredField(name: "name", type: .string),
            DeclaredField(name: "age", type: .int32, fill: [0]),
        ],
        relations: [
            DeclaredRelation(
                name: "chats", target: "Chat", isToMany: true, inverse: "members",
                deleteRule: .cascade)
        ])
    static let chat = DeclaredType(
        name: "Chat", idType: .int64, fields: [],
        relations: [
            DeclaredRelation(name: "members", target: "User", isToMany: true, inverse: "chats"),
            DeclaredRelation(name: "owner", target: "User", isToMany: false, isRequired: true),
        ])

    /// A catalog that has logged what the app declared.
    private func catalog(_ declared: [DeclaredType]) throws -> Catalog {
        var catalog = Catalog()
        let merge = catalog.merging(declared: declared)
        #expect(merge.errors == [])
        for definition in merge.definitions { _ = try catalog.define(definition, in: 1) }
        try catalog.checkReferences()
        return catalog
    }

    @Test(
        "Ids that hold an asset are refused, where they are declared and where a log has them",
        arguments: [
            .asset, .optional(.asset),
            .structure("Place", [StoredType.Field("x", .int64), StoredType.Field("map", .asset)]),
        ] as [StoredType])
    func assetInID(idType: StoredType) throws {
        let declared = DeclaredType(name: "Photo", idType: idType, fields: [], relations: [])
        let merge = Catalog().merging(declared: [declared])
        #expect(merge.errors == [.assetInID(type: "Photo", idType: idType)])
        #expect("\(merge.errors[0])".contains("give the entity another id"))
        let bytes = try encoded(merge.resolved[0])
        #expect(throws: CodecError.invalidValue(offset: 7, typeName: "id without an asset")) {
            try bytes.withReader { reader throws(CodecError) in
                try TypeDefinition.decode(from: &reader)
            }
        }
    }

    @Test(
        "A retired name ends with its number, and # where it was taken",
        arguments: [
            ("age#3", 3, true), ("age#3##", 3, true), ("age#3", 4, false), ("age#31", 3, false),
            ("a#3b", 3, false), ("C#", 3, false), ("##", 3, false), ("age#1#3", 1, false),
        ] as [(String, UInt32, Bool)])
    func retiredNames(name: String, number: UInt32, isRetired: Bool) {
        #expect(FieldDefinition.isRetired(name, number) == isRetired)
    }

    @Test("A definition has the bytes that the format says and reads back")
    func bytes() throws {
        let merge = Catalog().merging(declared: [Self.user, Self.chat])
        let bytes = try encoded(merge.resolved[0])
        #expect(
            Hex.text(bytes)
                == "01 04 55 73 65 72 0c 00 02 01 04 6e 61 6d 65 0c 00 02 03 61 67 65 04 80 01 00 "
                + "01 01 05 63 68 61 74 73 02 05 01 01")
        for definition in merge.resolved {
            let again = try encoded(definition).withReader { reader throws(CodecError) in
                let again = try TypeDefinition.decode(from: &reader)
                try reader.expectEnd()
                return again
            }
            #expect(again == definition)
        }
        for variant in damaged(bytes) {
            let definition = try? variant.withReader { reader throws(CodecError) in
                let definition = try TypeDefinition.decode(from: &reader)
                try reader.expectEnd()
                return definition
            }
            if let definition { #expect(try encoded(definition) == variant) }
        }
    }

    @Test("New types get numbers in order, and inverses find each other")
    func numbers() throws {
        let merge = Catalog().merging(declared: [Self.user, Self.chat])
        #expect(merge.definitions.map(\.number.rawValue) == [1, 2])
        #expect(merge.resolved[0].relations[0].target == TypeNumber(2))
        #expect(merge.resolved[0].relations[0].inverse == RelationNumber(1))
        #expect(merge.resolved[1].relations.map(\.number.rawValue) == [1, 2])
        #expect(merge.resolved[1].relations[0].inverse == RelationNumber(1))
        #expect(merge.resolved[1].relations[1].inverse == nil)
    }

    @Test("Types declared as they were need nothing logged, and restating makes no revision")
    func unchanged() throws {
        var catalog = try catalog([Self.user, Self.chat])
        let merge = catalog.merging(declared: [Self.chat, Self.user])
        #expect(merge.definitions.isEmpty)
        #expect(merge.resolved.map(\.name) == ["Chat", "User"])
        for definition in catalog.definitions {
            #expect(try catalog.define(definition, in: 2) == false)
        }
        #expect(catalog.revisions(of: TypeNumber(1)).count == 1)
    }

    @Test("New fields need a fill; fields that the struct lacks stay at the end of the row")
    func fields() throws {
        let catalog = try catalog([Self.user, Self.chat])
        var user = Self.user
        user.fields = [
            DeclaredField(name: "age", type: .int64, fill: [2]),
            DeclaredField(name: "email", type: .optional(.string), fill: [0]),
        ]
        let merge = catalog.merging(declared: [user, Self.chat])
        #expect(merge.errors == [])
        let fields = merge.resolved[0].fields
        #expect(fields.map(\.name) == ["age", "email", "name"])
        #expect(fields.map(\.number.rawValue) == [2, 3, 1])
        // The fill stays what older rows were given, in the new type's form; an unknown field
        // without one gets a neutral value, for entities that this app inserts.
        #expect(fields.map(\.fill) == [[0], [0], [0]])
        #expect(fields[0].type == .int64)
        #expect(merge.definitions.map(\.name) == ["User"])
        // A default that changes later is for the app; rows keep what they were given.
        var other = Self.user
        other.fields[1].fill = [14]
        #expect(catalog.merging(declared: [other, Self.chat]).definitions.isEmpty)
        user.fields.append(DeclaredField(name: "size", type: .double))
        #expect(
            catalog.merging(declared: [user, Self.chat]).errors
                == [.newFieldNeedsDefault(type: "User", property: "size")])
    }

    @Test("What cannot be carried over is an error that names type and property")
    func errors() throws {
        var first = Self.user
        first.fields.append(
            DeclaredField(name: "mood", type: .raw("Mood", .string), rung: .rawValue))
        let catalog = try catalog([first, Self.chat])
        var user = Self.user
        user.idType = .int64
        user.fields[1] = DeclaredField(name: "age", type: .string)
        user.relations = [
            DeclaredRelation(name: "chats", target: "User", isToMany: true),
            DeclaredRelation(name: "friend", target: "Nobody", isToMany: false),
        ]
        var chat = Self.chat
        chat.relations[0].isToMany = false
        chat.relations[0].inverse = "nothing"
        #expect(
            catalog.merging(declared: [user, chat]).errors == [
                .idTypeChanged(type: "User", from: .string, to: .int64),
                .fieldTypeChanged(
                    type: "User", property: "age", from: .int32, to: .string,
                    reason: "the types differ"),
                .requiredFieldMissing(type: "User", property: "mood"),
                .relationTargetChanged(type: "User", property: "chats"),
                .targetNotDeclared(type: "User", property: "friend", target: "Nobody"),
                .relationBecameToOne(type: "Chat", property: "members"),
                .inverseNotFound(type: "Chat", property: "members", inverse: "nothing"),
            ])
        #expect(
            Catalog().merging(declared: [Self.chat, Self.user, Self.user]).errors
                .contains(.duplicateTypeName(type: "User")))
    }

    @Test("Unknown relations and types that are not declared are kept")
    func unknownRelations() throws {
        let catalog = try catalog([Self.user, Self.chat])
        var user = Self.user
        user.relations = [DeclaredRelation(name: "boss", target: "User", isToMany: false)]
        let merge = catalog.merging(declared: [user])
        #expect(merge.errors == [])
        #expect(merge.resolved[0].relations.map(\.name) == ["boss", "chats"])
        #expect(merge.resolved[0].relations.map(\.number.rawValue) == [2, 1])
        #expect(merge.resolved[0].relations[1].target == TypeNumber(2))
    }

    @Test("Definitions that a sound log cannot hold are refused")
    func hostileDefinitions() throws {
        var catalog = try catalog([Self.user, Self.chat])
        func define(_ change: (inout TypeDefinition) -> Void) -> CatalogError? {
            var definition = catalog.definitions[0]
            change(&definition)
            do {
                _ = try catalog.define(definition, in: 9)
                return nil
            } catch {
                return error
            }
        }
        #expect(
            define { $0.number = TypeNumber(7) } == .duplicateTypeName(type: "User"))
        #expect(
            define {
                $0.name = "Other"
                $0.number = TypeNumber(7)
            } == .typeNumberNotDense(type: "Other", found: TypeNumber(7), expected: TypeNumber(3)))
        #expect(define { $0.name = "Chat" } == .duplicateTypeName(type: "Chat"))
        #expect(
            define { $0.fields.append($0.fields[0]) }
                == .duplicateMember(type: "User", property: "name"))
        #expect(
            define {
                $0.fields.append(
                    FieldDefinition(number: FieldNumber(3), name: "x", type: .bool, rung: .storable)
                )
            } == .newFieldNeedsDefault(type: "User", property: "x"))
        #expect(define { $0.fields.removeLast() } == nil)
        #expect(
            define {
                $0.fields.append(
                    FieldDefinition(
                        number: FieldNumber(2), name: "age", type: .int32, rung: .storable,
                        fill: [0]))
            } == .numberReused(type: "User", property: "age"))
        #expect(define { $0.relations[0].target = TypeNumber(9) } != nil)
        #expect(catalog.revisions(of: TypeNumber(1)).count == 2)
    }
}
