import Foundation
import Testing
import VarveInspection

@testable import VarveTool

/// Every command over a store in which every name and text would command a terminal.
@Suite("Output for people")
struct HostileTextTests {
    private static let type = HostileStore.type
    private static let id = "a" + HostileStore.text

    /// The commands that only look, without the store's path, which stands where the dot is.
    private static let looking: [[String]] = [
        ["info", "."], ["log", "."], ["show", ".", "1"], ["show", ".", "2"], ["show", ".", "3"],
        ["show", ".", "4"], ["show", ".", "5"], ["show", ".", "6"], ["show", "--full", ".", "2"],
        ["cat", ".", type], ["cat", "--deleted", ".", type], ["cat", ".", type, id],
        ["verify", "."], ["follow", "."], ["history", ".", type, id], ["blame", ".", type, id],
        ["history", ".", type, "b" + HostileStore.text], ["diff", ".", "1", "last"],
        ["diff", ".", "2", "4"], ["at", ".", "2", "cat", type], ["at", ".", "2", "cat", type, id],
        ["hexdump", ".", "manifest"], ["hexdump", "--full", ".", "2"],
        ["hexdump", ".", "segment-1"], ["schema", "."], ["du", "."],
        ["query", ".", queried],
        [
            "query", ".",
            queried + " select id, " + quoted(HostileStore.field) + ", count("
                + quoted(HostileStore.relation) + ")",
        ],
        ["grep", ".", "text"], ["grep", "--labels", ".", "Change"], ["grep", "--ids", ".", "text"],
        [
            "bisect", ".",
            queried + " where " + quoted(HostileStore.field) + " startsWith 'X' select id",
        ],
    ]

    /// In back quotes any text is a name of a query.
    private static func quoted(_ name: String) -> String { "`" + name + "`" }
    private static let queried = quoted(type)

    /// What is refused, with the argument in the message.
    private static let refused: [[String]] = [
        ["cat", ".", "no" + HostileStore.text], ["cat", ".", type, "no" + HostileStore.text],
        ["history", ".", type, "no" + HostileStore.text],
        ["info", "/no" + HostileStore.characters],
        ["undo", "--scope", "no" + HostileStore.text, "."], ["restore", ".", type, id],
        ["frobnicate" + HostileStore.text], ["log", "--limit", HostileStore.text, "."],
        ["info", "--" + HostileStore.text], ["diff", ".", HostileStore.text, "1"],
        ["log", "--color", HostileStore.text, "."], ["backup", ".", "."],
        ["salvage", ".", "--to", "."], ["compact", "--keep", HostileStore.text, "."],
        ["query", ".", HostileStore.text], ["query", ".", quoted("no" + HostileStore.text)],
        ["query", ".", queried + " where " + quoted("no" + HostileStore.text) + " == 1"],
        ["query", ".", queried + " where id == '" + HostileStore.text],
        ["grep", "--type", "no" + HostileStore.text, ".", "text"],
        ["grep", "--regex", ".", "(" + HostileStore.text],
        ["bisect", ".", quoted("no" + HostileStore.text)],
        ["bisect", "--when", HostileStore.text, ".", queried],
        ["import", "/no" + HostileStore.characters + ".jsonl", "."],
    ]

    /// With colours switched off, nothing that is hidden or commands may be in either output.
    private func check(_ run: ToolRun, _ arguments: [String], allowsRaw: Bool = false) {
        let hidden = { (text: String) in
            text.unicodeScalars.filter { $0.isHidden && $0 != "\n" }.map {
                String($0.value, radix: 16)
            }
        }
        if !allowsRaw { #expect(hidden(run.output) == [], "\(arguments.first ?? "")") }
        #expect(hidden(run.errors) == [], "\(arguments.first ?? "")")
    }

    private func run(
        _ arguments: [String], on path: String, json: Bool = false, width: Int? = nil
    ) -> ToolRun {
        let arguments = arguments.map { $0 == "." ? path : $0 } + (json ? ["--json"] : [])
        return ToolRun(all: arguments, variables: ["TERM": "dumb"], terminalWidth: width)
    }

    @Test(
        "Commands that look send nothing hidden: as text, on a terminal, and as JSON on a terminal")
    func lookingCommands() throws {
        let store = try HostileStore()
        for arguments in Self.looking {
            // To all but terminals they write JSON for programs.
            let isJSONOnly = arguments.contains("cat") || arguments[0] == "query"
            let text = run(arguments, on: store.path)
            #expect(text.status == .success && !text.output.isEmpty, "\(arguments): \(text.errors)")
            check(text, arguments, allowsRaw: isJSONOnly)
            check(run(arguments, on: store.path, width: 80), arguments)
            let json = run(arguments, on: store.path, json: true, width: 80)
            #expect(json.status == .success, "\(arguments)")
            check(json, arguments)
            try checkMeaning(of: json, run(arguments, on: store.path, json: true))
        }
    }

    /// JSON on a terminal is the JSON of a file.
    private func checkMeaning(of terminal: ToolRun, _ file: ToolRun) throws {
        #expect(terminal.lines.count == file.lines.count)
        for (escaped, plain) in zip(terminal.lines, file.lines) {
            let values = try [escaped, plain].map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary
            }
            #expect(values[0] != nil && values[0] == values[1])
        }
    }

    @Test("Refusals and their arguments are escaped", arguments: [nil, 80])
    func refusals(width: Int?) throws {
        let store = try HostileStore()
        for arguments in Self.refused {
            let run = run(arguments, on: store.path, width: width)
            #expect(run.status != .success && !run.errors.isEmpty, "\(arguments)")
            check(run, arguments)
        }
    }

