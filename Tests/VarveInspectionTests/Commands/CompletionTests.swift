import Foundation
import Testing
import Varve
import VarveInspection

@testable import VarveTool

@EntityModel
private struct Item {
    let id: String
    var name = ""
}

/// The words that shells are offered. Tools/test-shells presses Tab in the shells themselves.
@Suite("Completion")
struct CompletionTests {
    /// The candidates for the last word, without their help.
    private func candidates(_ words: String...) -> [String] {
        let run = ToolRun(all: ["__complete", "zsh", "--"] + words)
        #expect(run.status == .success && run.errors.isEmpty)
        return run.lines.map { String($0.prefix { $0 != "\t" }) }
    }

    private func bash(_ line: String) -> [String] {
        ToolRun("__complete", "bash", "--", line).output
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test("Commands, and then their options, are known with what they are for")
    func commands() {
        #expect(candidates("").contains("log") && candidates("").contains("help"))
        #expect(!candidates("").contains("__complete"))
        #expect(candidates("--").contains("--json"))
        #expect(candidates("--color=never", "")[0] == "values")
        #expect(candidates("--color=never", "").contains("log"))
        #expect(candidates("log", "--").contains("--after"))
        #expect(candidates("nonsense", "") == ["values"])
        let run = ToolRun("__complete", "fish", "--", "log", "--")
        #expect(run.lines.contains("--reverse\tshow the oldest first"))
    }

    @Test("Values of options and operands are known by what the help calls them")
    func values() {
        #expect(candidates("log", "--color", "") == ["values", "auto", "always", "never"])
        #expect(candidates("log", "--color=a").contains("--color=always"))
        #expect(candidates("log", "") == ["directories"])
        #expect(candidates("backup", "x.varve", "") == ["files"])
        #expect(candidates("salvage", "x.varve", "--to", "") == ["files"])
        #expect(candidates("completion", "") == ["values", "bash", "zsh", "fish"])
        #expect(candidates("help", "").contains("moments"))
        #expect(candidates("log", "x.varve", "y") == ["values"])
    }

    @Test("Types, properties, ids and transactions come from the store that the line names")
    func store() throws {
        let store = try SampleStore.filled()
        let path = store.path
        #expect(candidates("cat", path, "") == ["values", "User", "Chat"])
        #expect(candidates("cat", path, "User", "") == ["values", "ann", "bob"])
        #expect(candidates("cat", path, "User", "b") == ["values", "bob"])
        #expect(candidates("cat", "--json", path, "Chat", "") == ["values", "7"])
        #expect(candidates("show", path, "").prefix(4) == ["values", "last", "9", "8"])
        #expect(candidates("log", path, "--after", "").contains("3"))
        #expect(candidates("at", path, "3", "") == ["values", "cat"])
        #expect(candidates("at", path, "3", "cat", "User", "").contains("bob"))
        #expect(
            candidates("grep", "--type", "User", path, "--field", "") == [
                "values", "name", "age", "bio",
            ])
        #expect(candidates("query", path, "") == ["values", "User", "Chat"])
        #expect(candidates("cat", "/no/such/store", "") == ["values"])
        #expect(candidates("cat", path, "--", "--") == ["values", "User", "Chat"])
    }

    @Test("A transaction is found by the beginning of its number, however many are newer")
    func numbers() throws {
        let store = try SampleStore(segmentBytesMax: 8_000)
        for number in 1...1_250 { try store.transaction("Step \(number)") { _ in } }
        try store.close()
        let path = store.path
        #expect(
            candidates("show", path, "41") == ["values", "last", "41"]
                + (410...419).reversed().map(String.init))
        let some = candidates("show", path, "1")
        #expect(some.prefix(4) == ["values", "last", "1", "19"] && some.count == 102)
        #expect(some.dropFirst(2).allSatisfy { $0.hasPrefix("1") })
        #expect(candidates("show", path, "125").suffix(2) == ["125", "1250"])
        #expect(candidates("show", path, "").dropFirst(2).first == "1250")
        for none in ["9999", "0", "041", "x", "99999999999999999999", "18446744073709551615"] {
            #expect(candidates("show", path, none) == ["values", "last"], "\(none)")
        }
        // Values of options are filtered, too, in either form.
        #expect(candidates("log", path, "--after", "41").contains("41"))
        #expect(candidates("log", path, "--after=41").contains("--after=41"))
        let help = ToolRun("__complete", "zsh", "--", "show", path, "41").lines[2]
        #expect(help.hasPrefix("41\tStep 41, "))
    }

    @Test("What is said about an option is on one line")
    func helpLines() {
        for command in Tool.commands {
            let run = ToolRun("__complete", "fish", "--", command.definition.name, "--")
            #expect(!run.output.contains("\\n"), "\(command.definition.name)")
        }
    }

    @Test("For bash ids are quoted as the line is, and come back as they are")
    func quoting() throws {
        let ids = [
            "plain", "two words", "it's", "say \"hi\"", "a$b`c\\d", "ünï", "x=y", "-dash",
            "(a|b)&;", "a'\u{301}b", "$\u{301}", "\u{0D4E};x",
        ]
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve quote's-\(UUID().uuidString).varve")
        defer { try? FileManager.default.removeItem(at: url) }
        let store = try Store(at: url, Item.self)
        try store.write { context in
            for id in ids { try Item(id: id).save(to: &context) }
            try Item(id: "bell\u{7}").save(to: &context)
            try Item(id: "two\nlines").save(to: &context)
        }
        try store.close()
        let path = url.path.replacing("'", with: "'\\''")
        let shell = try #require(ToolProcess.find("bash"), "bash is not installed")
        for quote in ["", "'", "\""] {
            let reply = bash("varve cat '\(path)' Item \(quote)")
            #expect(reply.count == ids.count + 2 && reply[0] == "values", "\(reply)")
            for (id, word) in zip(ids, reply.dropFirst(2)) {
                let process = try ToolProcess(
                    program: shell, ["-c", "printf %s \(quote)\(word)\(quote)"])
                #expect(process.output == id, "\(quote)\(word)\(quote)")
            }
        }
        // A word that is begun has to fit.
        #expect(bash("varve cat '\(path)' Item two\\ ").last == "two\\ words")
        #expect(bash("varve cat '\(path)' Item 'it").dropFirst(2) == ["it'\\''s"])
        #expect(bash("varve cat '\(path)' --color=\"al").dropFirst(2) == ["always"])
    }

    @Test(
        "A line is taken apart as bash does",
        arguments: [
            ("varve a b", ["varve", "a"], "b"), ("varve 'a b' ", ["varve", "a b"], ""),
            ("varve a\\ b\\", ["varve"], "a b"), ("varve \"a'\\\"\\n", ["varve"], "a'\"\\n"),
            ("varve 'it'\\''s", ["varve"], "it's"), ("varve ''", ["varve"], ""), ("", [], ""),
        ] as [(String, [String], String)])
    func lines(_ text: String, _ words: [String], _ last: String) {
        let line = ShellLine(text)
        #expect(line.words == words && line.last == last)
    }

    @Test("Each shell has a script that the shell itself finds in order")
    func scripts() throws {
        for script in CompletionScript.all {
            let run = ToolRun("completion", script.shell)
            #expect(run.status == .success && run.output == script.text)
            guard let shell = ToolProcess.find(script.shell) else { continue }
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("varve-completion-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(script.text.utf8).write(to: file)
            let process = try ToolProcess(program: shell, ["-n", file.path])
            #expect(process.status == 0 && process.errors.isEmpty, "\(process.errors)")
        }
        #expect(ToolRun("completion", "tcsh").status == .usage)
    }
}
