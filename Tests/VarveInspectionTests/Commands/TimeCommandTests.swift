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
        #expect(run.status == .success && run.output.contains("takes back 3 “Delete”"))
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
        #expect(ToolRun("redo", path).status == .success)
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
        #expect(whole.status == .success && whole.output.contains("takes back 3"))
        #expect(content(cat("Note")).count == 3)
        #expect(ToolRun("restore", path, "Folder", "f").status == .failure)
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
}
