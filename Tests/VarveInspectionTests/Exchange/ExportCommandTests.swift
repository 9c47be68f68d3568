import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("varve export")
struct ExportCommandTests {
    @Test("JSON lines begin with the schema and hold entities with fields and links")
    func jsonLines() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("export", store.path)
        #expect(run.lines.count == 4)
        let header = try JSONObject(run.lines[0])
        #expect(header["varve"] == "export" && header["version"] == "1")
        #expect(header["schema", "types", 0, "relations", 0, "inverse"] == "users")
        let ann = try JSONObject(run.lines[1])
        #expect(ann["type"] == "User" && ann["id"] == "ann" && ann["fields", "age"] == "30")
        #expect(ann["links", "chats", 0] == "7" && ann["links", "boss"] == "null")
        let then = ToolRun("export", "--at=2", "--type=Chat", store.path)
        #expect(then.lines.count == 2 && then.lines[1].contains("\"title\":\"Hello\""))
        #expect(!then.output.contains("users"))
        #expect(ToolRun("export", "--type=Cat", store.path).status == .failure)
    }

    @Test("A hostile store reaches a terminal as text alone, and SQLite and an import as it is")
    func hostile() throws {
        let hostile = try HostileStore()
        let folder = try TestFolder()
        for format in ["jsonl", "sql"] {
            let run = ToolRun(
                all: ["export", "-d", "-F", format, hostile.path], terminalWidth: 80)
            #expect(run.status == .success)
            #expect(
                run.output.unicodeScalars.allSatisfy { scalar in
                    scalar == "\n"
                        || scalar.properties.generalCategory != .control
                            && scalar.properties.generalCategory != .format
                }, "\(format)")
        }
        let (csv, copy) = (folder.file("csv"), folder.file("copy.varve"))
        #expect(ToolRun("export", "-d", "-F", "csv", hostile.path, "-o", csv).status == .success)
        let imported = ToolRun("import", csv, copy)
        #expect(imported.status == .success, "\(imported.errors)\(imported.output)")
        let (original, carried) = (try StoreContent(hostile.path), try StoreContent(copy))
        #expect(original.entities == carried.entities && original.links == carried.links)
    }

    @Test("Quotation marks are doubled also where they make one character with their neighbours")
    func combiningMarks() throws {
        let folder = try TestFolder()
        let schema = try folder.write(
            #"{"types":[{"name":"V","id":"Int64","fields":[{"name":"t","type":"String"}]}]}"#,
            to: "schema.json")
        let lines = try folder.write(
            """
            {"type":"V","id":1,"t":"x'\u{301}"}
            {"type":"V","id":2,"t":"\u{0D4E}'x"}
            {"type":"V","id":3,"t":"x\\"\u{301}"}
            {"type":"V","id":4,"t":"x,\u{301}"}
            """, to: "v.jsonl")
        let store = folder.file("v.varve")
        #expect(ToolRun("import", "-s", schema, lines, store).status == .success)
        let sql = Array(ToolRun("export", "-F", "sql", store).output.utf8)
        #expect(sql.contains(Array("x''\u{301}".utf8)))
        #expect(sql.contains(Array("\u{0D4E}''x".utf8)))
        let csv = Array(ToolRun("query", "--csv", store, "V select t").output.utf8)
        #expect(csv.contains(Array("\"x\"\"\u{301}\"".utf8)))
        #expect(csv.contains(Array("\"x,\u{301}\"".utf8)))
        // People see them escaped as well, and a query finds them.
        let shown = Array(ToolRun("show", store, "1").output.utf8)
        #expect(shown.contains(Array("\"x\\\"\u{301}\"".utf8)))
        for text in ["\"\u{301}\"", "'\u{301}'"] {
            let found = ToolRun("query", store, "V where t endsWith " + text + " select id")
            #expect(found.status == .success && found.errors.isEmpty, "\(found.errors)")
        }
        #expect(
            ToolRun("query", store, "V where t == 'x\"\u{301}' select id").output
                == "{\"id\":3}\n")
    }

    @Test("A query as CSV has nothing for null, and quotation marks for an empty text")
    func emptyCells() throws {
        let folder = try TestFolder()
        let schema = try folder.write(
            #"{"types":[{"name":"V","id":"Int64","fields":[{"name":"t","type":"String?"},{"name":"d","type":"Date"}]}]}"#,
            to: "schema.json")
        let lines = try folder.write(
            "{\"type\":\"V\",\"id\":1,\"t\":null,\"d\":\"2026-08-03\"}\n"
                + "{\"type\":\"V\",\"id\":2,\"t\":\"\",\"d\":\"2026-08-03\"}", to: "v.jsonl")
        let store = folder.file("v.varve")
        #expect(ToolRun("import", "-s", schema, lines, store).status == .success)
        #expect(
            ToolRun("query", "--csv", store, "V select id, t, d").output
                == "id,t,d\n1,,2026-08-03T00:00:00Z\n2,\"\",2026-08-03T00:00:00Z\n")
    }

    @Test(
        "Texts, bytes, dates, decimals and ids come out of SQLite as they went in",
        .enabled(if: SQLite.isThere, "sqlite3 is a package: VARVE_STRICT=1 Tools/setup installs it")
    )
    func values() throws {
        let folder = try TestFolder()
        let schema = try folder.write(
            """
            {"types":[{"name":"V","id":"UUID","fields":[{"name":"t","type":"String"},{"name":"b","type":"Data"},
            {"name":"d","type":"Date"},{"name":"n","type":"Decimal"},{"name":"u","type":"UInt64"},
            {"name":"i","type":"Int64"},{"name":"l","type":"[String]"},{"name":"o","type":"Double?"}]}]}
            """, to: "schema.json")
        let line =
            #"{"type":"V","id":"01020304-0506-0708-090A-0B0C0D0E0F10","t":"a'b\r\n.quit\u0000é\n;--","b":"AP8=","#
            + #""d":"2026-08-03T14:05:22.5Z","n":12.5,"u":18446744073709551615,"i":-9223372036854775808,"l":["x","'"],"o":null}"#
        let (lines, store, sql) = (
            try folder.write(line, to: "v.jsonl"), folder.file("v.varve"), folder.file("v.sql")
        )
        let run = ToolRun("import", "-s", schema, lines, store)
        #expect(run.status == .success, "\(run.errors)\(run.output)")
        #expect(ToolRun("export", store, "-o", sql).status == .success)
        let sqlite = SQLite(database: folder.file("v.db"))
        #expect(try sqlite.run(file: sql).errors == "")
        let found = try sqlite.run(
            file: try folder.write(
                "SELECT id, hex(t), hex(b), d, n, u, i, l, o, strftime('%s', d) FROM V;",
                to: "q.sql"))
        let hex = Array("a'b\r\n.quit\0é\n;--".utf8).map { String(format: "%02X", $0) }.joined()
        #expect(
            found.output == "'01020304-0506-0708-090A-0B0C0D0E0F10','\(hex)','00FF',"
                + "'2026-08-03T14:05:22.500000Z',12.5,'18446744073709551615',-9223372036854775808,"
                + "'[\"x\",\"''\"]',NULL,'1785765922'\n")
    }
}
