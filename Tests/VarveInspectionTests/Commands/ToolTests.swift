import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("The program as a whole")
struct ToolTests {
    @Test("A command line that cannot be understood ends with status 2 and a hint")
    func usage() {
        let cases: [([String], String, String)] = [
            ([], "no command given", "varve"),
            (["--json"], "no command given", "varve"),
            (["--"], "no command given", "varve"),
            (["--", "log"], "STORE is missing", "varve log"),
            (["lgo", "x"], "unknown command 'lgo'; did you mean 'log'?", "varve"),
            (["zebra"], "unknown command 'zebra'", "varve"),
            (["-x", "log"], "unknown option '-x'", "varve"),
            (["log"], "STORE is missing", "varve log"),
            (["log", "a", "b"], "extra operand 'b'", "varve log"),
            (
                ["log", "--lmit=3", "a"], "unknown option '--lmit'; did you mean '--limit'?",
                "varve log"
            ),
            (["show", "a"], "TXN is missing", "varve show"),
            (
                ["info", "a", "--color=red"],
                "'red' is no value of '--color': it takes auto, always or never", "varve info"
            ),
            (["info", "a", "--json=yes"], "option '--json' takes no value", "varve info"),
        ]
        for (arguments, message, command) in cases {
            let run = ToolRun(all: arguments)
            #expect(run.status == .usage)
            #expect(run.output.isEmpty)
            #expect(
                run.errors == """
                    varve: \(message)
                    Try '\(command) --help' for more information.

                    """)
        }
    }

    @Test("A word that is left out is named, and options that exclude one another are")
    func words() {
        let run = ToolRun("at", "X.varve", "1", "User")
        #expect(run.status == .usage)
        #expect(run.errors.hasPrefix("varve: the word 'cat' before 'User' is missing\n"))
        let other = ToolRun("at", "X.varve", "1", "show", "User")
        #expect(other.errors.hasPrefix("varve: 'show' is no cat: it is the word 'cat'\n"))
        let query = ToolRun("query", "--json", "--csv", "X.varve", "User")
        #expect(query.status == .usage)
        #expect(query.errors.hasPrefix("varve: --json and --csv are alternatives"))
    }

    @Test("What is no store gets one clear line and status 1")
    func noStore() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-none-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path
        for arguments in [["info"], ["log"], ["show"], ["cat"], ["verify"]] {
            let rest = ["show": ["1"], "cat": ["User"]][arguments[0]] ?? []
            let run = ToolRun(all: arguments + [path] + rest)
            #expect(run.status == .failure)
            #expect(
                run.errors
                    == "varve: there is no store at \(path): the folder is empty\n")
        }
        try Data("x".utf8).write(to: folder.appendingPathComponent("letter.txt"))
        #expect(
            ToolRun("info", path).errors
                == "varve: \(path) is not a store: it holds letter.txt; "
                + "check the path: the folder of a store has files named segment-0000000001 and so on\n"
        )
        #expect(
            ToolRun("info", path + "/letter.txt").errors
                == "varve: cannot list \(path)/letter.txt: Not a directory\n")
    }

    @Test("A damaged manifest, a lost one and a newer one are named")
    func manifests() throws {
        let name = "manifest-0000000001"
        let damaged = try SampleStore.filled()
        try damaged.flip(byteAt: 60, of: name)
        #expect(ToolRun("follow", damaged.path).errors.contains(": \(name) is unusable ("))
        let lost = try SampleStore.filled()
        try FileManager.default.removeItem(at: lost.url.appendingPathComponent(name))
        #expect(ToolRun("log", lost.path).status == .failure)
        let gone = try SampleStore.filled(segmentBytesMax: 600)
        try FileManager.default.removeItem(
            at: gone.url.appendingPathComponent("segment-0000000002"))
        #expect(ToolRun("follow", gone.path).errors.contains("segment-0000000002: it is missing"))
    }

    @Test(
        "What lies before a damaged place is shown, what lies behind it too, and then what is missing"
    )
    func damage() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        try store.flip(byteAt: 464 + 60)
        let run = ToolRun("log", "--json", store.path)
        #expect(run.status == .failure)
        #expect(run.lines.count > 3)
        #expect(try JSONObject(run.lines[0])["id"] == "9")
        #expect(
            try run.lines.map { try JSONObject($0)["id"] } == (1...9).reversed().map { "\($0)" })
        #expect(run.errors.contains("\n  damaged: segment-0000000001, offset 464, "))
    }

    @Test("A reader that goes away ends the program without a word")
    func closedOutput() throws {
        let store = try SampleStore.filled()
        for command in [["log"], ["cat"], ["show"], ["info"]] {
            let rest = ["show": ["2"], "cat": ["User"]][command[0]] ?? []
            let errors = MemorySink()
            let environment = ToolEnvironment(
                output: MemorySink(failure: .closed, after: 50), errors: errors,
                now: ToolRun.now)
            #expect(Tool.run(command + [store.path] + rest, in: environment) == .success)
            #expect(errors.text.isEmpty)
        }
    }

    @Test("Output that cannot be written is a failure")
    func fullDisk() throws {
        let store = try SampleStore.filled()
        let errors = MemorySink()
        let environment = ToolEnvironment(
            output: MemorySink(failure: .failed(reason: "No space left on device"), after: 50),
            errors: errors, now: ToolRun.now)
        #expect(Tool.run(["log", store.path], in: environment) == .failure)
        #expect(errors.text == "varve: cannot write the output: No space left on device\n")
    }

    @Test("Colours are for terminals, unless the user says otherwise")
    func colors() throws {
        let store = try SampleStore.filled()
        func hasColors(
            _ arguments: String..., variables: [String: String] = [:], terminal: Bool = true
        ) -> Bool {
            ToolRun(
                all: arguments + ["info", store.path], variables: variables,
                terminalWidth: terminal ? 80 : nil
            ).output.contains("\u{1B}[")
        }
        #expect(hasColors())
        #expect(!hasColors(terminal: false))
        #expect(!hasColors(variables: ["NO_COLOR": "1"]))
        #expect(hasColors(variables: ["NO_COLOR": ""]))
        #expect(!hasColors(variables: ["TERM": "dumb"]))
        #expect(hasColors("--color=always", variables: ["NO_COLOR": "1"], terminal: false))
        #expect(!hasColors("--color=never"))
        #expect(!hasColors("--color", "auto", terminal: false))
    }

    @Test("Common options may stand before the command")
    func commonOptions() throws {
        let store = try SampleStore.filled()
        #expect(
            ToolRun("--json", "log", store.path).output
                == ToolRun("log", store.path, "--json").output)
    }

    @Test("Nothing in a store is changed by looking at it")
    func readOnly() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        let before = try store.files()
        for arguments in [["info"], ["log"], ["verify"]] {
            #expect(ToolRun(all: arguments + [store.path]).status == .success)
        }
        #expect(try store.files() == before)
    }
}
