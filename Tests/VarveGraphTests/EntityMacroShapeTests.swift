// No Foundation here: an entity's file needs nothing but the library.
import Testing
import VarveGraph

@Suite("Entities that @EntityModel made: shapes of declarations")
struct EntityMacroShapeTests {
    @Test("The persisted name shows the types around an entity, unless one is given")
    func names() {
        #expect(Shapes._descriptor.name == "Shapes")
        #expect(Shapes.V1.User._descriptor.name == "Shapes.V1.User")
        #expect(Shapes.V1.Renamed._descriptor.name == "Person")
        #expect(Shapes.InExtension._descriptor.name == "Shapes.InExtension")
    }

    @Test("A generic entity has a descriptor and a name for each list of arguments")
    func genericNames() {
        #expect(Box<Int>._descriptor.name == "Box<Int64>")
        #expect(Box<String?>._descriptor.name == "Box<String?>")
        #expect(Box<Color>._descriptor.name == "Box<Shapes.Color>")
        #expect(
            Outer<Shapes.V1.User>.Inner<Int>._descriptor.name
                == "Outer.Inner<Shapes.V1.User, Int64>")
        #expect(Box<Int>._descriptor === Box<Int>._descriptor)
        #expect(Box<Int>._descriptor !== Box<String>._descriptor)
    }

    @Test("A generic entity is saved, found and linked by its relations")
    func genericEntity() throws {
        var context = VarveGraph.Context()
        var box = Box<Int>(id: "1", value: 5)
        box.$children = .relation([Box(id: "2", value: 6), Box(id: "3", value: 7)])
        try box.save(to: &context)
        let found: Box<Int>? = context.find("3")
        #expect(found?.value == 7)
        let parent = Box<Int>.query("2").related(\.$parent).resolve(in: context)
        #expect(parent?.value == 5)
    }

    @Test("Ids may be computed, constant, generic, nested or inferred")
    func identities() throws {
        var context = VarveGraph.Context()
        try Shapes().save(to: &context)
        try Settings(volume: 3).save(to: &context)
        try Keyed(id: UInt8(7)).save(to: &context)
        try Nested(id: Nested.ID(raw: 9)).save(to: &context)
        try Inferred().save(to: &context)
        #expect((context.find("shapes") as Shapes?) != nil)
        #expect((context.find("only") as Settings?)?.volume == 3)
        #expect((context.find(7) as Keyed<UInt8>?) != nil)
        #expect((context.find(Nested.ID(raw: 9)) as Nested?) != nil)
        #expect((context.find(5) as Inferred?)?.name == "x")
    }

    @Test("What the struct declares itself is what is used")
    func declaredRequirements() {
        let old = Own(id: 1, text: "old")
        let merged = Own.patch.merge(old, new: Own(id: 1, text: nil))
        #expect(merged.text == nil)
        #expect(Own._hashID(1) == 17)
    }

    @Test("An entity of types without a stored form lives in memory")
    func unsupported() throws {
        var context = VarveGraph.Context()
        try Callback(id: 1, action: { 5 }).save(to: &context)
        #expect((context.find(1) as Callback?)?.action() == 5)
        guard case .unsupported = Callback._descriptor.fields[0].kind else {
            Issue.record("a closure has no stored form")
            return
        }
    }
}

// Types of a user's own whose names the library uses too do not capture generated code.
private struct Context {}
private enum Slot {}
private struct CodecError {}
private enum EntityDescriptor {}

@EntityModel
struct Shapes {
    enum Relation {}
    var id: String { "shapes" }

    enum V1 {
        @EntityModel
        struct User {
            let id: Int
            @Relationship(inverse: \Shapes.InExtension.user) var extended: Shapes.InExtension?
        }

        @EntityModel("Person")
        struct Renamed {
            let id: Int
        }
    }
}

extension Shapes {
    @EntityModel
    struct InExtension {
        let id: Int
        @Relationship(.required, inverse: \Shapes.V1.User.extended) var user: Shapes.V1.User?
    }

    @Storable
    enum Color { case red, green }
}

private typealias Color = Shapes.Color

@EntityModel
private struct Box<Value: Storable> {
    let id: String
    var value: Value
    var other: Value?
    @Relationship(inverse: \.parent) var children: [Box<Value>]?
    @Relationship(inverse: \.children) var parent: Box<Value>?
}

private enum Outer<First: Sendable> {
    @EntityModel
    struct Inner<Second: Sendable> {
        let id: Int
    }
}

@EntityModel
private struct Settings {
    let id = "only"
    var volume: Int
}

@EntityModel
private struct Keyed<ID: Hashable & Sendable> {
    let id: ID
}

@EntityModel
private struct Nested {
    struct ID: Hashable, Sendable { let raw: Int }
    let id: ID
}

@EntityModel
private struct Inferred {
    var id = 5
    var name = "x"
}

@EntityModel
private struct Own: EntityModelProtocol {
    let id: Int
    var text: String?

    static let patch = MergeStrategy<Self>.replace
    static func _hashID(_ id: Int) -> UInt64 { 17 }
}

@EntityModel
private struct Callback {
    let id: Int
    var action: @Sendable () -> Int
}
