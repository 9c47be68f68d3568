import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("varve import")
struct ImportCommandTests {
    private static let schema = """
        {"types":[{"name":"User","id":"String","fields":[{"name":"name","type":"String"},
        {"name":"age","type":"Int?"}],"relations":[{"name":"chats","target":"Chat","toMany":true,"inverse":"users"},
        {"name":"boss","target":"User","inverse":"reports"},
        {"name":"reports","target":"User","toMany":true,"inverse":"boss"}]},
        {"name":"Chat","id":"Int64","fields":[{"name":"title","type":"String","default":"none"}],
        "relations":[{"name":"users","target":"User","toMany":true,"inverse":"chats"}]}]}
        """

    private let folder: TestFolder
    private let schema: String
    private var store: String { folder.file("new.varve") }

    init() throws {
        folder = try TestFolder()
        schema = try folder.write(Self.schema, to: "schema.json")
    }

    private func load(_ lines: String, _ arguments: String..., name: String = "x.jsonl") throws
        -> ToolRun
    {
        ToolRun(
            all: ["import", "--schema", schema] + arguments + [
                try folder.write(lines, to: name), store,
            ])
    }

    private func links(_ type: String, _ id: String, _ relation: String) throws -> String {
        let run = ToolRun(
            "query", "--csv", store, "\(type) where id == \(id) select count(\(relation))")
        #expect(run.status == .success, "\(run.errors)")
        return run.lines.last ?? ""
    }

    private func cat(_ type: String, _ id: String) throws -> JSONObject {
        try JSONObject(ToolRun("cat", store, type, id).output)
    }

