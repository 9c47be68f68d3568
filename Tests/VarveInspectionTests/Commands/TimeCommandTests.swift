import Foundation
import Testing
import Varve
import VarveInspection
import VarveTestSupport

@testable import VarveTool

@EntityModel
private struct Folder {
    let id: String
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \.folder) var notes: [Note]?
}

@EntityModel
private struct Note {
    let id: Int
    var text: String
    @Relationship(inverse: \.notes) var folder: Folder?
}

@Suite("varve history, blame, diff, at, undo, redo, restore")
struct TimeCommandTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-time-\(UUID().uuidString).varve")
    }

    private var path: String { directory.path }

    private func withStore(_ body: (Store) throws -> Void) throws {
        let store = try Store(at: directory, Folder.self)
        try body(store)
        try store.close()
    }

    private func fill() throws {
        try withStore { store in
            try store.write("Add") { context in
                let notes = (0..<3).map { Note(id: $0, text: "note \($0)") }
                try Folder(id: "f", name: "Inbox", notes: .relation(notes)).save(to: &context)
            }
            try store.write("Edit", options: WriteOptions(author: "ann")) { context in
                try Note(id: 1, text: "edited").save(to: &context)
            }
            try store.write("Delete") { try Folder.delete(id: "f", from: &$0) }
        }
    }

    private func cat(_ type: String) -> String { ToolRun("cat", path, type).output }

    /// Without what says when.
    private func content(_ output: String) -> [String] {
        output.split(separator: "\n").map { line in
            String(line.prefix { $0 != "}" }) + (line.contains("\"folder\":\"f\"") ? " in f" : "")
        }
    }

    @Test("Steps are undone and redone without the program, which then finds them so")
    func undoAndRedo() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try fill()
        let deleted = cat("Note")
        let then = content(ToolRun("at", path, "2", "cat", "Note").output)
        #expect(then.count == 3 && then[1].contains("edited"))
        let run = ToolRun("undo", path)
        #expect(run.status == .success && run.output.contains("transaction 4 undoes 3 “Delete”"))
        #expect(content(cat("Note")) == then)
        #expect(ToolRun("undo", "--json", path).output.contains("\"label\":\"Edit\""))
        #expect(content(cat("Note"))[1].contains("note 1"))
        try withStore { store in
            #expect(store.redoLabel == "Edit" && store.undoLabel == "Add")
            #expect(store.context.count(Note.self) == 3)
            store.context.checkInvariants()
            try store.redo()
            #expect(Note.query(1).resolve(in: store.context)?.text == "edited")
        }
        let redone = ToolRun("redo", path)
        #expect(
            redone.status == .success && redone.output.contains("redoes “Delete”, which 4 undid"))
        #expect(cat("Note") == deleted)
        let nothing = ToolRun("redo", path)
        #expect(nothing.status == .failure && nothing.errors.contains("nothing to redo"))
        #expect(ToolRun("undo", "--scope", "window", path).errors.contains("'window'"))
        #expect(ToolRun("verify", path).status == .success)
    }

    @Test("A deletion is restored as a whole, or one entity alone")
    func restore() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try fill()
        #expect(ToolRun("restore", "--alone", path, "Note", "2").status == .success)
        #expect(content(cat("Note")).count == 1)
        let whole = ToolRun("restore", path, "Folder", "f")
        #expect(whole.status == .success)
        #expect(whole.output.contains("restores Folder f, which 3 “Delete” deleted"))
        #expect(ToolRun("log", "-n1", path).output.contains("restore  Restore Folder f"))
        #expect(content(cat("Note")).count == 3)
        #expect(ToolRun("restore", path, "Folder", "f").status == .failure)
        // The deletion is now an undo, which has the label of another transaction.
        let undone = ToolRun("undo", path, terminalWidth: 40)
        #expect(undone.output.hasSuffix("transaction 6 undoes 5 “Restore Folder f”\n"))
        let again = ToolRun("restore", path, "Folder", "f")
        #expect(
            again.output.hasSuffix("Folder f, which 6 (undo of “Restore Folder f”) deleted\n"))
        try withStore { store in
            store.context.checkInvariants()
            let folder = Folder.query("f").id(\.$notes).resolve(in: store.context)
            #expect(folder?.$notes.ids == [0, 1, 2])
            try store.undo()
            try store.undo()
            try store.undo()
            #expect(store.context.count(Note.self) == 3)
        }
    }

    @Test("History and blame say which transaction made what")
    func history() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try fill()
        let lines = ToolRun("history", path, "Note", "1").lines
        #expect(lines[0].contains("Delete") && lines[0].contains("deleted with Folder"))
        #expect(lines[1].contains("ann") && lines[1].contains("updated"))
        #expect(lines[2].contains("text") && lines[2].contains("edited"))
        #expect(lines[3].contains("inserted"))
        let json = ToolRun("history", "--json", path, "Note", "1").lines
        #expect(json.count == 3)
        #expect(try JSONObject(json[1])["changed", 0] == "text")
        let blame = ToolRun("blame", path, "Note", "1").lines
        #expect(blame.count == 1 && blame[0].contains("Edit") && blame[0].contains("edited"))
        #expect(ToolRun("history", path, "Note", "77").status == .failure)
    }

    @Test("History tells what undoes, redoes, reverts, rewinds and restores from an edit")
    func kinds() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try fill()
        #expect(ToolRun("undo", path).status == .success)
        try withStore { store in
            try store.revert(2)
            try store.undo()
            try store.redo()
            try store.rewind(to: .transaction(2))
            try store.write("Delete one") { try Note.delete(id: 1, from: &$0) }
            try store.restore(Note.self, id: 1)
            #expect(store.undoLabel == "Restore Note 1")
        }
        let kinds = [
            "restore", "write", "rewind", "redo 6", "undo 5", "revert 2", "undo 3", "write",
            "write",
            "write",
        ]
        let json = try ToolRun("history", "--json", path, "Note", "1").lines.map(JSONObject.init)
        #expect(
            json.map { version in
                let target = version["of"] ?? ""
                return (version["kind"] ?? "") + (target == "null" ? "" : " " + target)
            } == kinds)
        let lines = ToolRun("history", path, "Note", "1").lines.filter { !$0.hasPrefix(" ") }
        for (line, kind) in zip(lines, kinds) {
            let text = kind.replacing(" ", with: " of ")
            #expect(kind == "write" || line.contains("  \(text)  "), "\(line)")
        }
        let blame = try JSONObject(ToolRun("blame", "--json", path, "Note", "1").lines[0])
        #expect(blame["kind"] == "restore" && blame["before"] == "null")
    }

    @Test("History and blame say where history begins when older versions are dropped")
    func droppedHistory() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try withStore { store in
            try store.write("Add") { context in
                try Folder(id: "f", name: "Inbox").save(to: &context)
            }
            try store.write("Rename") { try Folder(id: "f", name: "Outbox").save(to: &$0) }
        }
        #expect(ToolRun("history", path, "Folder", "f").lines.count == 4)
        let compaction = ToolRun("compact", "--keep", "none", path)
        #expect(compaction.status == .success)
        #expect(compaction.output.contains("dropped, no history is kept\n"))
        let notice =
            "history begins with transaction 3; earlier versions, the last by 2, are not kept"
        #expect(
            ToolRun("history", path, "Folder", "f").lines == [
                "no history is kept; the last version was made by transaction 2"
            ])
        #expect(
            ToolRun("history", "--json", path, "Folder", "f").lines == [
                #"{"historyBegins":null,"lastNotKept":2}"#
            ])
        #expect(ToolRun("blame", path, "Folder", "f").lines == ["not kept  name  \"Outbox\""])
        let info = ToolRun("info", path).output
        #expect(info.contains("none; kept: nothing but the newest state"))
        try withStore { store in
            try store.write("Again") { try Folder(id: "f", name: "Drafts").save(to: &$0) }
        }
        let lines = ToolRun("history", path, "Folder", "f").lines
        #expect(lines.count == 3 && lines[0].contains("updated") && lines[2] == notice)
        let json = ToolRun("history", "--json", path, "Folder", "f").lines
        #expect(json.count == 2 && json[1] == #"{"historyBegins":3,"lastNotKept":2}"#)
        #expect(ToolRun("blame", path, "Folder", "f").lines[0].contains("Again"))
    }

    @Test("follow names the types also where it starts on the empty segment behind a compaction")
    func followBehindCompaction() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try fill()
        #expect(ToolRun("compact", "--keep", "none", path).status == .success)
        let output = MemorySink()
        var pauses = 0
        let environment = ToolEnvironment(
            output: output, errors: MemorySink(), now: ToolRun.now,
            pause: {
                pauses += 1
                guard pauses == 1 else { return false }
                #expect(throws: Never.self) {
                    try withStore { store in
                        try store.write("New") { try Note(id: 7, text: "new").save(to: &$0) }
                    }
                }
                return true
            })
        #expect(Tool.run(["follow", path], in: environment) == .success)
        #expect(output.text.contains("New  Note +1"), "\(output.text)")
    }

    @Test("A to-many relation is required of nothing")
    func required() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try fill()
        let json = try JSONObject(ToolRun("info", "--json", path).output)
        #expect(json["types", 0, "name"] == "Folder")
        #expect(json["types", 0, "relations", 0, "toMany"] == "true")
        #expect(json["types", 0, "relations", 0, "required"] == "false")
    }

    @Test("A difference shows of lists what went, came or moved, and whole lists of what is new")
    func listDifference() throws {
        let store = try SampleStore.filled()
        #expect(
            ToolRun("diff", store.path, "4", "5").lines == [
                "~ User \"cy\"", "    age  7 → nil", "~ Chat 7",
                "    users  − \"ann\" at 0, + \"ann\" at 2",
            ])
        let whole = "    users  [\"ann\", \"bob\", \"cy\"]"
        #expect(ToolRun("diff", store.path, "1", "2").lines.contains(whole))
        #expect(ToolRun("diff", store.path, "2", "1").lines.contains(whole))
    }

    @Test("A difference shows what came, what went and what changed")
    func diff() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try fill()
        let lines = ToolRun("diff", path, "1", "2").lines
        #expect(lines == ["~ Note 1", "    text  \"note 1\" → \"edited\""])
        let all = ToolRun("diff", path, "2", "last").lines.filter { !$0.hasPrefix(" ") }
        #expect(all.count == 4 && all.allSatisfy { $0.hasPrefix("−") })
        let json = ToolRun("diff", "--json", path, "0", "1").lines
        #expect(json.count == 4 && json.allSatisfy { $0.contains("\"inserted\"") })
        #expect(ToolRun("diff", path, "1", "9").errors.contains("no transaction 9"))
        #expect(ToolRun("at", path, "0", "cat", "Note").output.isEmpty)
        let last = "\(UInt64.max)"
        #expect(ToolRun("at", path, last, "cat", "Note").errors.contains("no transaction \(last)"))
    }

    @Test("A compaction without the app keeps what can be redone as a whole")
    func compactUndone() throws {
        try withStore { store in
            for number in 1...10 {
                try store.write { try Folder(id: "f", name: "\(number)").save(to: &$0) }
            }
            for _ in 0..<6 { try store.undo() }
        }
        #expect(ToolRun("compact", "--keep=3", path).status == .success)
        for _ in 0..<6 { #expect(ToolRun("redo", path).status == .success) }
        #expect(cat("Folder").contains("10"))
    }

    @Test(
        "An undo without the app is refused where another step wrote last, whatever the values are")
    func conflictOfVersions() throws {
        try withStore { store in
            try store.write(options: WriteOptions(undoable: false)) {
                try Folder(id: "f", name: "one").save(to: &$0)
            }
            for (scope, name) in [("A", "two"), ("B", "three"), ("B", "two")] {
                try store.write(options: WriteOptions(scope: scope)) {
                    try Folder(id: "f", name: name).save(to: &$0)
                }
            }
        }
        let refused = ToolRun("undo", "--scope=A", path)
        #expect(refused.status == .failure && refused.errors.contains("'name' was changed again"))
        #expect(ToolRun("undo", "--scope=B", path).status == .success)
        #expect(ToolRun("undo", "--scope=B", path).status == .success)
        #expect(ToolRun("undo", "--scope=A", path).status == .success)
        #expect(cat("Folder").contains("one"))
    }
}
