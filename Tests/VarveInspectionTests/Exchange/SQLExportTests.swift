import Foundation
import Testing
import VarveEvents
import VarveText

@testable import VarveInspection
@testable import VarveTool

/// Reads the tables that an export made with the program `sqlite3`, cell by cell.
@Suite("Exports in SQLite")
struct SQLExportTests {
    /// What a cell holds, by SQLite's own type. The random numbers are ones that SQLite reads without rounding.
    private enum Cell: Equatable, CustomStringConvertible {
        case null
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case blob([UInt8])

        static func text(_ text: String) -> Cell { .text(Array(text.utf8)) }

        /// - Parameter written: as ``SQLTable/cells`` writes it.
        init(written: String) throws {
            let parts = written.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let (type, value) = (parts[0], String(parts[1]))
            switch type {
            case "null": self = .null
            case "integer": self = .integer(try #require(Int64(value)))
            case "real": self = .real(try #require(Double(value)))
            case "text": self = .text(Self.bytes(value))
            default: self = .blob(Self.bytes(value))
            }
        }

        private static func bytes(_ digits: String) -> [UInt8] {
            let digits = Array(digits)
            return stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
        }

        /// What the table of types in Docs/TOOL.md says.
        init(_ content: StoredContent) {
            switch content {
            case .bool(let value): self = .integer(value ? 1 : 0)
            case .signed(let value): self = .integer(value)
            case .unsigned(let value):
                self = Int64(exactly: value).map { .integer($0) } ?? .text("\(value)")
            case .float(let value): self = value.isNaN ? .text("NaN") : .real(Double(value))
            case .double(let value): self = value.isNaN ? .text("NaN") : .real(value)
            case .decimal(let digits):
                // Fifteen digits are what every number of SQLite keeps.
                let isText = digits == "NaN" || digits.count { $0.isNumber } > 15
                self =
                    isText
                    ? .text(digits)
                    : Int64(digits).map { .integer($0) } ?? .real(Double(digits) ?? .nan)
            case .string(let value), .url(let value): self = .text(value)
            case .uuid(let value): self = .text(value.uuidString)
            case .data(let bytes): self = .blob(bytes)
            case .date(let seconds): self = .text(Self.date(seconds))
            case .optional(let value): self = value.map { Cell($0) } ?? .null
            case .enumeration(_, let name, let payload) where payload.isEmpty: self = .text(name)
            default: self = .text(content.json)
            }
        }

        private static func date(_ seconds: Double) -> String {
            let years = -63_113_904_000.0..<252_423_993_600
            guard years.contains(seconds), seconds > years.lowerBound else { return "\(seconds)" }
            let microseconds = Int64((seconds * 1_000_000).rounded()) + 978_307_200_000_000
            return Moment(microseconds: microseconds).iso8601
        }

        var description: String {
            switch self {
            case .null: "NULL"
            case .integer(let value): "\(value)"
            case .real(let value): "\(value) as REAL"
            case .text(let bytes): String(decoding: bytes, as: UTF8.self).debugDescription
            case .blob(let bytes): "\(bytes)"
            }
        }
    }

    /// A database that an export filled.
    private struct Database {
        let sqlite: SQLite
        let folder: TestFolder

        /// Tables in the order in which they were made.
        func tables() throws -> [String] {
            try lines("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid;")
        }

        private func lines(_ statement: String) throws -> [String] {
            let run = try sqlite.run(file: try folder.write(statement, to: "statement.sql"))
            try #require(run.status == 0 && run.errors.isEmpty, "\(statement): \(run.errors)")
            return run.output.split(separator: "\n").map { line in
                ComparedValue.row(line).map { value in
                    if case .text(let text) = value { text } else { "\(value)" }
                }.joined(separator: "\u{1F}")
            }
        }

        /// All rows, in the order of the type where the last column is that, else of the first two columns.
        func rows(of table: String) throws -> [[Cell]] {
            let name = Self.quoted(table)
            let columns = try lines("SELECT name FROM pragma_table_info(\(Self.literal(table)));")
                .map(Self.quoted)
            let cells = columns.map { column in
                "typeof(\(column)) || ':' || CASE typeof(\(column)) WHEN 'real' "
                    + "THEN printf('%!.17g', \(column)) WHEN 'integer' THEN \(column) "
                    + "WHEN 'null' THEN '' ELSE hex(\(column)) END"
            }
            let order =
                columns.last == "\"@ordinal\"" ? "\"@ordinal\"" : "\"id\", \"position\""
            return try lines(
                "SELECT \(cells.joined(separator: ", ")) FROM \(name) ORDER BY \(order);"
            ).map { line in
                try line.split(separator: "\u{1F}", omittingEmptySubsequences: false).map {
                    try Cell(written: String($0))
                }
            }
        }

        private static func quoted(_ name: String) -> String { "\"" + name.doubling("\"") + "\"" }

        private static func literal(_ text: String) -> String { "'" + text.doubling("'") + "'" }
    }

    @Test(
        "SQLite holds every value of random stores, hostile texts, bytes and large numbers among them",
        .enabled(
            if: SQLite.isThere, "sqlite3 is a package: VARVE_STRICT=1 Tools/setup installs it"),
        arguments: 0..<12 as Range<UInt64>)
    func values(seed: UInt64) throws {
        let random = try RandomStore(seed: seed)
        let folder = try TestFolder()
        let file = folder.file("all.sql")
        #expect(ToolRun("export", "--deleted", random.store.path, "-o", file).status == .success)
        let database = Database(sqlite: SQLite(database: folder.file("all.db")), folder: folder)
        let loaded = try database.sqlite.run(file: file)
        try #require(loaded.status == 0 && loaded.errors.isEmpty, "seed \(seed): \(loaded.errors)")
        let check = try database.sqlite.run(
            file: try folder.write(
                "PRAGMA integrity_check; PRAGMA foreign_key_check;", to: "check.sql"))
        #expect(check.output == "'ok'\n", "seed \(seed)")

        var tables = try database.tables()[...]
        let inspection = try Inspection(at: random.store.path)
        let lines = try Self.lines(of: random.store)
        for type in try inspection.schema().types where type.tombstoneOf == nil {
            for selection in [EntityList.Selection.live, .deleted] {
                let first = tables.popFirst()
                let table = try #require(first, "seed \(seed): \(type.name)")
                let list = try inspection.entities(of: type.name, selection)
                let expected = try (0..<list.count).map { Self.row(of: try list.entity(at: $0)) }
                try compare(database.rows(of: table), expected, "seed \(seed): \(table)")
            }
            for relation in type.relations where relation.isToMany {
                let first = tables.popFirst()
                let table = try #require(first, "seed \(seed): \(relation.name)")
                let rows = try database.rows(of: table)
                let list = try inspection.entities(of: type.name)
                for position in 0..<list.count {
                    let entity = try list.entity(at: position)
                    let id = Cell(entity.id.stored.content)
                    let links = entity.links.first { $0.relation == relation.name }?.targets ?? []
                    let expected = links.enumerated().map { index, target in
                        [id, .integer(Int64(index)), Cell(target.stored.content)]
                    }
                    try compare(rows.filter { $0[0] == id }, expected, "seed \(seed): \(table)")
                }
                let linkCount = Self.linkCount(of: type.name, relation.name, in: lines)
                #expect(rows.count == linkCount, "seed \(seed): \(table)")
            }
        }
        #expect(tables.isEmpty, "seed \(seed): \(tables)")
    }

    /// The entities of an export as JSON lines.
    private static func lines(of store: SampleStore) throws -> [[String: Any]] {
        try ToolRun("export", "--deleted", store.path).lines.dropFirst().map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }

    /// Links of live entities, and of ids that no entity has.
    private static func linkCount(
        of type: String, _ relation: String, in lines: [[String: Any]]
    ) -> Int {
        lines.reduce(0) { count, line in
            guard line["type"] as? String == type, line["state"] as? String != "deleted",
                let links = line["links"] as? [String: Any]
            else { return count }
            return count + ((links[relation] as? [Any])?.count ?? 0)
        }
    }

    @Test("Cells are equal to the last digit, and infinities to themselves alone")
    func cells() {
        #expect(Cell.real(.infinity) == .real(.infinity) && Cell.real(.infinity) != .real(1))
        #expect(Cell.real(-.infinity) != .real(.infinity) && Cell.real(1) != .real(1.nextUp))
    }

    private func compare(_ rows: [[Cell]], _ expected: [[Cell]], _ comment: String) throws {
        #expect(rows.count == expected.count, "\(comment)")
        for (row, wanted) in zip(rows, expected) {
            #expect(row == wanted, "\(comment)")
        }
    }

    private static func row(of entity: InspectedEntity) -> [Cell] {
        var cells = [Cell(entity.id.stored.content)]
        cells += entity.fields.map { Cell($0.value.stored.content) }
        for links in entity.links {
            if !links.isToMany {
                cells.append(links.targets.first.map { Cell($0.stored.content) } ?? .null)
            } else if entity.isDeleted {
                cells.append(.text("[" + links.targets.map(\.json).joined(separator: ",") + "]"))
            }
        }
        return cells + [.integer(Int64(entity.ordinal))]
    }
}
