import Testing
import VarveInspection
import VarveText

@testable import VarveTool

@Suite("varve log")
struct LogCommandTests {
    @Test("Transactions are listed newest first, a line each")
    func text() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("log", store.path)
        #expect(run.status == .success && run.errors.isEmpty)
        #expect(
            run.output == #"""
                ID  TIME                  AGE  KIND         LABEL                                EVENTS
                 9  2026-08-03T14:09:00Z  50m  purge                                             User x1
                 8  2026-08-03T14:08:00Z  51m  write        Delete cy                            User −1 =1, Chat =1
                 7  2026-08-03T14:07:00Z  52m  revert of 6                                       User +1 =2, Chat =1
                 6  2026-08-03T14:06:00Z  53m  write        Delete \u{1B}[31mbob\u{1B}[0m 😀 和  User −1 =2, Chat =1
                 5  2026-08-03T14:05:00Z  54m  write        Swap users                           User ~1, Chat =1
                 4  2026-08-03T14:04:00Z  55m  write        Edit bio                             User ~1
                 3  2026-08-03T14:03:00Z  56m  write        Rename chat                          Chat ~1
                 2  2026-08-03T14:02:00Z  57m  write        Import                               User +3 =4, Chat +1 =1
                 1  2026-08-03T14:01:00Z  58m  schema                                            User *1, Chat *1

                """#)
    }

    @Test("On a terminal every line fits, unless --full asks for all of it")
    func terminal() throws {
        let store = try SampleStore.filled()
        let narrow = ToolRun("log", "--color=never", store.path, terminalWidth: 80)
        #expect(narrow.lines.allSatisfy { DisplayWidth.columns(of: $0) <= 80 })
        #expect(narrow.lines[4].contains("…"))
        let full = ToolRun("log", "--color=never", "--full", store.path, terminalWidth: 80)
        #expect(full.output == ToolRun("log", store.path).output)
    }

    @Test(
        "Limit, bounds and order pick transactions",
        arguments: [
            (["-n", "2"], [9, 8]), (["--limit=2", "--reverse"], [1, 2]), (["-n0"], []),
            (["--after=6"], [9, 8, 7]), (["--before=3"], [2, 1]),
            (["--after=2", "--before=5", "-r"], [3, 4]), (["--after=9"], []),
            (["--after=2026-08-03T14:07:00.000006"], [9, 8, 7]),
            (["--after=2026-08-03T14:07:00.000007"], [9, 8]),
            (["--before=2026-08-03T14:02Z"], [1]), (["--after=53m"], [9, 8, 7]),
        ] as [([String], [UInt64])])
    func selection(_ options: [String], _ expected: [UInt64]) throws {
        // Several segments, so that whole ones are passed over.
        let store = try SampleStore.filled(segmentBytesMax: 600)
        let run = ToolRun(all: ["log", "--json", store.path] + options)
        #expect(run.status == .success, "\(run.errors)")
        #expect(try run.lines.map { try JSONObject($0)["id"] } == expected.map { String($0) })
    }

    @Test("The JSON is an object on each line with all that a transaction says")
    func json() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("log", "--json", "--after=2", "--before=4", store.path)
        #expect(
            run.output == """
                {"id":3,"time":"2026-08-03T14:03:00.000003Z","kind":"write","of":null,\
                "label":"Rename chat","undoable":true,"scope":"window 1","group":null,\
                "author":"ann","metadata":{"app":"1.2","host":"desk"},"migrations":[],"segment":1,"offset":704,\
                "storedBytes":152,"rawBytes":92,"eventCount":1,"types":[{"type":"Chat",\
                "defined":0,"inserted":0,"updated":1,"deleted":0,"links":0,"purged":0}],\
                "unknownEvents":0}

                """)
        let undo = try JSONObject(ToolRun("log", "-j", "-n3", store.path).lines[2])
        // It can be undone itself.
        #expect(undo["kind"] == "revert")
        #expect(undo["of"] == "6")
    }

    @Test("A store without transactions says so")
    func empty() throws {
        let store = try SampleStore()
        try store.close()
        #expect(ToolRun("log", store.path).output == "no transactions\n")
        #expect(ToolRun("log", "--json", store.path).output.isEmpty)
    }

    @Test("Values that options cannot take are refused with what they do take")
    func refused() throws {
        for arguments in [["--limit=-1"], ["-n", "many"], ["--after=tomorrow"], ["-b", ""]] {
            let run = ToolRun(all: ["log", "x"] + arguments)
            #expect(run.status == .usage)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains(": it takes a "))
            #expect(run.errors.hasSuffix("Try 'varve log --help' for more information.\n"))
        }
    }
}
