import Testing

@testable import AptGraph

@Suite("Command lines")
struct InvocationTests {
    @Test(
        "Options stand anywhere, with their value behind = or in the next argument",
        arguments: [
            ["--store", "s", "--json", "why", "a", "b"], ["why", "a", "b", "--json", "--store=s"],
            ["why", "--sto=s", "a", "--js", "b"], ["--store=s", "--json", "--", "why", "a", "b"],
        ])
    func spellings(arguments: [String]) throws {
        let invocation = try Invocation(parsing: arguments)
        #expect(invocation.request == .run(.why, store: "s", operands: ["a", "b"]))
        #expect(invocation.wantsJSON)
    }

    @Test("Behind -- nothing is an option")
    func endOfOptions() throws {
        let invocation = try Invocation(parsing: ["--store=s", "find", "--", "--json", "-x"])
        #expect(invocation.request == .run(.find, store: "s", operands: ["--json", "-x"]))
        #expect(!invocation.wantsJSON)
    }

    @Test(
        "What is wrong is said in one line, and the exit status is 2",
        arguments: [
            ([], "missing command"), (["--store=s"], "missing command"),
            (["--store=s", "fly"], "unknown command 'fly'"),
            (["show", "a"], "option '--store' is required"),
            (["--store=s", "show"], "missing operand"),
            (["--store=s", "show", "a", "b"], "extra operand 'b'"),
            (["--store=s", "stats", "a"], "extra operand 'a'"),
            (["--store=s", "why", "a"], "missing operand"),
            (["--store"], "option '--store' requires an argument"),
            (["--store=", "stats"], "option '--store' requires an argument"),
            (["--json=yes", "stats"], "option '--json' doesn't allow an argument"),
            (["--colour", "stats"], "unrecognized option '--colour'"),
            (["-x", "stats"], "invalid option '-x'"),
            (
                ["--store=s", "show", "a", "--architecture=all"],
                "option '--architecture' is only for import"
            ),
        ])
    func refusals(arguments: [String], message: String) async throws {
        let run = await ProgramRun(arguments)
        #expect(run.status == .usage)
        #expect(run.output.isEmpty)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.first == "aptgraph: \(message)")
        #expect(lines.count == 2 && lines[1].hasPrefix("Try 'aptgraph "))
    }

    @Test("Help and version need no store, and every line fits")
    func help() async {
        let help = await ProgramRun(["--help"])
        #expect(help.status == .success)
        #expect(help.lines.first == "Usage: aptgraph --store=PATH [--json] COMMAND [OPERAND…]")
        for command in CommandName.allCases {
            #expect(help.output.contains("\n  \(command.rawValue)"))
            let own = await ProgramRun([command.rawValue, "--help"])
            #expect(own.status == .success && own.output.hasPrefix("Usage: aptgraph "))
            #expect(own.lines.allSatisfy { $0.count <= 80 })
        }
        #expect(help.lines.allSatisfy { $0.count <= 80 })
        #expect(await ProgramRun(["--version"]).output == "aptgraph (Varve) 0.1.0\n")
    }
}
