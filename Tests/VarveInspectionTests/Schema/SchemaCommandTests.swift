import Foundation
import Testing

@testable import VarveInspection
@testable import VarveTool

@Suite("varve schema")
struct SchemaCommandTests {
    @Test("Types are listed with fields, defaults, relations and rules")
    func text() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("schema", store.path)
        #expect(run.status == .success)
        #expect(
            run.output == """
                User
                  id     String
                  name   String
                  age    Int64?  default nil
                  bio    String  default ""
                  chats  → [Chat], inverse users, cascade
                  boss   → User

                Chat
                  id     Int64
                  title  String
                  seen   Date
                  users  → [User], inverse chats

                """)
    }

    @Test("JSON holds numbers, types, defaults, inverses and rules")
    func json() throws {
        let store = try SampleStore.filled()
        let json = try JSONObject(ToolRun("schema", "--json", store.path).output)
        #expect(json["schema"] == "1" && json["transaction"] == "9" && json["damage"] == "null")
        #expect(json["types", 0, "number"] == "1" && json["types", 0, "name"] == "User")
        #expect(json["types", 0, "id"] == "String" && json["types", 1, "id"] == "Int64")
        #expect(json["types", 0, "fields", 1, "type", "optional"] == "Int64")
        #expect(json["types", 0, "fields", 1, "swift"] == "Int64?")
        #expect(json["types", 0, "fields", 1, "optional"] == "true")
        #expect(json["types", 0, "fields", 1, "hasDefault"] == "true")
        #expect(json["types", 0, "fields", 1, "default"] == "null")
        #expect(json["types", 0, "fields", 2, "default"] == "")
        #expect(json["types", 0, "fields", 0, "hasDefault"] == "false")
        #expect(json["types", 0, "fields", 0, "rung"] == "storable")
        #expect(json["types", 0, "relations", 0, "target"] == "Chat")
        #expect(json["types", 0, "relations", 0, "toMany"] == "true")
        #expect(json["types", 0, "relations", 0, "inverse"] == "users")
        #expect(json["types", 0, "relations", 0, "deleteRule"] == "cascade")
        #expect(json["types", 0, "relations", 1, "number"] == "2")
        #expect(json["types", 0, "tombstoneOf"] == "null")
    }

    @Test("Types inside values are written with all their parts")
    func parts() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-schema-\(UUID().uuidString).varve")
        defer { try? FileManager.default.removeItem(at: folder) }
        try OriginalFleet.write(at: folder)
        let json = try JSONObject(ToolRun("schema", "-j", folder.path).output)
        let fields = ["types", 0, "fields"] as [Any]
        func field(_ path: Any...) -> String? { json[fields + path] }
        #expect(field(2, "type", "raw") == "ShipState" && field(2, "type", "type") == "String")
        #expect(field(3, "type", "array", "raw") == "ShipState" && field(3, "rung") == "rawValue")
        #expect(field(4, "rung") == "storable" && field(4, "type", "type") == "Int16")
        #expect(field(5, "type", "structure") == "Harbour.Berth")
        #expect(field(5, "type", "fields", 1, "name") == "pier-side")
        #expect(field(5, "type", "fields", 1, "type", "optional") == "Bool")
        #expect(field(6, "type", "dictionary", "key") == "String")
        #expect(field(7, "type", "array", "cases", 2, "payload", 1, "name") == "tons")
        #expect(field(8, "type", "json") == "ShipPapers" && field(8, "rung") == "json")
        #expect(field(14, "type", "set") == "Int16")
        #expect(field(19, "type", "text") == "PortBox")
        #expect(json["types", 1, "tombstoneOf"] == "Fleet.Ship")
        #expect(json["types", 2, "id", "raw"] == "SailorID")
        let text = ToolRun("schema", folder.path).output
        #expect(text.contains("  Harbour.Berth  structure of pier: String, pier-side: Bool?, "))
        #expect(text.contains("none, default, goods(what: String, tons: Double), people("))
    }

    @Test("A graph names each type once and each pair of relations once")
    func dot() throws {
        let store = try SampleStore.filled()
        let lines = ToolRun("schema", "--dot", store.path).lines
        #expect(lines.first == "digraph schema {" && lines.last == "}")
        #expect(lines.filter { $0.contains("<b>User</b>") }.count == 1)
        let edges = lines.filter { $0.contains(" -> ") }
        #expect(
            edges == [
                "  t1:r1:e -> t2:r1:w [dir=both, arrowhead=crow, arrowtail=crow, penwidth=2, label=\"cascade\"];",
                "  t1:r2:e -> t1:head:e [dir=both, arrowhead=teeodot, arrowtail=none];",
            ])
    }

    @Test("An empty store has no types, in every form")
    func empty() throws {
        let store = try SampleStore()
        try store.close()
        #expect(ToolRun("schema", store.path).output == "no types are defined\n")
        #expect(ToolRun("schema", "--json", store.path).output.contains("\"types\":[]"))
        #expect(ToolRun("schema", "--dot", store.path).lines.count == 5)
        #expect(ToolRun("schema", "--swift", store.path).output.contains("import Varve"))
    }

    @Test("Behind a compaction the definitions come from the checkpoint")
    func compacted() throws {
        let store = try SampleStore.filled()
        let before = ToolRun("schema", store.path).output
        #expect(ToolRun("compact", "--keep=none", store.path).status == .success)
        #expect(ToolRun("schema", store.path).output == before)
    }

    @Test("Where a segment is damaged, its head still tells the types, with an error behind them")
    func damaged() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        let whole = ToolRun("schema", store.path).output
        // Behind a compaction the newest transactions lie in a segment that opening does not read.
        #expect(ToolRun("compact", "--keep=all", store.path).status == .success)
        let newest = try JSONObject(ToolRun("show", "--json", store.path, "9").output)
        let (segment, offset) = (try #require(newest["segment"]), try #require(newest["offset"]))
        try store.flip(
            byteAt: try #require(Int(offset)) + 60, of: "segment-000000000\(segment)")
        let run = ToolRun("schema", store.path)
        #expect(run.output == whole)
        #expect(run.status == .failure)
        #expect(run.errors.hasPrefix("varve: damaged: segment \(segment), offset \(offset): "))
    }

    @Test("Two forms at once are refused")
    func conflict() throws {
        let run = ToolRun("schema", "--dot", "--swift", "x.varve")
        #expect(run.status == .usage)
        #expect(
            run.errors.hasPrefix("varve: --swift and --dot are alternatives: give one of them\n"))
    }

    @Test("Names that are no Swift names are renamed, kept from one another, or left out")
    func hostileNames() throws {
        let store = try HostileStore()
        let source = try Inspection(at: store.path).schema().swiftSource
        #expect(source.contains("// Left out, for Swift cannot name it: the type \"Type"))
        #expect(!source.unicodeScalars.contains { $0.isHidden && $0 != "\n" })
        var taken: Set<String> = []
        let names = ["class", "a b", "a-b", "1st", "", "init", "é", "\u{202E}x", "id"].map {
            SwiftIdentifiers.member($0, taken: &taken)
        }
        #expect(names == ["`class`", "aB", "aB2", "_1st", "unnamed", "init_", "é", "x", "id_"])
        taken = []
        let types = ["A.B", "C.B", "Date", "x y", "class", "Date"].map {
            SwiftIdentifiers.type($0, suffix: "Value", taken: &taken)
        }
        #expect(types == ["B", "CB", "DateValue", "XY", "classValue", "DateValue2"])
    }
}
