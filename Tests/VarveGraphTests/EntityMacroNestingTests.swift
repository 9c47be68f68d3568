import Testing
import VarveGraph

/// Everything that an entity names stands beside it, where only the lexical scope finds it.
private enum Nest {
    enum Status: String {
        case active
        case idle
        static var usual: Status { .idle }
    }

    struct Level: RawRepresentable, Hashable {
        var rawValue: Int
        static let first = Level(rawValue: 1)
    }

    @Storable
    struct Point: Equatable {
        var status: Status
        var level: Level? = nil
        var shape: Shape
        var width = 0
    }

    @Storable
    enum Shape: Equatable {
        case none
        case dot(Level)
        case line(from: Level, to: Level, Status, note: String?)
    }

    @EntityModel
    struct Room: Equatable {
        let id: String
        var status: Status = .active
        var usual = Status.usual
        var level: Level! = Level.first
        let former: Status?
        var spelled: Optional<Level>
        var points: [Point] = []
        @Relationship(inverse: \Room.twin) var twin: Room?
        @Relationship(deleteRule: .deny, inverse: \Door.room) var doors: [Door]?
    }

    @EntityModel
    struct Door {
        let id: Int
        @Relationship(.required, inverse: \.doors) var room: Room?
    }
}

@Suite("Generated code for entities and values nested beside the types that they name")
struct EntityMacroNestingTests {
    @Test("rows of older logs are filled from the declarations, whatever these name")
    func fills() throws {
        func fill(_ name: String) throws -> [UInt8] {
            let field = Nest.Room._descriptor.fields.first { $0.name == name }
            let write = try #require(field?.fill)
            var writer = ByteWriter()
            try write(&writer)
            return writer.withBytes { Array($0) }
        }
        #expect(try fill("status") == [6] + Array("active".utf8))
        #expect(try fill("usual") == [4] + Array("idle".utf8))
        let fills = Nest.Room._descriptor.fields.map { ($0.name, $0.fill != nil) }
        #expect(
            fills.filter { $0.1 }.map(\.0) == [
                "status", "usual", "level", "former", "spelled", "points",
            ])
        #expect(try fill("former") == [0])
        #expect(try fill("spelled") == [0])
        #expect(try fill("level") == [1, 2])
    }

    @Test("values of storable types are described by their members' own types")
    func storedTypes() throws {
        #expect(
            "\(Nest.Point.storedType)".contains("Nest.Point"), "\(Nest.Point.storedType)")
        let shapes: [Nest.Shape] = [
            .none, .dot(.first),
            .line(from: .first, to: Nest.Level(rawValue: 7), .idle, note: "x"),
        ]
        for shape in shapes {
            var writer = ByteWriter()
            let point = Nest.Point(status: .active, level: .first, shape: shape)
            try point.store(into: &writer)
            let loaded = try writer.withBytes { bytes in
                var reader = ByteReader(bytes)
                return try Nest.Point.load(from: &reader)
            }
            #expect(loaded == point)
        }
    }

    @Test("relations to entities beside it work both ways, with the inverse spelled out")
    func relations() throws {
        var context = Context()
        let room = Nest.Room(
            id: "1", former: nil, spelled: nil, doors: .relation([Nest.Door(id: 1)]))
        try room.save(to: &context)
        #expect(Nest.Door.query(1).related(\.$room).resolve(in: context)?.id == "1")
        context.checkInvariants()
    }
}