    @Test("A new store whose log is long gets a checkpoint, and is read from it")
    func checkpoint() throws {
        let lines = (0..<200).map { "{\"type\":\"User\",\"id\":\"u\($0)\",\"name\":\"N\"}" }
        var work = StoreImport()
        work.schema = try StoreSchema(contentsOf: schema)
        work.configuration.automaticCompactionBytesMin = ByteCount(1_000)
        let file = try folder.write(lines.joined(separator: "\n"), to: "many.jsonl")
        #expect(try work.run(files: [file], into: store).inserted == 200)
        #expect(ToolRun("info", store).output.contains("checkpoint-0000000001"))
        #expect(ToolRun("verify", store).status == .success)
        #expect(
            ToolRun("query", "--csv", store, "User select count()").lines == ["count()", "200"])
    }

    @Test("Mutual relations are completed on both sides, in the order in which they are given")
    func completion() throws {
        let run = try load(
            """
            {"type":"User","id":"ann","name":"Ann","links":{"chats":[7,8]}}
            {"type":"User","id":"bob","name":"Bob","boss":"ann","age":3}
            {"type":"Chat","id":7}
            {"type":"Chat","id":8,"title":"Tea","users":["bob"]}
            """)
        #expect(run.status == .success, "\(run.errors)\(run.output)")
        #expect(run.output.contains("4 entities inserted"))
        let ann = try cat("User", "ann")
        #expect(ann["links", "reports", 0] == "bob" && ann["fields", "age"] == "null")
        #expect(try cat("User", "bob")["links", "chats", 0] == "8")
        let tea = try cat("Chat", "8")
        #expect(tea["links", "users", 0] == "bob" && tea["links", "users", 1] == "ann")
        #expect(try cat("Chat", "7")["fields", "title"] == "none")
        #expect(ToolRun("verify", store).status == .success)
    }

    @Test(
        "A refused line is named with its column and the reason, and nothing is written",
        arguments: [
            (#"{"type":"User","id":"a","name":1}"#, 32, "'name': 1 is no String"),
            (#"{"type":"User","id":"a"}"#, 21, "'name' is missing"),
            (#"{"type":"User","id":"a","name":"x","age":1.5}"#, 42, "'age': 1.5 is no Int64"),
            (#"{"type":"Usr","id":"a"}"#, 1, "there is no type 'Usr'; there is User, Chat"),
            (#"{"type":"Chat","id":"a"}"#, 21, "'a' is no Int64"),
            (
                #"{"type":"Chat","id":1,"titel":""}"#, 31,
                "'Chat' has no 'titel'; it has id, title, users"
            ),
            (
                #"{"type":"Chat","id":1,"links":{"users":["é","x"]}}"#, 40,
                "'users' leads to User \"é\", which is not there"
            ),
            (
                #"{"type":"Chat","id":1,"links":{"users":["x","x"]}}"#, 40,
                "'users' leads to an id twice"
            ),
            (
                #"{"type":"Chat","id":1,"users":["é"],"links":{"users":[]}}"#, 31,
                "'users' is given twice for one entity"
            ),
            (#"{"type":"Chat","id":1"#, 22, "expected '}', found the end"),
            (#"{"type":"Chat","id":1,"title":"a\ud800"}"#, 33, "the escape is not a character"),
            ("[1]", 1, "expected an object, found an array"),
            ("é", 1, "expected a value, found '\u{FFFD}'"),
        ])
    func refusals(line: String, column: Int, reason: String) throws {
        let run = try load("{\"type\":\"Chat\",\"id\":9}\n\n" + line + "\n", "--json")
        #expect(run.status == .failure)
        let report = try JSONObject(run.output)
        #expect(report["refused", 0, "reason"] == reason)
        #expect(report["refused", 0, "line"] == "3")
        #expect(report["refused", 0, "column"] == "\(column)")
        #expect(!FileManager.default.fileExists(atPath: store))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }

    @Test("Two that claim the same one of a relation to one are refused")
    func conflict() throws {
        let run = try load(
            """
            {"type":"User","id":"a","name":"A","links":{"reports":["c"]}}
            {"type":"User","id":"b","name":"B","links":{"reports":["c"]}}
            {"type":"User","id":"c","name":"C"}
            """)
        #expect(run.status == .failure)
        #expect(
            run.output.contains(
                "line 2, column 55: User \"c\" can be linked to one by 'boss', and is linked to User \"a\""
            ))
    }

    @Test(
        "An entity that is there gets what a line names, in one transaction that can be undone"
    )
    func update() throws {
        #expect(
            try load(
                """
                {"type":"User","id":"a","name":"A","age":1,"links":{"reports":["b","c"]}}
                {"type":"User","id":"b","name":"B"}
                {"type":"User","id":"c","name":"C","age":5}
                """
            ).status == .success)
        let before = ToolRun("export", store).output
        let run = ToolRun(
            all: [
                "import", "--json",
                try folder.write(
                    """
                    {"type":"User","id":"a","age":2}
                    {"type":"User","id":"c","name":"C","age":5}
                    {"type":"User","id":"d","name":"D","links":{"reports":["c"]}}
                    """, to: "more.jsonl"), store,
            ])
        #expect(run.status == .success, "\(run.errors)\(run.output)")
        let report = try JSONObject(run.output)
        #expect(report["inserted"] == "1" && report["updated"] == "2" && report["unchanged"] == "0")
        let a = try cat("User", "a")
        #expect(a["fields", "age"] == "2" && a["fields", "name"] == "A")
        #expect(a["links", "reports", 0] == "b" && a["links", "reports", 1] == nil)
        #expect(try cat("User", "c")["links", "boss"] == "d")
        #expect(ToolRun("verify", store).status == .success)
        #expect(ToolRun("log", store).output.contains("import more.jsonl"))
        #expect(ToolRun("undo", store).status == .success)
        #expect(ToolRun("export", store).output == before)
    }

    @Test(
        "New types and fields come in the one transaction of the rows, and stay when it is undone")
    func newTypes() throws {
        #expect(try load("{\"type\":\"Chat\",\"id\":1}\n").status == .success)
        func transactions() throws -> Int {
            try #require(Int(JSONObject(ToolRun("info", "-j", store).output)["transactions"] ?? ""))
        }
        let before = try transactions()
        let wider = try folder.write(
            """
            {"types":[{"name":"Chat","id":"Int64","fields":[{"name":"title","type":"String","default":"none"},
            {"name":"note","type":"String","default":"-"}]},{"name":"Tag","fields":[{"name":"hue","type":"Int"}]}]}
            """, to: "wider.json")
        let lines = try folder.write(
            "{\"type\":\"Tag\",\"id\":\"a\",\"hue\":3}\n{\"type\":\"Chat\",\"id\":1,\"note\":\"x\"}\n",
            to: "wider.jsonl")
        let run = ToolRun("import", "-s", wider, lines, store)
        #expect(run.status == .success, "\(run.errors)\(run.output)")
        #expect(run.output.contains("new types: Tag"))
        #expect(try transactions() == before + 1)
        #expect(try cat("Chat", "1")["fields", "note"] == "x")
        #expect(ToolRun("verify", store).status == .success)
        #expect(ToolRun("undo", store).status == .success)
        #expect(ToolRun("query", store, "Tag").output.isEmpty)
        #expect(try cat("Chat", "1")["fields", "note"] == "-")
        // Types alone make a transaction that is no step to undo.
        let none = try folder.write("", to: "none.jsonl")
        let type = try folder.write(#"{"types":[{"name":"New"}]}"#, to: "new.json")
        #expect(ToolRun("import", "-s", type, none, store).status == .success)
        let last = try JSONObject(ToolRun("show", "-j", store, "last").output)
        #expect(last["kind"] == "schema" && last["undoable"] == "false")
    }

    @Test("A type that is misspelled is refused, also where the store has one alone")
    func misspelledType() throws {
        let schema = try folder.write(#"{"types":[{"name":"Person"}]}"#, to: "one.json")
        let csv = try folder.write("id\n1\n", to: "a.csv")
        for arguments in [["-s", schema, csv, store], [csv, store]] {
            let run = ToolRun(all: ["import", "--type=Persn"] + arguments)
            #expect(run.status == .failure)
            #expect(
                run.errors
                    == "varve: there is no type 'Persn'; there is Person; did you mean 'Person'?\n")
            // The name of the file need not be that of the only type.
            #expect(ToolRun(all: ["import"] + arguments).status == .success)
        }
    }

    @Test("The id 0 of a type whose ids the store gives is refused")
    func zeroID() throws {
        let schema = try folder.write(
            #"{"types":[{"name":"Note","id":"Int64","numbersIDs":true}]}"#, to: "numbered.json")
        let csv = try folder.write("id\n1\n0\n", to: "Note.csv")
        let run = ToolRun("import", "--json", "-s", schema, csv, store)
        #expect(run.status == .failure)
        let report = try JSONObject(run.output)
        #expect(report["refusedCount"] == "1" && report["refused", 0, "line"] == "3")
        #expect(
            report["refused", 0, "reason"]
                == "the store gives the ids of Note from 1 on, and 0 is none: give the entity another id"
        )
    }

    @Test("Each segment of a store that is made begins with the types")
    func segments() throws {
        let text = String(repeating: "all work ", count: 1 << 20)
        let file = try folder.write(
            (1...3).map { "{\"type\":\"Chat\",\"id\":\($0),\"title\":\"\(text)\"}" }
                .joined(separator: "\n"), to: "long.jsonl")
        var work = StoreImport()
        work.schema = try StoreSchema(contentsOf: schema)
        work.configuration.segmentBytesMax = ByteCount(400)
        #expect(try work.run(files: [file], into: store).inserted == 3)
        let info = try JSONObject(ToolRun("info", "-j", store).output)
        #expect(info["transactions"] == "3")
        // The newest segment alone is read for this.
        #expect(ToolRun("schema", store).output.hasPrefix("User\n"))
        #expect(
            try JSONObject(ToolRun("show", "-j", store, "3").output)["types", 0, "type"] == "Chat")
        #expect(ToolRun("verify", store).status == .success)
    }

    @Test("A dry run says what would be done, and does nothing")
    func dryRun() throws {
        let run = try load("{\"type\":\"Chat\",\"id\":1}\n", "--dry-run", "--json")
        #expect(run.status == .success)
        #expect(try JSONObject(run.output)["inserted"] == "1")
        #expect(!FileManager.default.fileExists(atPath: store))
        #expect(try load("{\"type\":\"Chat\",\"id\":1}\n").status == .success)
        let again = try load("{\"type\":\"Chat\",\"id\":1,\"title\":\"x\"}\n", "--dry-run")
        #expect(again.output.contains("1 updated"))
        #expect(try cat("Chat", "1")["fields", "title"] == "none")
    }

    @Test("Columns of a CSV without a schema are named, with a schema to begin with, which works")
    func guessed() throws {
        let csv = try folder.write(
            "id,name,age,born,tall\n1,\"a, \"\"b\"\"\",3,2026-08-03,1.5\n2,,,,\n", to: "Person.csv")
        let run = ToolRun("import", csv, store)
        #expect(run.status == .failure)
        #expect(
            run.errors.contains("no schema says what its columns are (id, name, age, born, tall)"))
        let example = try #require(run.errors.split(separator: "\n").last)
        let guess = try folder.write(String(example), to: "guess.json")
        let loaded = ToolRun("import", "-s", guess, csv, store)
        #expect(loaded.status == .success, "\(loaded.errors)\(loaded.output)")
        let person = try cat("Person", "1")
        #expect(person["fields", "name"] == "a, \"b\"" && person["fields", "age"] == "3")
        #expect(
            person["fields", "born"] == "2026-08-03T00:00:00Z" && person["fields", "tall"] == "1.5")
        #expect(try cat("Person", "2")["fields", "name"] == "null")
    }

    @Test(
        "An empty file is called empty, with what is expected of one",
        arguments: [
            ("empty.csv", ""), ("lines.csv", "\n\n"), ("empty.jsonl", ""), ("commas.csv", ",,\n"),
        ])
    func empty(name: String, text: String) throws {
        let file = try folder.write(text, to: name)
        let run = ToolRun("import", file, store)
        #expect(run.status == .failure && run.output.isEmpty)
        #expect(
            run.errors
                == "varve: \(file) is empty, and no schema says what it would hold; give a file "
                + "with JSON lines, or with comma-separated values below a line of titles\n")
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test(
        "What is no JSON is called so, also where no schema is known",
        arguments: ["{\n", "garbage\n", "id,name\n1,a\n"])
    func noJSON(text: String) throws {
        let file = try folder.write(text, to: "lines.txt")
        let run = ToolRun("import", file, store)
        #expect(run.status == .failure)
        #expect(run.errors.hasPrefix("varve: \(file): line 1 is no JSON: "), "\(run.errors)")
        #expect(run.errors.hasSuffix("whose name ends in .csv\n"))
    }

    @Test("Blank lines before the titles of a CSV are passed over")
    func blankLines() throws {
        let file = try folder.write("\n\nid,title\n1,a\n", to: "Chat.csv")
        let unknown = ToolRun("import", file, store)
        #expect(unknown.errors.contains("no schema says what its columns are (id, title)"))
        #expect(ToolRun("import", "-s", schema, file, store).status == .success)
        #expect(try cat("Chat", "1")["fields", "title"] == "a")
        let wrong = try folder.write("\n\nid,titel\n1,a\n", to: "Chat.csv")
        #expect(ToolRun("import", wrong, store).errors.contains("line 3, column 2"))
    }

    @Test("A schema to begin with takes lists and objects as JSON, and works")
    func guessedJSON() throws {
        let values = #""name":"Ann","home":{"city":"Rome"},"tags":["a","b"]"#
        let file = try folder.write(#"{"type":"User","id":1,\#(values)}"# + "\n", to: "users.jsonl")
        let hint = ToolRun("import", file, folder.file("users.varve")).errors
        let text = try #require(hint.split(separator: "\n").last { $0.hasPrefix("{") })
        let schema = try folder.write(String(text), to: "schema.json")
        let run = ToolRun("import", "--schema", schema, file, folder.file("users.varve"))
        #expect(run.status == .success, "\(run.output)\(run.errors)")
        let query = "User where home.city == 'Rome' and tags contains 'b' select id"
        #expect(ToolRun("query", folder.file("users.varve"), query).output == "{\"id\":1}\n")
    }

    @Test("A schema to begin with has the type of the line, and is introduced as what it is")
    func guessedType() throws {
        let lines = try folder.write("{\"type\":\"Person\",\"id\":1,\"age\":3}\n", to: "a.jsonl")
        let run = ToolRun("import", lines, store)
        let hint = run.errors.split(separator: "\n").dropFirst()
        #expect(hint.first == "A schema to begin with, for a file that --schema names:")
        let guess = try folder.write(String(try #require(hint.last)), to: "guess.json")
        #expect(ToolRun("import", "-s", guess, lines, store).status == .success)
        #expect(try cat("Person", "1")["fields", "age"] == "3")
    }

    @Test("A store and a folder that is no export are called what they are")
    func folders() throws {
        let empty = folder.file("empty")
        try FileManager.default.createDirectory(
            atPath: empty, withIntermediateDirectories: false)
        #expect(
            ToolRun("import", empty, store).errors
                == "varve: \(empty): a folder must be that of a CSV export, with schema.json; it is empty\n"
        )
        let sample = try SampleStore.filled()
        #expect(
            ToolRun("import", sample.path, store).errors
                == "varve: \(sample.path): it is a store; export it first, as JSON lines or CSV\n")
    }

    @Test("Cells that do not fit are named by line and column, also behind cells of several lines")
    func cells() throws {
        let csv = try folder.write(
            "id,title,users\r\n1,\"a\r\nb\",\"[\"\"x\"\"]\"\r\n2,b,\r\nz,c,\r\n3\r\n",
            to: "Chat.csv")
        let run = ToolRun("import", "--json", "-s", schema, csv, store)
        #expect(run.status == .failure)
        let report = try JSONObject(run.output)
        #expect(report["refusedCount"] == "3")
        #expect(report["refused", 0, "line"] == "5" && report["refused", 0, "column"] == "1")
        #expect(report["refused", 0, "reason"] == "'z' is no Int64")
        #expect(report["refused", 1, "line"] == "6")
        #expect(report["refused", 1, "reason"] == "the line has 1 cell for 3 columns")
        #expect(report["refused", 2, "reason"] == "'users' leads to User \"x\", which is not there")
        #expect(report["refused", 2, "line"] == "2" && report["refused", 2, "column"] == "3")
    }

    @Test("A flat line has properties with any name but type, id, state and links")
    func flatNames() throws {
        let schema = try folder.write(
            """
            {"types":[{"name":"Job","fields":[{"name":"updatedAt","type":"String"},
            {"name":"ordinal","type":"Int64"},{"name":"transaction","type":"String"},
            {"name":"deleted","type":"Bool"}]}]}
            """, to: "jobs.json")
        let lines = try folder.write(
            #"{"type":"Job","id":"a","updatedAt":"now","ordinal":7,"transaction":"t","deleted":true}"#,
            to: "jobs.jsonl")
        let run = ToolRun("import", "-s", schema, lines, store)
        #expect(run.status == .success, "\(run.errors)\(run.output)")
        let job = try cat("Job", "a")
        #expect(job["fields", "updatedAt"] == "now" && job["fields", "ordinal"] == "7")
        #expect(job["fields", "transaction"] == "t" && job["fields", "deleted"] == "true")
        #expect(job["deleted"] == "false")
    }

    @Test("A carriage return at the end of a quoted cell is part of its text")
    func carriageReturns() throws {
        let csv = try folder.write("id,title\r\n1,\"a\r\"\r\n2,\"\r\"\n3,b\r\n", to: "Chat.csv")
        let exported = (folder.file("csv"), folder.file("copy.varve"))
        #expect(ToolRun("import", "-s", schema, csv, store).status == .success)
        #expect(ToolRun("export", "-F", "csv", store, "-o", exported.0).status == .success)
        #expect(ToolRun("import", exported.0, exported.1).status == .success)
        for path in [store, exported.1] {
            let titles = ToolRun("query", path, "Chat select title").lines
            #expect(
                titles == [#"{"title":"a\r"}"#, #"{"title":"\r"}"#, #"{"title":"b"}"#], "\(path)")
        }
    }

    @Test("A row of a CSV without an id is refused")
    func missingID() throws {
        let csv = try folder.write("id,name\n,Ann\nbob,Bob\n", to: "User.csv")
        let run = ToolRun("import", "--json", "-s", schema, csv, store)
        #expect(run.status == .failure)
        let report = try JSONObject(run.output)
        #expect(report["refusedCount"] == "1" && report["refused", 0, "line"] == "2")
        #expect(report["refused", 0, "reason"] == "the id is missing")
    }

    @Test("A schema that cannot be understood is named by line and column")
    func badSchema() throws {
        let bad = try folder.write(
            "{\"types\":[\n {\"name\":\"A\",\"id\":\"Strin\"}]}", to: "bad.json")
        let run = ToolRun("import", "-s", bad, try folder.write("", to: "e.jsonl"), store)
        #expect(run.status == .failure)
        #expect(run.errors.contains("bad.json, line 2, column 19: 'Strin' is no type"))
    }
}
