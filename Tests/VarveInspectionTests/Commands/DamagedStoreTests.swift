import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("Every command on a damaged store")
struct DamagedStoreTests {
    /// What a command does where a store is damaged.
    enum Way {
        /// It shows what is sound, and ends with what is missing and the status 1.
        case showsSoundPart
        /// What it writes is about the damage itself; the status is 1.
        case reportsDamage
        /// It ends with an error and leaves the files as they are.
        case refuses
        /// It shows a full screen, which has tests of its own.
        case needsTerminal
        /// It looks at no store, or only helps to type.
        case readsNoStore
    }

    /// By command: what it does, and its arguments, in which `STORE` and `FOLDER` are replaced.
    static let ways: [String: (way: Way, arguments: [String])] = [
        "info": (.showsSoundPart, ["STORE"]), "log": (.showsSoundPart, ["STORE"]),
        "show": (.showsSoundPart, ["STORE", "3"]), "cat": (.showsSoundPart, ["STORE", "User"]),
        "schema": (.showsSoundPart, ["STORE"]),
        "query": (.showsSoundPart, ["STORE", "User select id, name"]),
        "history": (.showsSoundPart, ["STORE", "Chat", "7"]),
        "blame": (.showsSoundPart, ["STORE", "Chat", "7"]),
        "diff": (.showsSoundPart, ["STORE", "2", "last"]),
        "at": (.showsSoundPart, ["STORE", "8", "cat", "User"]),
        "export": (.showsSoundPart, ["STORE"]), "grep": (.showsSoundPart, ["STORE", "Bob"]),
        "bisect": (.showsSoundPart, ["STORE", "User where name == \"Bob\""]),
        "verify": (.reportsDamage, ["STORE"]), "du": (.reportsDamage, ["STORE"]),
        "report": (.reportsDamage, ["STORE", "-o", "FOLDER/page.html"]),
        "salvage": (.reportsDamage, ["STORE", "--to", "FOLDER/new.varve"]),
        "hexdump": (.reportsDamage, ["STORE", "manifest"]),
        "follow": (.showsSoundPart, ["STORE"]), "compact": (.refuses, ["STORE"]),
        "undo": (.refuses, ["STORE"]), "redo": (.refuses, ["STORE"]),
        "restore": (.refuses, ["STORE", "User", "cy"]),
        "backup": (.refuses, ["STORE", "FOLDER/copy.varve"]),
        "import": (.refuses, ["FOLDER/lines.jsonl", "STORE"]),
        "browse": (.needsTerminal, ["STORE"]),
        "help": (.readsNoStore, []), "completion": (.readsNoStore, []),
    ]

    private let folder: TestFolder
    private let store: SampleStore

    init() throws {
        folder = try TestFolder()
        store = try SampleStore.filled(segmentBytesMax: 600)
        _ = try folder.write(#"{"type":"User","id":"dee","name":"Dee"}"#, to: "lines.jsonl")
    }

    private func run(_ command: String, _ arguments: [String]) -> ToolRun {
        ToolRun(
            all: [command]
                + arguments.map {
                    $0.replacing("STORE", with: store.path).replacing("FOLDER", with: folder.path)
                })
    }

    private func files() throws -> [String: Data] {
        var files = try store.files()
        files["LOCK"] = nil
        return files
    }

    @Test("The table has every command")
    func table() {
        #expect(Set(Self.ways.keys) == Set(Tool.commands.map { $0.definition.name }))
    }

    @Test(
        "Without a readable manifest each goes its way, and changes nothing",
        arguments: ways.keys.sorted())
    func manifest(command: String) throws {
        let (way, arguments) = try #require(Self.ways[command])
        try store.flip(byteAt: 60, of: "manifest-0000000001")
        let before = try files()
        let run = run(command, arguments)
        switch way {
        case .showsSoundPart:
            #expect(run.status == .failure && !run.output.isEmpty)
            #expect(
                run.errors.hasPrefix(
                    "varve: \(store.path) is damaged: only what is sound of it was read\n"
                        + "  damaged: manifest-0000000001, "), "\(run.errors)")
        case .reportsDamage:
            #expect(run.status == .failure && !run.output.isEmpty && run.errors.isEmpty)
        case .refuses:
            #expect(run.status == .failure && run.output.isEmpty)
            #expect(run.errors.hasPrefix("varve: ") && run.errors.contains("manifest-0000000001"))
            #expect(run.errors.split(separator: "\n").count == 1)
        case .needsTerminal, .readsNoStore: break
        }
        #expect(try files() == before)
    }

