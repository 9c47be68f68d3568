import Foundation
import Testing
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

/// Conditions and sums are found of many rows together where bytes tell, and row by row by values elsewhere: a condition on
/// an id makes the difference. Both find the same.
@Suite("Queries of many rows together")
struct QueryBatchTests {
    private static let schema = """
        {"types":[{"name":"Item","id":"Int64","fields":[{"name":"name","type":"String"},\
        {"name":"small","type":"Int8"},{"name":"number","type":"Int64"},{"name":"size","type":"UInt32"},\
        {"name":"flag","type":"Bool"},{"name":"price","type":"Double"},{"name":"rate","type":"Float"},\
        {"name":"made","type":"Date"},{"name":"key","type":"UUID"},{"name":"note","type":"String?"},\
        {"name":"rest","type":"Int64?"},{"name":"list","type":"[Int64]"},{"name":"last","type":"Int64"}],\
        "relations":[]}]}
        """

    private static let texts = [
        "", "a", "net", "eightbyt", "eightbytes", "é", "nét", "a\\r\\nb", "12345678", "1234567",
        String(repeating: "long ", count: 30), String(repeating: "very long ", count: 200),
    ]
    private static let integers = [
        Int64.min, .max, -1, 0, 1, 63, 64, -64, -65, 8_191, 8_192, 1 << 55, -1 << 55, 1 << 62,
    ]

    private static func lines(_ count: Int, _ random: inout SeededGenerator) throws -> String {
        var lines = ""
        for id in 0..<count {
            let integer = { (random: inout SeededGenerator) in
                try #require(Self.integers.randomElement(using: &random))
            }
            let text = try #require(Self.texts.randomElement(using: &random))
            let fields = [
                "\"type\":\"Item\"", "\"id\":\(id)", "\"name\":\"\(text)\"",
                "\"small\":\(Int8.random(in: .min ... .max, using: &random))",
                "\"number\":\(try integer(&random))",
                "\"size\":\(UInt32.random(in: 0...300, using: &random))",
                "\"flag\":\(Bool.random(using: &random))",
                "\"price\":\(Double(Int.random(in: -8...8, using: &random)) / 4)",
                "\"rate\":\(Double(Int.random(in: -8...8, using: &random)) / 4)",
                "\"made\":\"2026-08-0\(Int.random(in: 1...9, using: &random))T00:00:00Z\"",
                "\"key\":\"\(UUID())\"",
                "\"note\":" + (Bool.random(using: &random) ? "null" : "\"\(text.prefix(9))\""),
                "\"rest\":" + (Bool.random(using: &random) ? "null" : "\(try integer(&random))"),
                "\"list\":[\(Bool.random(using: &random) ? "" : "1,2")]",
                "\"last\":\(Int.random(in: -3...3, using: &random))",
            ]
            lines += "{" + fields.joined(separator: ",") + "}\n"
        }
        return lines
    }

    private static func condition(_ random: inout SeededGenerator, depth: Int) throws -> String {
        func one(_ texts: [String]) throws -> String {
            try #require(texts.randomElement(using: &random))
        }
        let comparison = try one(["==", "!=", "<", "<=", ">", ">="])
        guard depth == 0 else {
            let first = try condition(&random, depth: depth - 1)
            let second = try condition(&random, depth: depth - 1)
            return try one([
                "(\(first) and \(second))", "(\(first) or \(second))", "not \(first)", first,
            ])
        }
        let integer = "\(try #require(integers.randomElement(using: &random)))"
        let text = "\"" + (try one(texts)).replacing("\\r\\n", with: "\\n") + "\""
        return try one([
            "name \(comparison) \(text)", "name contains \(text)", "name startsWith \(text)",
            "number \(comparison) \(integer)", "number \(comparison) 0.5",
            "small \(comparison) \(Int.random(in: -130...130, using: &random))",
            "size \(comparison) \(Int.random(in: -1...301, using: &random))", "flag",
            "price \(comparison) 0.25", "rate \(comparison) 1", "made \(comparison) '2026-08-04'",
            "note is null", "note \(comparison) \(text)", "rest \(comparison) \(integer)",
            "rest is not null", "last \(comparison) 1",
        ])
    }

    /// In a log alone, or in a checkpoint.
    private static func inspection(
        in folder: TestFolder, isCompacted: Bool, _ random: inout SeededGenerator
    ) throws -> Inspection {
        let store = folder.file("items.varve")
        let run = ToolRun(
            "import", "--schema", try folder.write(schema, to: "schema.json"),
            try folder.write(lines(500, &random), to: "items.jsonl"), store)
        try #require(run.status == .success, "\(run.errors)\(run.output)")
        if isCompacted { try #require(ToolRun("compact", store).status == .success) }
        return try Inspection(at: store)
    }

    @Test("Conditions find the same rows, in a log and in a checkpoint", arguments: [false, true])
    func conditions(isCompacted: Bool) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let folder = try TestFolder()
        let inspection = try Self.inspection(in: folder, isCompacted: isCompacted, &random)
        defer { withExtendedLifetime(folder) {} }
        for round in 0..<150 {
            let condition = try Self.condition(&random, depth: round % 3)
            let found = try QueryStore.answer(
                "Item where \(condition) select id, name", in: inspection)
            let expected = try QueryStore.answer(
                "Item where \(condition) and id >= 0 select id, name", in: inspection)
            #expect(found == expected, "seed \(seed): \(condition)")
            let count = try QueryStore.answer(
                "Item where \(condition) select count()", in: inspection)
            #expect(count == [["\(expected.count)"]], "seed \(seed): \(condition)")
        }
    }

    @Test("Aggregates are the same, also of no rows and of null", arguments: [false, true])
    func aggregates(isCompacted: Bool) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let folder = try TestFolder()
        let inspection = try Self.inspection(in: folder, isCompacted: isCompacted, &random)
        defer { withExtendedLifetime(folder) {} }
        let fields = ["small", "number", "size", "price", "rate", "rest", "last"]
        for round in 0..<60 {
            let condition =
                round == 0 ? "number == 7" : try Self.condition(&random, depth: round % 3)
            let names = fields.shuffled(using: &random).prefix(round % 3 + 1)
            let columns = names.map { name in
                let plain = "sum(\(name)), least(\(name)), most(\(name))"
                // Of great integers the average depends on the order of the rows, in its last digits.
                return ["number", "rest"].contains(name) ? plain : "\(plain), average(\(name))"
            }
            let query = columns.joined(separator: ", ") + ", count()"
            let found = try QueryStore.answer(
                "Item where \(condition) select \(query)", in: inspection)
            let expected = try QueryStore.answer(
                "Item where \(condition) and id >= 0 select \(query)", in: inspection)
            #expect(found == expected, "seed \(seed): \(condition), \(query)")
        }
        let all = try QueryStore.answer("Item select sum(rest), count()", in: inspection)
        #expect(
            try QueryStore.answer("Item where id >= 0 select sum(rest), count()", in: inspection)
                == all)
    }
}
