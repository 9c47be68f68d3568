import Testing
import VarveInspection

@testable import VarveTool

@Suite("follow")
struct FollowCommandTests {
    /// Runs `follow`; each pause performs the next step, and the last one ends it.
    private func follow(
        _ store: SampleStore, _ options: [String] = [], steps: [() throws -> Void]
    ) -> (status: VarveTool.ExitStatus, lines: [String]) {
        let output = MemorySink()
        var steps = steps[...]
        let environment = ToolEnvironment(
            output: output, errors: MemorySink(), now: ToolRun.now,
            pause: {
                guard let step = steps.popFirst() else { return false }
                #expect(throws: Never.self) { try step() }
                return true
            })
        let status = Tool.run(["follow"] + options + [store.path], in: environment)
        return (status, output.text.split(separator: "\n").map(String.init))
    }

    private func write(_ label: String, to store: SampleStore) throws {
        try store.transaction(label) { encoder in
            if store.last == 1 {
                try encoder.define(SampleStore.users)
                try encoder.define(SampleStore.chats)
            }
        }
    }

    @Test("Shows the newest transactions, then each that is written, when it is promised")
    func following() throws {
        let store = try SampleStore(segmentBytesMax: 600)
        for number in 1...12 { try write("number \(number)", to: store) }
        try store.flush()
        let run = follow(
            store, ["-n", "2"],
            steps: [
                { try self.write("number 13", to: store) },
                { try store.flush() },
                {},
                {
                    for number in 14...20 { try self.write("number \(number)", to: store) }
                    try store.close()
                },
            ])
        #expect(run.status == .success)
        #expect(run.lines.count == 10)
        #expect(run.lines.first?.hasPrefix("11  2026-08-03") == true, "\(run.lines)")
        #expect(
            run.lines.map { $0.split(separator: " ").first.map(String.init) }
                == (11...20).map { "\($0)" })
        #expect(run.lines.last?.contains("number 20") == true)
    }

    @Test("Writes JSON, an object for each transaction")
    func json() throws {
        let store = try SampleStore()
        try write("one", to: store)
        try store.flush()
        let run = follow(
            store, ["--json", "-n0"],
            steps: [
                {
                    try self.write("two", to: store)
                    try store.flush()
                }
            ])
        #expect(run.lines.count == 1)
        let object = try JSONObject(run.lines.first ?? "{}")
        #expect(object["id"] == "2")
        #expect(object["label"] == "two")
    }

    @Test("A number that is none is a usage error; a missing store a failure")
    func errors() {
        #expect(ToolRun("follow", "-n", "x", "store").status == .usage)
        #expect(ToolRun("follow", "/nowhere.varve").status == .failure)
    }
}
