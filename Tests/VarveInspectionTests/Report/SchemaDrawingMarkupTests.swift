import Testing
import VarveEvents
import VarveInspection
import VarveTestSupport

@testable import VarveTool

@Suite("The markup of a schema's drawing")
struct SchemaDrawingMarkupTests {
    private struct Box {
        let name: String
        let x: Double
        let y: Double
        let width: Double
        let height: Double
    }

    private struct Line {
        let kind: String
        let title: String
        let path: String
    }

    private func types(_ definitions: [TypeDefinition]) throws -> [InspectedType] {
        let store = try SampleStore(definitions: definitions)
        try store.transaction(kind: .schema) { encoder in
            for definition in definitions { try encoder.define(definition) }
        }
        try store.close()
        return try Inspection(at: store.path).schema().types
    }

    private func boxes(in markup: String) -> [Box] {
        let pattern =
            #/transform="translate\(([\d.]+) ([\d.]+)\)"><title>([^<]*)</title><rect width="([\d.]+)" height="([\d.]+)"/#
        return markup.matches(of: pattern).compactMap { match in
            let numbers = [match.1, match.2, match.4, match.5].compactMap { Double($0) }
            guard numbers.count == 4 else { return nil }
            return Box(
                name: String(match.3), x: numbers[0], y: numbers[1], width: numbers[2],
                height: numbers[3])
        }
    }

    @Test(
        "Boxes as drawn lie apart and inside, with their texts inside them",
        arguments: [1, 2, 3] as [UInt64])
    func apart(seed: UInt64) throws {
        for (count, relations) in [(7, 9), (20, 30), (40, 46)] {
            let definitions = SchemaDrawingTests.types(count, relations: relations, seed: seed)
            let markup = SchemaDrawing(try types(definitions)).markup.source
            let boxes = boxes(in: markup)
            #expect(boxes.count == count)
            let view = try #require(
                markup.firstMatch(of: #/viewBox="0 0 ([\d.]+) ([\d.]+)" width/#))
            let (width, height) = (Double(view.1) ?? 0, Double(view.2) ?? 0)
            for (index, box) in boxes.enumerated() {
                #expect(box.x >= 0 && box.x + box.width <= width)
                #expect(box.y >= 0 && box.y + box.height <= height)
                for other in boxes.dropFirst(index + 1) {
                    let isApart =
                        box.x + box.width < other.x || other.x + other.width < box.x
                        || box.y + box.height < other.y || other.y + other.height < box.y
                    #expect(isApart, "seed \(seed): \(box.name) and \(other.name)")
                }
            }
            try checkTexts(of: markup, boxes)
        }
    }

    /// Rows lie inside their box, and what is on the left of one does not reach what is on the right.
    private func checkTexts(of markup: String, _ boxes: [Box]) throws {
        let groups = markup.split(separator: "<g class=\"box\"").dropFirst()
        for (group, box) in zip(groups, boxes) {
            let texts = group.matches(
                of: #/<text class="([^"]*)" x="([\d.]+)" y="([\d.]+)">([^<]*)</#)
            var ends: [Double: Double] = [:]
            for text in texts {
                let (x, y) = (try #require(Double(text.2)), try #require(Double(text.3)))
                #expect(y > 0 && y < box.height - 2, "\(box.name): \(text.4)")
                let length = Double(text.4.count) * 6.65
                if text.1.hasSuffix(" of") {
                    #expect(x - length >= (ends[y] ?? 0), "\(box.name): \(text.4)")
                } else {
                    ends[y] = x + length
                    #expect(x + length <= box.width, "\(box.name): \(text.4)")
                }
            }
        }
    }

    @Test("Lines show what deleting does, and their ends how many there may be")
    func lines() throws {
        func relation(
            _ number: UInt32, _ name: String, to target: UInt32, many: Bool, inverse: UInt32? = nil,
            _ rule: RelationDefinition.DeleteRule = .nullify
        ) -> RelationDefinition {
            RelationDefinition(
                number: RelationNumber(number), name: name, target: TypeNumber(target),
                isToMany: many,
                inverse: inverse.map { RelationNumber($0) }, deleteRule: rule)
        }
        let markup = SchemaDrawing(
            try types([
                TypeDefinition(
                    number: TypeNumber(1), name: "Chat", idType: .int64, fields: [],
                    relations: [
                        relation(1, "messages", to: 2, many: true, inverse: 1, .cascade),
                        relation(2, "owner", to: 3, many: false, .deny),
                    ]),
                TypeDefinition(
                    number: TypeNumber(2), name: "Message", idType: .int64, fields: [],
                    relations: [relation(1, "chat", to: 1, many: false, inverse: 1)]),
                TypeDefinition(
                    number: TypeNumber(3), name: "User", idType: .int64, fields: [],
                    relations: [relation(1, "friends", to: 3, many: true)]),
            ])
        ).markup.source
        let pattern = #/<g class="(line[^"]*)"><title>([^<]*)</title>(.*?)</g>/#
        let lines: [Line] = markup.matches(of: pattern).map { match in
            Line(kind: String(match.1), title: String(match.2), path: String(match.3))
        }
        #expect(lines.count == 3)
        let cascade = try #require(lines.first { $0.title.contains("messages") })
        #expect(cascade.kind == "line cascade")
        #expect(
            cascade.title
                == "Chat.messages → [Message]; Message.chat → Chat; deleting Chat: cascade")
        #expect(cascade.path.contains("marker-start=\"url(#none-or-one)\""))
        #expect(cascade.path.contains("marker-end=\"url(#many)\""))
        let deny = try #require(lines.first { $0.title.contains("owner") })
        #expect(deny.kind == "line deny" && deny.title.hasSuffix("; deleting Chat: deny"))
        #expect(!deny.path.contains("marker-start") && deny.path.contains("url(#none-or-one)"))
        #expect(lines.first { $0.title.contains("friends") }?.kind == "line")
        for marker in ["many", "one", "none-or-one"] {
            #expect(markup.contains("<marker id=\"\(marker)\""))
        }
        for rule in [".line.cascade path", ".line.deny path"] {
            #expect(ReportStyle.source.contains(rule))
        }
    }

    @Test("A box says how many fields it leaves out: never for one alone")
    func more() throws {
        func type(_ number: UInt32, fields: Int) -> TypeDefinition {
            TypeDefinition(
                number: TypeNumber(number), name: "T\(number)", idType: .int64,
                fields: (0..<fields).map {
                    FieldDefinition(
                        number: FieldNumber(UInt32($0 + 1)), name: "f\($0)", type: .string,
                        rung: .storable)
                }, relations: [])
        }
        func texts(_ definitions: [TypeDefinition]) throws -> [String] {
            SchemaDrawing(try types(definitions)).markup.source
                .matches(of: #/<text class="more"[^>]*>([^<]*)</#).map { String($0.1) }
        }
        #expect(try texts([type(1, fields: 14), type(2, fields: 15)]).isEmpty)
        #expect(try texts([type(1, fields: 16)]) == ["and 2 more fields"])
        let many = (1...40).map { type(UInt32($0), fields: $0 == 40 ? 23 : 4) }
        #expect(try texts(many) == ["and 20 more fields"])
    }
}
