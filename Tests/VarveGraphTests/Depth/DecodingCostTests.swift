import Foundation
import Synchronization
import Testing
import VarveGraph

/// Counts how often it is decoded.
private struct Probe: Codable, Equatable, Sendable {
    static let count = Mutex(0)

    init() {}

    init(from decoder: any Decoder) throws {
        Probe.count.withLock { $0 += 1 }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(1)
    }
}

/// Its relations have the names of forms, so that each may be taken for one.
@EntityModel
private struct Knot: Codable {
    var probe = Probe()
    @Relationship() var object: Knot?
    @Relationship() var objects: [Knot]?
    let id: Int
}

@Suite("What decoding of relations costs", .serialized)
struct DecodingCostTests {
    private static let depth = 20

    static let strategies = (1..<8).map { RelationDecodingStrategy(rawValue: $0) }

    /// An entity that holds another one in some form, and so on, down to one with the id that is given.
    private static func text(_ form: (property: String, open: String, close: String), leaf: String)
        -> String
    {
        let other = form.property == "object" ? "objects" : "object"
        let start = #"{"probe":1,"\#(other)":null,"\#(form.property)":\#(form.open)"#
        return String(repeating: start, count: depth)
            + #"{"probe":1,"object":null,"objects":null,"id":\#(leaf)}"#
            + String(repeating: #"\#(form.close),"id":1}"#, count: depth)
    }

    @Test("Each entity is decoded once at most, whatever form holds it, also where a leaf is bad")
    func once() throws {
        let forms = [
            ("object", #"{"object":"#, "}"), ("object", #"{"fragment":"#, "}"), ("object", "", ""),
            ("objects", #"{"objects":["#, "]}"), ("objects", #"{"slice":["#, "]}"),
            ("objects", "[", "]"), ("object", #"{"objects":["#, "]}"),
            ("objects", #"{"object":"#, "}"),
        ]
        for strategy in Self.strategies {
            let decoder = JSONDecoder()
            decoder.relationDecodingStrategy = strategy
            for form in forms {
                for leaf in ["1", #""bad""#] {
                    Probe.count.withLock { $0 = 0 }
                    let text = Self.text(form, leaf: leaf)
                    _ = try? decoder.decode(Knot.self, from: Data(text.utf8))
                    let count = Probe.count.withLock { $0 }
                    #expect(
                        count <= Self.depth + 1, "\(strategy.rawValue) \(form) \(leaf)")
                }
            }
        }
    }

    @Test("The error is that of the bad leaf, at its place")
    func errorInside() throws {
        let decoder = JSONDecoder()
        decoder.relationDecodingStrategy = [.keyedContainer, .explicitKeyedContainer]
        let text = Self.text(("object", #"{"object":"#, "}"), leaf: #""bad""#)
        do {
            _ = try decoder.decode(Knot.self, from: Data(text.utf8))
            Issue.record("the leaf has no id")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.count == 2 * Self.depth + 1)
            #expect(context.codingPath.last?.stringValue == "id")
        }
    }

    @Test("A property that has the name of a form, and another kind of value, is no form")
    func nameOfAForm() throws {
        let decoder = JSONDecoder()
        decoder.relationDecodingStrategy = [.keyedContainer, .plain]
        let inner = #"{"probe":1,"object":null,"objects":[],"id":2}"#
        let text = #"{"probe":1,"id":1,"objects":null,"object":\#(inner)}"#
        let knot = try decoder.decode(Knot.self, from: Data(text.utf8))
        #expect(knot.$object.id == 2)
    }
}
