import Foundation
import Testing
import VarveInspection
import VarveTestSupport

@testable import VarveTool

@Suite("An import does not depend on the order of its lines")
struct ImportOrderTests {
    private static let schema = """
        {"types":[{"name":"User","id":"String","fields":[],"relations":[
        {"name":"boss","target":"User","inverse":"reports"},
        {"name":"reports","target":"User","toMany":true,"inverse":"boss"},
        {"name":"partner","target":"User","inverse":"partner"}]}]}
        """
    private static let ids = ["a", "b", "c", "d"]

    private let folder: TestFolder
    private let schema: String

    init() throws {
        folder = try TestFolder()
        schema = try folder.write(Self.schema, to: "schema.json")
    }

    /// Imports lines into a store that holds others. Returns what each user is linked to, nil where a line is refused.
    private func outcome(of lines: [String], into base: [String]) throws -> [String]? {
        let store = folder.file("\(UUID().uuidString).varve")
        let first = try folder.write(base.joined(separator: "\n"), to: "base.jsonl")
        let made = ToolRun("import", "-s", schema, "-t", "User", first, store)
        try #require(made.status == .success, "\(made.errors)\(made.output)")
        let second = try folder.write(lines.joined(separator: "\n"), to: "lines.jsonl")
        let run = ToolRun("import", "-t", "User", second, store)
        try #require(run.errors.isEmpty, "\(run.errors)")
        #expect(ToolRun("verify", store).status == .success)
        guard run.status == .success else { return nil }
        return ToolRun("query", "-j", store, "User select id, boss, partner").lines.sorted()
    }

    @Test(
        "Two lines that claim one entity are refused also where the store has it linked to one of them",
        arguments: ["reports", "partner"])
    func claims(relation: String) throws {
        func line(_ id: String, _ target: String) -> String {
            let target = relation == "reports" ? "[\"\(target)\"]" : "\"\(target)\""
            return "{\"id\":\"\(id)\",\"links\":{\"\(relation)\":\(target)}}"
        }
        let base = [line("a", "c"), #"{"id":"b"}"#, #"{"id":"c"}"#]
        let lines = [line("a", "c"), line("b", "c")]
        #expect(try outcome(of: lines, into: base) == nil)
        #expect(try outcome(of: lines.reversed(), into: base) == nil)
        // One claim alone takes it from the other, or changes nothing.
        #expect(try outcome(of: [lines[1]], into: base) != nil)
        #expect(try outcome(of: [lines[0]], into: base) != nil)
    }

    @Test("A line that says an id is gone is refused beside one of an entity with that id")
    func gone() throws {
        for state in ["gone", "awaited"] {
            let lines = ["{\"id\":\"z\",\"state\":\"\(state)\"}", #"{"id":"z"}"#]
            #expect(try outcome(of: lines, into: [#"{"id":"a"}"#]) == nil, "\(state)")
            #expect(try outcome(of: lines.reversed(), into: [#"{"id":"a"}"#]) == nil, "\(state)")
        }
    }

    @Test("Every order of random lines has the same outcome", arguments: 1...16)
    func orders(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let base = Self.ids.map { "{\"id\":\"\($0)\"}" }
        // The store has links already: each is claimed by the line of its holder at most.
        let linked = Self.ids.map { id in
            let boss =
                Bool.random(using: &random)
                ? "\"\(Self.ids.randomElement(using: &random)!)\"" : "null"
            return "{\"id\":\"\(id)\",\"boss\":\(boss)}"
        }
        let lines = Self.ids.shuffled(using: &random).prefix(3).map { id in
            Self.line(id, &random)
        }
        var outcomes: Set<[String]?> = []
        for order in Self.orders(of: lines) {
            outcomes.insert(try outcome(of: order, into: seed.isMultiple(of: 4) ? base : linked))
        }
        #expect(outcomes.count == 1, "seed \(seed): \(lines)")
    }

    private static func line(_ id: String, _ random: inout SeededGenerator) -> String {
        var links: [String] = []
        func some() -> [String] {
            ids.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        }
        if Bool.random(using: &random) { links.append("\"reports\":\(some())") }
        if Int.random(in: 0..<3, using: &random) == 0 {
            links.append("\"boss\":" + (some().first.map { "\"\($0)\"" } ?? "null"))
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            links.append("\"partner\":" + (some().first.map { "\"\($0)\"" } ?? "null"))
        }
        return "{\"id\":\"\(id)\",\"links\":{" + links.joined(separator: ",") + "}}"
    }

    private static func orders(of lines: [String]) -> [[String]] {
        guard lines.count > 1 else { return [lines] }
        return lines.indices.flatMap { index in
            var rest = lines
            let first = rest.remove(at: index)
            return orders(of: rest).map { [first] + $0 }
        }
    }
}
