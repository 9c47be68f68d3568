import Foundation
import Testing

@testable import VarveTool

@Suite("The pager")
struct PagingTests {
    /// What a run sends to the terminal and to its pager.
    private final class Screen {
        let terminal = MemorySink()
        let pager: MemorySink
        var started: [String] = []
        let errors = MemorySink()

        init(pager: MemorySink = MemorySink()) { self.pager = pager }

        func run(
            _ arguments: [String], columns: Int? = 200, rows: Int = 24,
            variables: [String: String] = [:]
        ) -> VarveTool.ExitStatus {
            let environment = ToolEnvironment(
                output: terminal, errors: errors, variables: variables, now: ToolRun.now,
                terminalWidth: columns, terminalHeight: columns == nil ? nil : rows,
                startPager: { command in
                    self.started.append(command)
                    return self.pager
                })
            return Tool.run(arguments + ["--color=never"], in: environment)
        }
    }

    @Test("What is longer than the screen goes to the pager whole, what fits does not")
    func length() throws {
        let store = try SampleStore.filled()
        let all = ToolRun("log", store.path, terminalWidth: 200).output
        let count = all.split(separator: "\n").count
        for rows in [2, count, count + 1, count + 20] {
            let screen = Screen()
            #expect(screen.run(["log", store.path], rows: rows) == .success)
            let fits = count <= rows - 1
            #expect(screen.started == (fits ? [] : ["less"]))
            #expect(screen.terminal.text == (fits ? uncolored(all) : ""))
            #expect(screen.pager.text == (fits ? "" : uncolored(all)))
        }
    }

    private func uncolored(_ text: String) -> String {
        text.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    }

    @Test("Lines that the terminal breaks count for as many rows as they take")
    func brokenLines() throws {
        func isPaged(_ text: String, rows: Int) throws -> Bool {
            var isPaged = false
            let sink = PagingSink(terminal: MemorySink(), columns: 10, rows: rows) {
                isPaged = true
                return nil
            }
            try sink.write(text)
            return isPaged
        }
        let colored = "\u{1B}[31m0123456789\u{1B}[0m\n"
        #expect(try !isPaged(colored, rows: 2))
        #expect(try isPaged(colored, rows: 1))
        #expect(try !isPaged("和平和平和平\n", rows: 3))
        #expect(try isPaged("和平和平和平\n", rows: 2))
        #expect(try isPaged("\n\n\n", rows: 3))
    }

    @Test("The pager is what the variables say, nearest first, and none where they say so")
    func choice() throws {
        let store = try SampleStore.filled()
        func started(_ variables: [String: String], _ arguments: String...) -> [String] {
            let screen = Screen()
            _ = screen.run(["log", store.path] + arguments, rows: 3, variables: variables)
            #expect(screen.terminal.text.isEmpty != screen.started.isEmpty)
            return screen.started
        }
        #expect(started([:]) == ["less"])
        #expect(started(["PAGER": "most -w"]) == ["most -w"])
        #expect(started(["PAGER": "most", "VARVE_PAGER": "less -S"]) == ["less -S"])
        #expect(started(["VARVE_PAGER": "cat"]) == [])
        #expect(started(["PAGER": ""]) == [])
        #expect(started(["PAGER": "most"], "--no-pager") == [])
        #expect(started([:], "--json") == ["less"])
    }

    @Test("Neither output to elsewhere nor a command that goes on has a pager")
    func exceptions() throws {
        let store = try SampleStore.filled()
        let elsewhere = Screen()
        _ = elsewhere.run(["log", "--json", store.path], columns: nil)
        #expect(elsewhere.started.isEmpty && !elsewhere.terminal.text.isEmpty)
        let live = Screen()
        _ = live.run(["follow", store.path], rows: 2)
        #expect(live.started.isEmpty && !live.terminal.text.isEmpty)
    }

    @Test("Progress ends before the pager has the screen")
    func progress() throws {
        let store = try SampleStore.filled()
        let (errors, terminal) = (MemorySink(), MemorySink())
        var before: String?
        let steps = Steps()
        let environment = ToolEnvironment(
            output: terminal, errors: errors, now: ToolRun.now, terminalWidth: 80,
            terminalHeight: 2, errorsWidth: 80,
            startPager: { _ in
                before = errors.text
                return MemorySink()
            }, elapsed: { steps.next() })
        #expect(Tool.run(["grep", store.path, "o"], in: environment) == .success)
        #expect(before?.hasSuffix("\r\u{1B}[K") == true)
        #expect(errors.text == before)
    }

    @Test("Progress ends with the first output to another program, which may be a pager")
    func pipe() throws {
        let store = try SampleStore.filled()
        for isPiped in [true, false] {
            let (errors, output) = (MemorySink(), MemorySink())
            let steps = Steps()
            let environment = ToolEnvironment(
                output: output, errors: errors, now: ToolRun.now, isPiped: isPiped,
                errorsWidth: 80, elapsed: { steps.next() })
            #expect(Tool.run(["grep", store.path, "o"], in: environment) == .success)
            // A line is erased once, or before each output.
            let erasures = errors.text.components(separatedBy: "\r\u{1B}[K").count - 1
            #expect(isPiped ? erasures == 1 : erasures > 1)
        }
    }

    /// A clock that goes on by a second with each look.
    private final class Steps: @unchecked Sendable {
        // Guarded by the lock: threads that read ahead look too.
        private let lock = NSLock()
        private var time = Duration.zero

        func next() -> Duration {
            lock.withLock {
                time += .seconds(1)
                return time
            }
        }
    }

    @Test("A pager that cannot be started leaves the terminal")
    func missingPager() throws {
        let store = try SampleStore.filled()
        let terminal = MemorySink()
        let environment = ToolEnvironment(
            output: terminal, errors: MemorySink(), now: ToolRun.now, terminalWidth: 80,
            terminalHeight: 2)
        #expect(Tool.run(["log", store.path], in: environment) == .success)
        #expect(terminal.text.contains("Import"))
        #expect(PagerProcess.start("/no/such/pager", [:]) == nil)
        #expect(PagerProcess.start("no-such-pager -x", ["PATH": "/bin:/usr/bin"]) == nil)
    }

    @Test("Leaving the pager early is no error, and the status of the command stays")
    func leftEarly() throws {
        let damaged = try SampleStore.filled()
        try damaged.flip(byteAt: 200)
        for (command, status) in [("verify", VarveTool.ExitStatus.failure), ("hexdump", .success)] {
            let screen = Screen(pager: MemorySink(failure: .closed, after: 10))
            let rest = command == "hexdump" ? ["manifest"] : []
            #expect(screen.run([command, damaged.path] + rest, rows: 1) == status)
            #expect(screen.started == ["less"] && screen.errors.text.isEmpty)
        }
    }

    @Test("A pager is a process that gets the text and its own settings")
    func process() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-pager-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/bin:/usr/bin"
        let pager = try #require(
            PagerProcess.start(
                "{ echo \"$LESS $LV\"; cat; } >'\(file)'", ["PATH": path, "LV": "-q"]))
        try pager.write("first\nsecond\n")
        try pager.finish()
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text == "FRX -q\nfirst\nsecond\n")
    }
}