    @Test(
        "Behind a damaged transaction they show what a rescue brings over",
        arguments: [
            "cat", "query", "history", "blame", "diff", "at", "export", "grep", "log", "follow",
        ])
    func transaction(command: String) throws {
        let arguments = try #require(Self.ways[command]).arguments
        let place = try JSONObject(ToolRun("show", "--json", store.path, "3").output)
        let (segment, offset) = (try #require(place["segment"]), try #require(place["offset"]))
        try store.flip(
            byteAt: try #require(Int(offset)) + 60, of: "segment-000000000\(segment)")
        let rescued = folder.file("rescued.varve")
        #expect(ToolRun("salvage", store.path, "--to", rescued).status == .failure)
        let run = run(command, arguments)
        let expected = ToolRun(
            all: [command] + arguments.map { $0.replacing("STORE", with: rescued) })
        #expect(expected.status == .success, "\(expected.errors)")
        // An export says so itself, because it is read elsewhere and later.
        #expect(run.output.replacing(",\"sound\":false", with: "") == expected.output)
        #expect(run.output.contains("\"sound\":false") == (command == "export"))
        #expect(run.status == .failure)
        #expect(run.errors.contains("\n  lost: transaction 3\n"))
        #expect(run.errors.contains("\n  damaged: segment-000000000\(segment), offset \(offset), "))
    }

    @Test("An export in any form says that it is not whole, and can be imported")
    func exports() throws {
        try store.flip(byteAt: 60, of: "manifest-0000000001")
        let (sql, csv) = (folder.file("all.sql"), folder.file("csv"))
        #expect(ToolRun("export", store.path, "-o", sql).status == .failure)
        #expect(
            try String(contentsOfFile: sql, encoding: .utf8)
                .hasPrefix(
                    "-- The store is damaged: these are the entities that are sound.\nBEGIN;"))
        #expect(ToolRun("export", "-F", "csv", store.path, "-o", csv).status == .failure)
        let schema = try String(contentsOfFile: csv + "/schema.json", encoding: .utf8)
        #expect(schema.hasPrefix("{\"sound\":false,\"types\":["))
        let copy = folder.file("copy.varve")
        #expect(ToolRun("import", csv, copy).status == .success)
        #expect(
            ToolRun("query", copy, "User select id").output
                == ToolRun("query", store.path, "User select id").output)
    }

    @Test("What is not found beside damage may be missing, and both are said")
    func notFound() throws {
        try store.flip(byteAt: 60, of: "manifest-0000000001")
        let entity = ToolRun("cat", store.path, "User", "dee")
        #expect(entity.status == .failure && entity.output.isEmpty)
        #expect(entity.errors.hasPrefix("varve: there is no User 'dee'\nvarve: \(store.path) is"))
        let query = ToolRun("query", store.path, "Usre")
        #expect(query.status == .usage && query.errors.contains("did you mean 'User'?"))
        #expect(query.errors.contains("\n  damaged: manifest-0000000001"))
    }

    @Test("The identity shown is that of the damaged store, with its own files")
    func identity() throws {
        let sound = try JSONObject(ToolRun("info", "--json", store.path).output)
        let schema = ToolRun("schema", "--json", store.path).output
        try store.flip(byteAt: 60, of: "manifest-0000000001")
        let info = try JSONObject(ToolRun("info", "--json", store.path).output)
        #expect(info["store"] == sound["store"] && info["state"] == "damaged")
        #expect(info["createdAt"] == "null" && info["transactions"] == "9")
        for (position, name) in try store.files().keys.sorted().enumerated() {
            #expect(info["files", position, "name"] == name)
        }
        #expect(ToolRun("schema", "--json", store.path).output == schema)
    }

    @Test("A store that cannot be gathered in memory says so behind the damage")
    func obstacle() throws {
        try store.flip(byteAt: 60, of: "manifest-0000000001")
        for name in try store.files().keys where name.hasPrefix("segment") {
            try FileManager.default.removeItem(at: store.url.appendingPathComponent(name))
        }
        let run = ToolRun("cat", store.path, "User")
        #expect(run.status == .failure && run.output.isEmpty)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("manifest-0000000001"))
        #expect(lines[1].hasPrefix("What is sound of the store cannot be gathered: "))
    }
}
