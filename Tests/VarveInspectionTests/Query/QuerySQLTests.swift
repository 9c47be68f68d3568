import Foundation
import Testing
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

@Suite("Queries beside SQLite")
struct QuerySQLTests {
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

    private static func values(_ answer: QueryAnswer) throws -> [[ComparedValue]] {
        try answer.rows.map { row in try row.map { try ComparedValue(json: $0.json) } }
    }

    @Test(
        "Random queries find what SQLite finds in the exported tables, in one part and in many",
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
        let pairs = (0..<SQLComparison.count).map { _ in comparison.pair() }
        let script = pairs.map { "\($0.sql);\nSELECT '---';" }.joined(separator: "\n")
        let found = try sqlite.run(file: try folder.write(script, to: "queries.sql"))
        try #require(found.errors.isEmpty, "seed \(seed): \(found.errors)")
        let answers = found.output.split(separator: "'---'\n", omittingEmptySubsequences: false)
        try #require(answers.count == pairs.count + 1, "seed \(seed)")
        let both = Array(zip(pairs, answers))
        // Rows of a log alone first, and then of a checkpoint, in which they are passed over.
        try expectSame(both.prefix(100), in: Inspection(at: store), seed)
        try #require(ToolRun("compact", store).status == .success)
        try expectSame(both[...], in: Inspection(at: store), seed)
    }

    private func expectSame(
        _ both: ArraySlice<(SQLComparison.Pair, String.SubSequence)>, in inspection: Inspection,
        _ seed: UInt64
    ) throws {
        for (pair, answer) in both {
            let query = try InspectionQuery(pair.query)
            let own = try Self.values(inspection.answer(query))
            let inParts = try inspection.reading(query) { bound, state throws(InspectionError) in
                try QueryRun(bound, state, leavesMin: 1).answer()
            }
            #expect(try Self.values(inParts) == own, "seed \(seed): \(pair.query)")
            let other = answer.split(separator: "\n").map { ComparedValue.row($0) }
            #expect(own == other, "seed \(seed): \(pair.query)\n\(pair.sql)")
        }
    }
}