    @Test("Commands that write escape what they say they did", arguments: [false, true])
    func writingCommands(json: Bool) throws {
        let store = try HostileStore()
        let other = {
            "\(FileManager.default.temporaryDirectory.path)/\(HostileStore.name)-\(UUID())"
        }
        let (backup, rescued) = (other(), other())
        defer {
            for path in [backup, rescued] { try? FileManager.default.removeItem(atPath: path) }
        }
        let scope = "scope" + HostileStore.text
        for arguments in [
            ["backup", ".", backup], ["salvage", ".", "--to", rescued],
            ["restore", ".", Self.type, "b" + HostileStore.text], ["undo", "."],
            ["undo", "--force", "--scope", scope, "."], ["redo", "--scope", scope, "."],
            ["compact", "."],
        ] {
            let run = run(arguments, on: store.path, json: json, width: 80)
            #expect(run.status == .success, "\(arguments): \(run.errors)")
            check(run, arguments)
        }
    }

    @Test("Comma-separated values, and how a query is run, are escaped on a terminal")
    func otherForms() throws {
        let store = try HostileStore()
        let condition = " where " + Self.quoted(HostileStore.field) + " == 'x'"
        for arguments in [
            ["query", "--csv", ".", Self.queried],
            ["query", "--explain", ".", Self.queried + condition],
        ] {
            let run = run(arguments, on: store.path, width: 80)
            #expect(run.status == .success && !run.lines.isEmpty, "\(run.errors)")
            check(run, arguments)
        }
        let nothing = run(["grep", ".", "none" + HostileStore.text], on: store.path, width: 80)
        #expect(nothing.status == .failure)
        check(nothing, ["grep"])
    }

    @Test(
        "An import names files, types, properties and values of any content as text",
        arguments: [false, true])
    func imports(json: Bool) throws {
        let store = try HostileStore()
        let folder = try TestFolder()
        func check(_ lines: String, _ name: String, _ status: VarveTool.ExitStatus) throws {
            let file = try folder.write(lines, to: HostileStore.name + name)
            let run = run(["import", file, "."], on: store.path, json: json, width: 80)
            #expect(run.status == status, "\(run.errors)\(run.output)")
            self.check(run, ["import"])
        }
        func line(_ object: [String: Any]) throws -> String {
            String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
                + "\n"
        }
        let refused = try [
            line(["type": "no" + HostileStore.text, "id": "x"]),
            line(["type": Self.type, "id": "x", "no" + HostileStore.text: 1]),
            line(["type": Self.type, "id": 1, HostileStore.field: HostileStore.text]),
            line([
                "type": Self.type, "id": "y" + HostileStore.text,
                HostileStore.relation: ["no" + HostileStore.text],
            ]),
            "{\(HostileStore.characters)\n",
        ]
        try check(refused.joined(), "lines.jsonl", .failure)
        try check("id,no\u{1B}[31m\u{202E}\n1,2\n", "cells.csv", .failure)
        try check("", "empty.jsonl", .success)
        let whole = ToolRun("export", store.path).output
        try check(whole, "whole.jsonl", .success)
        let copy = folder.file(HostileStore.name)
        let made = run(
            ["import", folder.file(HostileStore.name + "whole.jsonl"), copy], on: copy, json: json,
            width: 80)
        #expect(made.status == .success, "\(made.errors)")
        self.check(made, ["import"])
    }

    @Test("Damage is named with an escaped path")
    func damage() throws {
        let store = try HostileStore()
        try store.store.flip(byteAt: 200)
        for arguments in [
            ["info", "."], ["verify", "."], ["log", "."], ["query", ".", Self.queried],
            ["export", "."], ["export", "-F", "sql", "."], ["grep", ".", "text"],
            ["bisect", ".", Self.queried], ["cat", ".", Self.type], ["schema", "."], ["du", "."],
        ] {
            for json in [false, true] {
                let run = run(arguments, on: store.path, json: json, width: 80)
                #expect(run.status == .failure, "\(arguments)")
                check(run, arguments)
            }
        }
    }

    @Test("What of a damaged store is missing is listed as text by commands that show the rest")
    func missing() throws {
        let store = try HostileStore()
        // In the last transactions: what is before them is shown.
        let segment = store.store.url.appendingPathComponent("segment-0000000001")
        let size = try Data(contentsOf: segment).count
        try store.store.flip(byteAt: size / 2)
        for arguments in [["query", ".", Self.queried], ["export", "."], ["grep", ".", "text"]] {
            for json in [false, true] {
                let run = run(arguments, on: store.path, json: json, width: 80)
                #expect(run.status == .failure && run.errors.contains("segment"), "\(run.errors)")
                check(run, arguments)
            }
        }
    }

    @Test("Errors of the library are safe to print")
    func libraryErrors() {
        let text = HostileStore.text
        let errors: [any Error] = [
            LogError.missing(directory: text), LogError.notAStore(directory: text, reason: text),
            FileSystemError(.open, file: text, reason: .notAPlainFile),
            CodecError.jsonFailed(property: text, typeName: text, reason: text),
            InspectionError.noSuchType(name: text, known: [text]),
            InspectionError.revision(reason: text),
        ]
        for error in errors {
            let message = "\(error)"
            #expect(!message.unicodeScalars.contains { $0.isHidden }, "\(message)")
        }
        #expect(
            !"\(LockHolder(processID: 1, program: text))".unicodeScalars.contains { $0.isHidden })
    }
}
