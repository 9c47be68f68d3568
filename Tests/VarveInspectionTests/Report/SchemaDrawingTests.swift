import Testing
import VarveInspection
import VarveTestSupport

@testable import VarveTool

@Suite("The drawing of a schema")
struct SchemaDrawingTests {
    /// Types with random relations, each in a pair with its inverse or alone.
    static func types(_ count: Int, relations: Int, seed: UInt64) -> [TypeDefinition] {
        var generator = SeededGenerator(seed: seed)
        let words = [
            "Account", "Order", "Invoice", "Parcel", "Person", "Team", "Note", "Event", "Image",
            "Place",
        ]
        var types = (1...count).map { number in
            TypeDefinition(
                number: TypeNumber(UInt32(number)), name: words[number % words.count] + "\(number)",
                idType: number.isMultiple(of: 3) ? .uuid : .string,
                fields: (0..<Int.random(in: 1...9, using: &generator)).map { field in
                    FieldDefinition(
                        number: FieldNumber(UInt32(field + 1)), name: "field\(field)",
                        type: field.isMultiple(of: 2) ? .string : .optional(.date), rung: .storable)
                }, relations: [])
        }
        for index in 0..<relations {
            let from = Int.random(in: 0..<count, using: &generator)
            // Most lead to few, as in programs.
            let to = min(
                Int.random(in: 0..<count, using: &generator),
                Int.random(in: 0..<count, using: &generator))
            let (own, other) = (
                types[from].relations.count + 1, types[to].relations.count + (from == to ? 2 : 1)
            )
            let isPair = index.isMultiple(of: 3) == false
            types[from].relations.append(
                RelationDefinition(
                    number: RelationNumber(UInt32(own)), name: "to\(types[to].name)\(own)",
                    target: types[to].number,
                    isToMany: Bool.random(using: &generator),
                    inverse: isPair ? RelationNumber(UInt32(other)) : nil,
                    deleteRule: [.nullify, .cascade, .deny][index % 3]))
            guard isPair else { continue }
            types[to].relations.append(
                RelationDefinition(
                    number: RelationNumber(UInt32(other)), name: "of\(types[from].name)\(other)",
                    target: types[from].number, isToMany: true, inverse: RelationNumber(UInt32(own))
                ))
        }
        return types
    }

    @Test(
        "Boxes lie apart and inside the drawing, with 40 types as with few",
        arguments: [1, 2, 3, 4] as [UInt64])
    func layout(seed: UInt64) throws {
        for (count, relations) in [(1, 0), (2, 1), (7, 9), (40, 46), (40, 0)] {
            let store = try SampleStore(
                definitions: Self.types(count, relations: relations, seed: seed))
            try store.transaction(kind: .schema) { encoder in
                for definition in store.definitions { try encoder.define(definition) }
            }
            try store.close()
            let types = try Inspection(at: store.path).schema().types
            #expect(types.count == count)
            let graph = SchemaGraph(types)
            let sizes = graph.types.map {
                SchemaLayout.Size(width: 180, height: Double(40 + $0.fields.count * 17))
            }
            let layout = SchemaLayout(graph, sizes: sizes)
            for (index, (box, size)) in zip(layout.boxes, sizes).enumerated() {
                #expect(box.x >= 0 && box.y >= 0)
                #expect(
                    box.x + size.width <= layout.size.width
                        && box.y + size.height <= layout.size.height)
                for (other, otherSize) in zip(layout.boxes, sizes).dropFirst(index + 1) {
                    let isApart =
                        box.x + size.width < other.x || other.x + otherSize.width < box.x
                        || box.y + size.height < other.y || other.y + otherSize.height < box.y
                    #expect(isApart, "seed \(seed), \(count) types")
                }
            }
            // No line has to pass a column.
            for edge in graph.edges {
                let columns = [edge.from, edge.to].map { layout.boxes[$0].column ?? -1 }
                #expect(edge.from == edge.to || abs(columns[0] - columns[1]) <= 1)
            }
            #expect(graph.edges.count == relations)
        }
    }
}
