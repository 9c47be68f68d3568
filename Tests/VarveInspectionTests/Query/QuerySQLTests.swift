import Foundation
import Testing
import Varve
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

@EntityModel
private struct Item {
    let id: Int64
    var name: String?
    var count: Int64?
    var price: Double?
    var flag: Bool = false
    var made: Date?
    var tag: Tag = .red
    @Relationship(inverse: \.items) var owner: Owner?
    @Relationship var parts: [Item]? = nil
}

@EntityModel
private struct Owner {
    let id: String
    var name: String
    @Relationship(inverse: \.owner) var items: [Item]?
}

@Storable
private enum Tag {
    case red, green, blue
}

@Suite("Queries beside SQLite and the library")
struct QuerySQLTests {
    /// `VARVE_QUERY_COUNT` asks more.
    private static let count =
        ProcessInfo.processInfo.environment["VARVE_QUERY_COUNT"].flatMap { Int($0) } ?? 1_000

    private static func store(_ comparison: inout SQLComparison, in folder: TestFolder) throws
        -> String
    {
        let (schema, lines, store) = (
            try folder.write(SQLComparison.schema, to: "schema.json"),
            try folder.write(comparison.lines(60), to: "items.jsonl"), folder.file("items.varve")
        )
        let run = ToolRun("import", "--schema", schema, lines, store)
        try #require(run.status == .success, "\(run.errors)\(run.output)")
        return store
    }

    @Test(
        "Random queries find what SQLite finds in the exported tables",
        .enabled(if: SQLite.isThere, "sqlite3 is a package: VARVE_STRICT=1 Tools/setup installs it")
    )
    func comparison() throws {
        let seed = UInt64.random(in: .min ... .max)
        var comparison = SQLComparison(seed: seed)
        let folder = try TestFolder()
        let store = try Self.store(&comparison, in: folder)
        let export = folder.file("items.sql")
        try #require(ToolRun("export", store, "-o", export).status == .success)
        let sqlite = SQLite(database: folder.file("items.db"))
        let loaded = try sqlite.run(file: export)
        try #require(loaded.status == 0 && loaded.errors.isEmpty, "\(loaded.errors)")
        let pairs = (0..<Self.count).map { _ in comparison.pair() }
        let script = pairs.map { "\($0.sql);\nSELECT '---';" }.joined(separator: "\n")
        let found = try sqlite.run(file: try folder.write(script, to: "queries.sql"))
        try #require(found.errors.isEmpty, "seed \(seed): \(found.errors)")
        let answers = found.output.split(separator: "'---'\n", omittingEmptySubsequences: false)
        try #require(answers.count == pairs.count + 1, "seed \(seed)")
        let inspection = try Inspection(at: store)
        for (pair, answer) in zip(pairs, answers) {
            let own = try inspection.answer(InspectionQuery(pair.query)).rows.map { row in
                try row.map { try ComparedValue(json: $0.json) }
            }
            let other = answer.split(separator: "\n").map { ComparedValue.row($0) }
            #expect(own == other, "seed \(seed): \(pair.query)\n\(pair.sql)")
        }
    }

    @Test("An imported store opens with its types, and the library's own queries find the same")
    func library() throws {
        let seed = UInt64.random(in: .min ... .max)
        var comparison = SQLComparison(seed: seed)
        let folder = try TestFolder()
        let path = try Self.store(&comparison, in: folder)
        let inspection = try Inspection(at: path)
        func ids(_ condition: String) throws -> [Int64] {
            try inspection.answer(InspectionQuery("Item where \(condition) select id")).rows
                .compactMap { Int64($0[0].json) }
        }
        let store = try Store(at: URL(fileURLWithPath: path), Item.self, Owner.self)
        let context = store.context
        context.checkInvariants()
        func own(_ condition: (Item) -> Bool) -> [Int64] {
            Item.query().resolve(in: context).filter(condition).map(\.id)
        }
        #expect(Item.filter(\.flag == true).resolve(in: context).map(\.id) == (try ids("flag")))
        #expect(
            Item.filter(\.tag == .green).resolve(in: context).map(\.id)
                == (try ids("tag == \"green\"")))
        for number in -3...3 {
            let text = "count > \(number)"
            #expect(
                own { $0.count.map { $0 > number } ?? false } == (try ids(text)), "seed \(seed)")
            let price = Double(number) / 4
            #expect(
                own { $0.price.map { $0 <= price } ?? false } == (try ids("price <= \(price)")),
                "seed \(seed)")
        }
        #expect(own { $0.name == "ann" } == (try ids("name == \"ann\"")), "seed \(seed)")
        #expect(own { $0.name == nil } == (try ids("name is null")), "seed \(seed)")
        let owner = try #require(Owner.query("o1").with(\.$items).resolve(in: context))
        #expect(
            (owner.$items.ids ?? []).sorted() == (try ids("owner == \"o1\"")).sorted(),
            "seed \(seed)")
        try store.close()
    }
}
